"use strict";
(() => {
  const ROW = 18;
  const THINNEST = 1;

  const format = (value, unit) => {
    if (unit === "count") return value.toLocaleString("en");
    const [base, steps] =
      unit === "bytes" ? [1024, ["B", "KiB", "MiB", "GiB"]] : [1000, ["ns", "µs", "ms", "s"]];
    let step = 0;
    while (value >= base && step < steps.length - 1) {
      value /= base;
      step += 1;
    }
    return `${step ? value.toPrecision(4) : value} ${steps[step]}`;
  };

  const hue = (name) => {
    let hash = 0;
    for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    return 15 + (hash % 45);
  };

  const show = (section) => {
    const part = (name) => section.querySelector(`.flame-${name}`);
    const data = JSON.parse(part("data").textContent);
    const graph = part("graph");
    const details = part("details");
    const search = part("search");
    const count = data.parents.length;
    // What was given back has no width; the numbers shown are those that were measured.
    const widths = Float64Array.from(data.self, (spent) => Math.max(0, spent));
    const below = Array.from({ length: count }, () => []);
    const depth = new Int32Array(count);
    const roots = [];
    for (let node = count - 1; node >= 0; node -= 1) {
      if (data.parents[node] >= 0) widths[data.parents[node]] += widths[node];
    }
    for (let node = 0; node < count; node += 1) {
      const parent = data.parents[node];
      depth[node] = parent < 0 ? 0 : depth[parent] + 1;
      (parent < 0 ? roots : below[parent]).push(node);
    }
    const total = roots.reduce((sum, node) => sum + data.inclusive[node], 0);
    const wholeWidth = roots.reduce((sum, node) => sum + widths[node], 0);
    const drawn = new Map();
    let zoomed = -1;
    let focused = roots.length ? roots[0] : -1;
    let wanted = "";

    const nameOf = (node) => data.names[data.functions[node]];
    const share = (value) => (total ? `${((100 * value) / total).toFixed(2)} %` : "");
    const describe = (node) =>
      `${nameOf(node)}: inclusive ${format(data.inclusive[node], data.unit)} ` +
      `(${share(data.inclusive[node])}), self ${format(data.self[node], data.unit)} ` +
      `(${share(data.self[node])}), ${data.calls[node].toLocaleString("en")} ${data.calls[node] === 1 ? "call" : "calls"}`;
    const matches = (node) => wanted !== "" && nameOf(node).toLowerCase().includes(wanted);

    const draw = (node, left, width, isAbove) => {
      const box = document.createElement("div");
      box.setAttribute("role", "treeitem");
      box.setAttribute("aria-level", String(depth[node] + 1));
      box.setAttribute("aria-label", describe(node));
      if (below[node].length) box.setAttribute("aria-expanded", "true");
      box.tabIndex = node === focused ? 0 : -1;
      box.title = describe(node);
      box.textContent = width > 24 ? nameOf(node) : "";
      box.style.left = `${left}px`;
      box.style.width = `${width}px`;
      box.style.top = `${depth[node] * ROW}px`;
      box.style.setProperty("--hue", String(hue(nameOf(node))));
      box.classList.toggle("flame-above", isAbove);
      box.classList.toggle("flame-match", matches(node));
      box.dataset.node = String(node);
      drawn.set(node, box);
      graph.append(box);
    };

    const render = () => {
      const width = graph.clientWidth;
      const hadFocus = graph.contains(document.activeElement);
      graph.replaceChildren();
      drawn.clear();
      let deepest = 0;
      const pending = [];
      const spread = (nodes, left, scale) => {
        for (const node of nodes) {
          const wide = widths[node] * scale;
          if (wide >= THINNEST) pending.push([node, left, wide]);
          left += wide;
        }
      };
      if (zoomed < 0) {
        spread(roots, 0, wholeWidth ? width / wholeWidth : 0);
      } else {
        const above = [];
        for (let node = data.parents[zoomed]; node >= 0; node = data.parents[node]) above.push(node);
        for (const node of above.reverse()) draw(node, 0, width, true);
        pending.push([zoomed, 0, width]);
      }
      while (pending.length) {
        const [node, left, wide] = pending.pop();
        draw(node, left, wide, false);
        deepest = Math.max(deepest, depth[node]);
        if (widths[node]) spread(below[node], left, wide / widths[node]);
      }
      graph.style.height = `${(deepest + 1) * ROW}px`;
      if (!drawn.has(focused)) focused = zoomed >= 0 ? zoomed : (roots[0] ?? -1);
      const box = drawn.get(focused);
      if (box) box.tabIndex = 0;
      if (box && hadFocus) box.focus();
    };

    const focus = (node) => {
      const box = drawn.get(node);
      if (!box) return;
      const before = drawn.get(focused);
      if (before) before.tabIndex = -1;
      focused = node;
      box.tabIndex = 0;
      box.focus();
    };

    const zoom = (node) => {
      zoomed = node;
      if (node >= 0) focused = node;
      render();
    };

    const sibling = (node, step) => {
      const all = (data.parents[node] < 0 ? roots : below[data.parents[node]]).filter((it) =>
        drawn.has(it),
      );
      return all[all.indexOf(node) + step];
    };

    const find = () => {
      wanted = search.value.trim().toLowerCase();
      let found = 0;
      const pending = [...roots];
      while (pending.length) {
        const node = pending.pop();
        if (matches(node)) found += data.inclusive[node];
        else pending.push(...below[node]);
      }
      part("found").textContent = wanted
        ? `found in ${format(found, data.unit)} (${share(found)})`
        : "";
      render();
    };

    const nodeAt = (event) => {
      const box = event.target.closest("[data-node]");
      return box ? Number(box.dataset.node) : -1;
    };
    const tell = (event) => {
      const node = nodeAt(event);
      if (node >= 0) details.textContent = describe(node);
    };

    const moves = {
      ArrowUp: (node) => focus(data.parents[node]),
      ArrowDown: (node) => focus(below[node].find((it) => drawn.has(it))),
      ArrowLeft: (node) => focus(sibling(node, -1)),
      ArrowRight: (node) => focus(sibling(node, 1)),
      Home: () => focus(zoomed >= 0 ? zoomed : roots[0]),
      Enter: zoom,
      " ": zoom,
      Escape: () => zoom(zoomed >= 0 ? data.parents[zoomed] : -1),
      "/": () => search.focus(),
    };
    graph.addEventListener("keydown", (event) => {
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(focused);
    });
    graph.addEventListener("click", (event) => {
      const node = nodeAt(event);
      if (node >= 0) zoom(node);
    });
    graph.addEventListener("mouseover", tell);
    graph.addEventListener("focusin", (event) => {
      focused = nodeAt(event);
      tell(event);
    });
    search.addEventListener("input", find);
    part("reset").addEventListener("click", () => zoom(-1));
    new ResizeObserver(render).observe(section);
  };

  document.querySelectorAll(".flame").forEach(show);
})();
