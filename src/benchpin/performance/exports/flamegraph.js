"use strict";

/** A flame graph with search, zoom and tables. Its drawing is mirrored for other readers by a tree item. */
class FlameGraph {
  static #MOST_ROWS = 100;
  static #LONGEST_NAME = 300;
  static #MOST_STEPS = 8;
  static #UNITS = { nanoseconds: [1000, ["ns", "µs", "ms", "s"]], bytes: [1024, ["B", "KiB", "MiB", "GiB"]] };

  static #drawn = 0;

  constructor(section, data) {
    this.section = section;
    this.data = data;
    this.graph = this.part("graph");
    this.canvas = new FlameCanvas(this.graph, this.part("canvas"), this.part("spacer"), data);
    this.layouts = { after: new FlameCalls(data, data.self) };
    if (data.before) this.layouts.before = new FlameCalls(data, data.before);
    this.calls = this.layouts.after;
    this.zoomed = -1;
    this.canvas.focused = this.calls.roots[0] ?? -1;
    this.canvas.readTheme();
    const item = this.part("item");
    item.id = `flame-item-${(FlameGraph.#drawn += 1)}`;
    this.graph.setAttribute("aria-activedescendant", item.id);
    this.#listen();
    if (data.before) this.#listChanges();
    else this.#listFunctions();
    this.zoom(-1);
  }

  part(name) {
    return this.section.querySelector(`.flame-${name}`);
  }

  static el(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  static number(value) {
    return value.toLocaleString("en");
  }

  static short(name) {
    const most = FlameGraph.#LONGEST_NAME;
    return name.length > most ? `${name.slice(0, most)}…` : name;
  }

  format(value) {
    const { unit, noun } = this.data;
    if (!(unit in FlameGraph.#UNITS)) return `${FlameGraph.number(Math.round(value))} ${noun}`;
    const [base, steps] = FlameGraph.#UNITS[unit];
    let [rest, step] = [Math.abs(value), 0];
    while (rest >= base && step < steps.length - 1) {
      rest /= base;
      step += 1;
    }
    const digits = rest >= 1000 || !step ? FlameGraph.number(Math.round(rest)) : rest.toPrecision(3);
    return `${value < 0 ? "−" : ""}${digits} ${steps[step]}`;
  }

  withShare(value) {
    const { whole } = this.calls;
    return whole ? `${this.format(value)} (${((100 * value) / whole).toFixed(1)} %)` : this.format(value);
  }

  nameOf(node) {
    return this.data.names[this.data.functions[node]];
  }

  /** Return what is known about a call, as pairs of words. */
  facts(node) {
    const { data, calls } = this;
    const found = data.before ? this.#changeOf(node) : [["Total", this.withShare(calls.total[node])]];
    if (!data.before) found.push(["Self", this.withShare(data.self[node])]);
    if (data.calls[node]) found.push(["Calls", FlameGraph.number(data.calls[node])]);
    const place = data.places[data.functions[node]];
    if (place) found.push(["Defined in", place]);
    return found;
  }

  #changeOf(node) {
    const [before, after] = [this.layouts.before.total[node], this.layouts.after.total[node]];
    return [
      ["Before", this.format(before)],
      ["After", this.format(after)],
      ["Change", this.change(before, after)],
      ["Itself", this.data.words[this.data.verdicts[node]]],
      ["With callees", this.data.words[this.data.below[node]]],
    ];
  }

  change(before, after) {
    const sign = after > before ? "+" : "";
    if (!before) return `${sign}${this.format(after)}, new`;
    const percent = Math.abs((100 * (after - before)) / before).toFixed(0);
    return `${sign}${this.format(after - before)} (${after < before ? "−" : "+"}${percent} %)`;
  }

  describe(node) {
    const facts = this.facts(node).map((fact) => fact.join(" "));
    return `${this.nameOf(node)}: ${facts.join(", ")}`;
  }

  draw() {
    const { canvas, calls } = this;
    canvas.place(calls, this.zoomed);
    if (!canvas.boxOf(canvas.focused)) canvas.focused = this.zoomed >= 0 ? this.zoomed : (calls.roots[0] ?? -1);
    canvas.paint();
    this.#tell();
  }

  #tell() {
    const node = this.canvas.focused;
    if (node < 0) return;
    const item = this.part("item");
    item.textContent = this.describe(node);
    item.setAttribute("aria-level", String(this.calls.depth[node] + 1));
    this.part("details").textContent = FlameGraph.short(item.textContent);
  }

  zoom(node) {
    this.zoomed = node;
    if (node >= 0) this.canvas.focused = node;
    this.#drawPath();
    this.draw();
    this.#reveal();
  }

  #drawPath() {
    const steps = [];
    for (let node = this.zoomed; node >= 0; node = this.data.parents[node]) steps.unshift(node);
    const step = (node, text) => FlameGraph.el("li", {}, this.#link(text, () => this.zoom(node)));
    const all = [step(-1, "All calls"), ...steps.map((node) => step(node, this.nameOf(node)))];
    all.at(-1).firstChild.setAttribute("aria-current", "true");
    const left = all.length - FlameGraph.#MOST_STEPS;
    if (left > 0) all.splice(1, left, FlameGraph.el("li", { textContent: `… ${left} more` }));
    this.part("path").replaceChildren(...all);
  }

  /** Scroll until the current call can be seen. */
  #reveal() {
    const { graph, canvas, calls } = this;
    if (canvas.focused < 0) return;
    const y = calls.depth[canvas.focused] * FlameCanvas.ROW;
    const isSeen = y >= graph.scrollTop && y + FlameCanvas.ROW <= graph.scrollTop + graph.clientHeight;
    if (!isSeen) graph.scrollTop = y - graph.clientHeight / 3;
    canvas.paint();
  }

