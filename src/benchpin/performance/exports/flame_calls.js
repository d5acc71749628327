"use strict";

/** Where each call of a tree lies, in units of cost, and sums over calls. */
class FlameCalls {
  /** `spent` is the cost of each call without its callees; callers come before their callees. */
  constructor(data, spent) {
    const count = data.parents.length;
    this.data = data;
    // What was given back, such as freed memory, has no width; the totals have it.
    this.width = Float64Array.from(spent, (value) => Math.max(0, value));
    this.total = Float64Array.from(spent);
    this.depth = new Int32Array(count);
    this.left = new Float64Array(count);
    this.below = Array.from({ length: count }, () => []);
    this.roots = [];
    for (let node = count - 1; node >= 0; node -= 1) this.#addToCaller(node);
    for (let node = 0; node < count; node += 1) {
      const parent = data.parents[node];
      this.depth[node] = parent < 0 ? 0 : this.depth[parent] + 1;
      (parent < 0 ? this.roots : this.below[parent]).push(node);
    }
    this.#spread(this.roots, 0);
    for (let node = 0; node < count; node += 1) this.#spread(this.below[node], this.left[node]);
    this.wholeWidth = this.#ofRoots(this.width);
    this.whole = this.#ofRoots(this.total);
  }

  #addToCaller(node) {
    const parent = this.data.parents[node];
    if (parent < 0) return;
    this.width[parent] += this.width[node];
    this.total[parent] += this.total[node];
  }

  /** Put calls beside one another, the widest first: the rest can be skipped at the first thin one. */
  #spread(nodes, from) {
    nodes.sort((one, other) => this.width[other] - this.width[one] || one - other);
    let at = from;
    for (const node of nodes) {
      this.left[node] = at;
      at += this.width[node];
    }
  }

  #ofRoots(values) {
    return this.roots.reduce((sum, node) => sum + values[node], 0);
  }

  /** Return how many calls match, and their cost; of nested ones only the outermost counts. */
  found(matches) {
    const { parents, functions } = this.data;
    const isCovered = new Uint8Array(parents.length);
    let [count, cost] = [0, 0];
    for (let node = 0; node < parents.length; node += 1) {
      const isMatch = matches[functions[node]] === 1;
      const isInside = parents[node] >= 0 && isCovered[parents[node]] === 1;
      isCovered[node] = isMatch || isInside ? 1 : 0;
      if (isMatch) count += 1;
      if (isMatch && !isInside) cost += this.total[node];
    }
    return { count, cost };
  }

  /** Return who calls a function and whom it calls, by cost; of nested calls only the outermost counts. */
  relatives(wanted, most) {
    const { parents, functions } = this.data;
    const [callers, callees] = [new Map(), new Map()];
    for (let node = 0; node < parents.length; node += 1) {
      const caller = parents[node] < 0 ? -1 : functions[parents[node]];
      const name = functions[node];
      if (name === wanted && !this.#isInside(node, (it) => functions[it] === wanted)) {
        this.#add(callers, caller, node);
      } else if (name !== wanted && caller === wanted) {
        const isPair = (it) => functions[it] === name && functions[parents[it]] === wanted;
        if (!this.#isInside(node, isPair)) this.#add(callees, name, node);
      }
    }
    const longest = (sums) => [...sums.values()].sort((one, other) => other.total - one.total).slice(0, most);
    return { callers: longest(callers), callees: longest(callees) };
  }

  #isInside(node, isSame) {
    const { parents } = this.data;
    for (let above = parents[node]; above >= 0; above = parents[above]) if (isSame(above)) return true;
    return false;
  }

  #add(sums, name, node) {
    const sum = sums.get(name) ?? { function: name, calls: 0, total: 0 };
    sum.calls += this.data.calls[node];
    sum.total += this.total[node];
    sums.set(name, sum);
  }
}
