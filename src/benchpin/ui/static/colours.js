// Colours of a measure: from good to bad, from few to many, or one for each name. All of them can
// be told apart by people with any kind of colour blindness.
const GOOD = [43, 106, 153];
const MIDDLE = [222, 219, 206];
const BAD = [201, 82, 20];
const COUNTS = { light: [[226, 229, 232], [180, 68, 16]], dark: [[58, 64, 72], [232, 120, 60]] };
const NAMES = ["#2b6a99", "#c9872b", "#1f8a6b", "#b8719b", "#6fb0dc", "#c95214", "#a79c2a"];
const OTHERS = "#9aa1a9";
/** The colour of what has no value: it is hatched, not filled. */
export const UNKNOWN = "unknown";

const mix = (from, to, share) => from.map((it, at) => it + (to[at] - it) * share);
const css = (colour) => `rgb(${colour.map(Math.round).join(" ")})`;
const isLight = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b > 150;

function scaled(measure, share) {
  if (measure.kind === "count") {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    return mix(...COUNTS[isDark ? "dark" : "light"], share);
  }
  return share < .5 ? mix(BAD, MIDDLE, share * 2) : mix(MIDDLE, GOOD, share * 2 - 1);
}

/** Return the limits of a measure: given ones, or all but the highest twentieth of its values. */
function limits(measure) {
  if (measure.limits) { return measure.limits; }
  const known = measure.values.filter((it) => it !== null && it !== undefined);
  const sorted = Float64Array.from(known).sort();
  return [0, sorted[Math.floor(sorted.length * .95)] || 1];
}

function namesOf(measure, data) {
  const sizes = new Map();
  measure.values.forEach((it, at) => {
    if (it) { sizes.set(it, (sizes.get(it) ?? 0) + data.lines[at]); }
  });
  const first = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, NAMES.length);
  return new Map(first.map(([name], at) => [name, NAMES[at]]));
}

/** Return `of(value)`, the colour of a value, and `ink(value)`, that of text on it. */
export function colourOf(measure, data) {
  if (measure.kind === "name") {
    const known = namesOf(measure, data);
    const of = (value) => (value ? known.get(value) ?? OTHERS : UNKNOWN);
    return { of, ink: (value) => (value ? "#fff" : "") };
  }
  const [low, high] = limits(measure);
  const share = (value) => {
    const part = Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
    return measure.isBadHigh && measure.kind !== "count" ? 1 - part : part;
  };
  // A hundred shades, made once: ten thousand boxes are drawn with them.
  const shades = [...Array(101).keys()].map((it) => scaled(measure, it / 100));
  const names = shades.map(css);
  const inks = shades.map((it) => (isLight(it) ? "#1c1e21" : "#fff"));
  const isUnknown = (value) => value === null || value === undefined;
  return {
    of: (value) => (isUnknown(value) ? UNKNOWN : names[Math.round(share(value) * 100)]),
    ink: (value) => (isUnknown(value) ? "" : inks[Math.round(share(value) * 100)]),
  };
}

function swatch(colour, text) {
  const item = document.createElement("span");
  const square = document.createElement("i");
  if (colour === UNKNOWN) { square.className = "hatched"; } else { square.style.background = colour; }
  item.append(square, text);
  return item;
}

/** Show what the colours of a measure mean. */
export function legend(target, measure, data) {
  if (!target) { return; }
  const title = document.createElement("b");
  title.textContent = measure.title;
  if (measure.kind === "name") {
    const known = [...namesOf(measure, data)].map(([name, colour]) => swatch(colour, name));
    target.replaceChildren(title, ...known, swatch(OTHERS, "others"));
    return;
  }
  const [low, high] = limits(measure);
  const colour = colourOf(measure, data);
  const steps = [0, .25, .5, .75, 1].map((it) => low + (high - low) * it);
  const round = (value) => value.toLocaleString("en", { maximumFractionDigits: high <= 2 ? 2 : 0 });
  target.replaceChildren(title, ...steps.map((it) => swatch(colour.of(it), round(it))));
  if (measure.values.some((it) => it === null || it === undefined)) {
    target.append(swatch(UNKNOWN, "not known"));
  }
}
