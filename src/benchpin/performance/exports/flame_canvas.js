"use strict";

/** Draws calls on a canvas that stays in view while its box scrolls. */
class FlameCanvas {
  static ROW = 20;
  static #THINNEST = 0.35; // pixels
  static #COLOURS = ["saturation", "lightness", "ink", "line", "plain", "match", "focus", "dim"];

  constructor(box, canvas, spacer, data) {
    Object.assign(this, { box, canvas, spacer, data });
    this.context = canvas.getContext("2d");
    this.rows = [];
    this.matches = null;
    this.chosen = -1;
    this.focused = -1;
  }

  /** Read the colours of the page, which differ in dark and light. */
  readTheme() {
    const style = getComputedStyle(this.box);
    const value = (name) => style.getPropertyValue(`--flame-${name}`).trim();
    this.theme = Object.fromEntries(FlameCanvas.#COLOURS.map((name) => [name, value(name)]));
    this.ramps = { slower: value("slower").split(" "), faster: value("faster").split(" ") };
    this.font = `12px ${style.fontFamily}`;
    this.colours = new Map();
  }

  /** Choose what is drawn: `calls` below the zoomed call, and its callers above it. */
  place(calls, zoomed) {
    this.calls = calls;
    this.rows = [];
    const wide = this.box.clientWidth;
    const scale = wide / ((zoomed < 0 ? calls.wholeWidth : calls.width[zoomed]) || 1);
    const from = zoomed < 0 ? 0 : calls.left[zoomed];
    const { parents } = this.data;
    for (let node = zoomed < 0 ? -1 : parents[zoomed]; node >= 0; node = parents[node]) this.#put(node, 0, wide, true);
    const pending = zoomed < 0 ? [...calls.roots] : [zoomed];
    while (pending.length) {
      const node = pending.pop();
      const width = calls.width[node] * scale;
      if (width < FlameCanvas.#THINNEST) continue;
      this.#put(node, (calls.left[node] - from) * scale, width, false);
      for (const callee of calls.below[node]) {
        if (calls.width[callee] * scale < FlameCanvas.#THINNEST) break;
        pending.push(callee);
      }
    }
    for (const row of this.rows) row.sort((one, other) => one.x - other.x);
    const high = this.rows.length * FlameCanvas.ROW;
    this.spacer.style.height = `${high}px`;
    if (zoomed < 0) this.box.style.height = `min(var(--flame-height, 62vh), ${high + 2}px)`;
  }

  #put(node, x, width, isAbove) {
    const depth = this.calls.depth[node];
    while (this.rows.length <= depth) this.rows.push([]);
    this.rows[depth].push({ node, x, width, isAbove });
  }

  boxOf(node) {
    return node < 0 ? undefined : this.rows[this.calls.depth[node]]?.find((box) => box.node === node);
  }

  nodeAt(event) {
    const corner = this.canvas.getBoundingClientRect();
    const row = this.rows[Math.floor((event.clientY - corner.top + this.box.scrollTop) / FlameCanvas.ROW)] ?? [];
    const x = event.clientX - corner.left;
    return row.find((box) => x >= box.x && x < box.x + box.width)?.node ?? -1;
  }

  paint() {
    const { context, box, rows } = this;
    this.#fit();
    context.font = this.font;
    context.textBaseline = "middle";
    context.direction = "ltr";
    this.letter = context.measureText("abcdefghijklmnopqrstuvwxyzABCD").width / 30;
    const [top, bottom] = [box.scrollTop, box.scrollTop + box.clientHeight];
    const first = Math.floor(top / FlameCanvas.ROW);
    for (let row = first; row < rows.length && row * FlameCanvas.ROW < bottom; row += 1) {
      for (const drawn of rows[row]) this.#paintBox(drawn, row * FlameCanvas.ROW - top);
    }
    const current = document.activeElement === box && this.boxOf(this.focused);
    if (current) this.#outline(current, this.calls.depth[this.focused] * FlameCanvas.ROW - top, 2);
  }

  #fit() {
    const { context, box, canvas } = this;
    const sharp = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(box.clientWidth * sharp), Math.round(box.clientHeight * sharp)];
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.globalAlpha = 1;
    context.clearRect(0, 0, box.clientWidth, box.clientHeight);
  }

  #paintBox(drawn, y) {
    const { context, data, theme } = this;
    const { node, x, width, isAbove } = drawn;
    const name = data.functions[node];
    const isMatch = this.matches !== null && this.matches[name] === 1;
    context.globalAlpha = isAbove || (this.matches !== null && !isMatch) ? Number(theme.dim) : 1;
    context.fillStyle = isMatch && !data.before ? theme.match : this.#colourOf(node);
    context.fillRect(x, y, Math.max(width - 0.6, FlameCanvas.#THINNEST), FlameCanvas.ROW - 1);
    if (data.before && data.kinds[data.verdicts[node]] === "unclear") this.#hatch(drawn, y);
    if (data.before) this.#underline(drawn, y);
    if (width > 4 * this.letter) this.#write(data.names[name], drawn, y);
    if (name === this.chosen || (isMatch && data.before)) this.#outline(drawn, y, 1);
  }

  #write(name, { x, width }, y) {
    const fits = Math.floor((width - 8) / this.letter);
    const text = name.length > fits ? `${name.slice(0, Math.max(1, fits - 1))}…` : name;
    this.context.fillStyle = this.theme.ink;
    this.context.fillText(text, x + 4, y + FlameCanvas.ROW / 2, width - 6);
  }

  #outline({ x, width }, y, thick) {
    this.context.globalAlpha = 1;
    this.context.strokeStyle = this.theme.focus;
    this.context.lineWidth = thick;
    const high = FlameCanvas.ROW - 1 - thick;
    this.context.strokeRect(x + thick / 2, y + thick / 2, Math.max(width - thick, 0.5), high);
  }

  /** Mark a call whose callees changed beyond noise. */
  #underline({ node, x, width }, y) {
    const ramp = this.ramps[this.data.kinds[this.data.below[node]]];
    if (!ramp) return;
    this.context.fillStyle = ramp.at(-1);
    this.context.fillRect(x, y + FlameCanvas.ROW - 4, Math.max(width - 0.6, FlameCanvas.#THINNEST), 3);
  }

  #hatch({ x, width }, y) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, FlameCanvas.ROW - 1);
    context.clip();
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    context.beginPath();
    for (let stroke = x - FlameCanvas.ROW; stroke < x + width; stroke += 7) {
      context.moveTo(stroke, y + FlameCanvas.ROW);
      context.lineTo(stroke + FlameCanvas.ROW, y);
    }
    context.stroke();
    context.restore();
  }

  #colourOf(node) {
    const { data, theme, colours } = this;
    if (data.before) return this.#colourOfChange(node);
    const name = data.functions[node];
    if (!colours.has(name)) {
      colours.set(name, `hsl(${data.hues[name]} ${theme.saturation} ${theme.lightness})`);
    }
    return colours.get(name);
  }

  /** Red and blue, darker for larger changes; what chance explains is grey. */
  #colourOfChange(node) {
    const { data, theme, ramps } = this;
    const ramp = ramps[data.kinds[data.verdicts[node]]];
    if (!ramp) return theme.plain;
    const strength = Math.min(0.99, Math.abs(data.ratios[node]));
    return ramp[Math.floor(ramp.length * strength)];
  }
}