  focus(node) {
    if (node === undefined || !this.canvas.boxOf(node)) return;
    this.canvas.focused = node;
    this.#tell();
    this.#reveal();
  }

  #beside(step) {
    const { focused, rows } = this.canvas;
    const row = rows[this.calls.depth[focused]] ?? [];
    return row[row.findIndex((box) => box.node === focused) + step]?.node;
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    const { names } = this.data;
    const matches = wanted ? Uint8Array.from(names, (name) => Number(name.toLowerCase().includes(wanted))) : null;
    const found = matches && this.calls.found(matches);
    this.canvas.matches = matches;
    const said = found && `${FlameGraph.number(found.count)} frames, ${this.withShare(found.cost)}`;
    this.part("found").textContent = !found ? "" : found.count ? said : "nothing found";
    this.canvas.paint();
  }

  #nextMatch(step) {
    const { matches, rows, focused } = this.canvas;
    if (!matches) return;
    const found = rows.flat().filter((box) => !box.isAbove && matches[this.data.functions[box.node]]);
    const now = found.findIndex((box) => box.node === focused);
    this.focus(found.at((now + step) % found.length)?.node);
  }

  #link(name, act) {
    const properties = { type: "button", className: "flame-link", textContent: FlameGraph.short(name), onclick: act };
    return FlameGraph.el("button", properties);
  }

  static #row(first, cells) {
    const head = FlameGraph.el("th", { scope: "row" }, first);
    return FlameGraph.el("tr", {}, head, ...cells.map((textContent) => FlameGraph.el("td", { textContent })));
  }

  static #fill(table, rows) {
    table.tBodies[0].replaceChildren(...rows);
  }

  /** Mark a function everywhere, and list its callers and callees; -1 for none. */
  choose(wanted) {
    const { data, canvas } = this;
    canvas.chosen = wanted;
    this.part("related").hidden = wanted < 0;
    if (wanted >= 0) {
      const { callers, callees } = this.calls.relatives(wanted, FlameGraph.#MOST_ROWS);
      this.part("chosen").textContent = data.names[wanted];
      FlameGraph.#fill(this.part("callers"), callers.map((found) => this.#relative(found)));
      FlameGraph.#fill(this.part("callees"), callees.map((found) => this.#relative(found)));
    }
    canvas.paint();
  }

  #relative(found) {
    const { names } = this.data;
    const isNone = found.function < 0;
    const first = isNone ? "(outermost)" : this.#link(names[found.function], () => this.choose(found.function));
    return FlameGraph.#row(first, [found.calls ? FlameGraph.number(found.calls) : "", this.withShare(found.total)]);
  }

  #listFunctions() {
    const { names, totals } = this.data;
    const order = [...totals.self.keys()].sort((one, other) => totals.self[other] - totals.self[one] || one - other);
    const shown = order.slice(0, FlameGraph.#MOST_ROWS);
    const row = (it) => {
      const calls = totals.calls[it] ? FlameGraph.number(totals.calls[it]) : "";
      const cells = [calls, this.withShare(totals.self[it]), this.withShare(totals.inclusive[it])];
      return FlameGraph.#row(this.#link(names[it], () => this.choose(it)), cells);
    };
    this.part("count").textContent = `${FlameGraph.number(shown.length)} of ${FlameGraph.number(order.length)}`;
    FlameGraph.#fill(this.part("functions"), shown.map(row));
  }

  #listChanges() {
    const { data, layouts } = this;
    const row = (node) => {
      const [before, after] = [layouts.before.total[node], layouts.after.total[node]];
      const cells = [before, after].map((value) => this.format(value));
      cells.push(this.change(before, after), data.words[data.verdicts[node]]);
      const made = FlameGraph.#row(this.#link(this.nameOf(node), () => this.#visit(node)), cells);
      made.className = `flame-${data.kinds[data.verdicts[node]]}`;
      return made;
    };
    FlameGraph.#fill(this.part("changes"), data.changes.map(row));
  }

  /** Draw widths from before or after. */
  use(wanted) {
    this.calls = this.layouts[wanted];
    for (const radio of this.section.querySelectorAll(".flame-widths input")) radio.checked = radio.value === wanted;
    this.zoom(this.zoomed >= 0 && this.calls.width[this.zoomed] ? this.zoomed : -1);
  }

  /** Show one call, with the widths that it has any of. */
  #visit(node) {
    this.use(this.layouts.after.width[node] ? "after" : "before");
    this.#select(node);
    this.graph.focus();
    this.section.scrollIntoView({ block: "start" });
  }

  #select(node) {
    this.zoom(node);
    this.choose(this.data.functions[node]);
  }

  #hover(event) {
    const tip = this.part("tip");
    const node = this.canvas.nodeAt(event);
    tip.hidden = node < 0;
    this.graph.style.cursor = node < 0 ? "" : "pointer";
    if (node < 0) return;
    const { el, short } = FlameGraph;
    const pair = ([name, value]) => [el("dt", { textContent: name }), el("dd", { textContent: short(value) })];
    const title = el("b", { textContent: short(this.nameOf(node)) });
    tip.replaceChildren(title, el("dl", {}, ...this.facts(node).flatMap(pair)));
    const [right, under] = [event.clientX + 14, event.clientY + 18];
    const isLow = under + tip.offsetHeight > innerHeight;
    tip.style.left = `${Math.max(4, Math.min(right, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${isLow ? Math.max(4, event.clientY - tip.offsetHeight - 10) : under}px`;
  }

  #move(key) {
    const { focused } = this.canvas;
    const { parents } = this.data;
    const moves = {
      ArrowUp: () => this.focus(parents[focused]),
      ArrowDown: () => this.focus(this.calls.below[focused]?.[0]),
      ArrowLeft: () => this.focus(this.#beside(-1)),
      ArrowRight: () => this.focus(this.#beside(1)),
      Home: () => this.focus(this.zoomed >= 0 ? this.zoomed : this.calls.roots[0]),
      Enter: () => this.#select(focused),
      " ": () => this.#select(focused),
      Escape: () => this.zoom(this.zoomed >= 0 ? parents[this.zoomed] : -1),
      0: () => this.zoom(-1),
      n: () => this.#nextMatch(1),
      N: () => this.#nextMatch(-1),
      "/": () => this.part("search").focus(),
    };
    moves[key]?.();
    return key in moves;
  }

  #listen() {
    const { graph, canvas } = this;
    const on = (name, type, act) => this.part(name).addEventListener(type, act);
    on("graph", "keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#move(event.key)) event.preventDefault();
    });
    on("graph", "click", (event) => {
      const node = canvas.nodeAt(event);
      if (node >= 0) this.#select(node);
    });
    on("graph", "mousemove", (event) => this.#hover(event));
    on("graph", "mouseleave", () => (this.part("tip").hidden = true));
    for (const type of ["focus", "blur", "scroll"]) on("graph", type, () => canvas.paint());
    on("search", "input", (event) => this.find(event.target.value));
    on("search", "keydown", (event) => {
      if (event.key === "Enter") this.#nextMatch(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") graph.focus();
    });
    on("reset", "click", () => this.zoom(-1));
    on("close", "click", () => this.choose(-1));
    for (const radio of this.section.querySelectorAll(".flame-widths input")) {
      radio.addEventListener("change", () => this.use(radio.value));
    }
    const restyle = () => {
      canvas.readTheme();
      canvas.paint();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    new MutationObserver(restyle).observe(document.documentElement, { attributes: true });
    new ResizeObserver(() => this.draw()).observe(graph);
  }
}

/** Draw the flame graphs of a page. */
function showFlames(root = document) {
  for (const section of root.querySelectorAll(".flame")) {
    const data = section.querySelector(".flame-data");
    if (data) new FlameGraph(section, JSON.parse(data.textContent));
  }
}

showFlames();
