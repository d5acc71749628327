// Keys that work on every page; `?` lists them.
const PAGES = { o: "/", m: "/map", f: "/findings", c: "/change" };

let isGoing = false;

function isTyping(target) {
  return target.matches("input, textarea, select, [contenteditable]");
}

const chosenLine = () => Number(location.hash.slice(2)) || 0;

/** Go to the next of some lines, or from the last one to the first. */
function nextOf(lines, step) {
  if (!lines.length) { return; }
  const now = chosenLine();
  const later = lines.filter((it) => (step > 0 ? it > now : it < now));
  const line = step > 0 ? Math.min(...later, Infinity) : Math.max(...later, -Infinity);
  location.hash = `L${Number.isFinite(line) ? line : lines[step > 0 ? 0 : lines.length - 1]}`;
}

const lines = (selector, of) => [...document.querySelectorAll(selector)].map(of)
  .filter(Boolean).sort((a, b) => a - b);
const withSomething = () => lines("main .note[data-line]:not(.answer), main td.f",
  (it) => Number(it.dataset.line ?? it.parentElement.id.slice(1)));
const functions = () => lines(".outline li > a[href^='#L']:first-child",
  (it) => Number(it.hash.slice(2)));

// What a key does on the page of a file.
const HERE = {
  n: () => nextOf(withSomething(), 1),
  p: () => nextOf(withSomething(), -1),
  "]": () => nextOf(functions(), 1),
  "[": () => nextOf(functions(), -1),
  j: () => { if (document.getElementById(`L${chosenLine() + 1}`)) { location.hash = `L${chosenLine() + 1}`; } },
  k: () => { if (document.getElementById(`L${chosenLine() - 1}`)) { location.hash = `L${chosenLine() - 1}`; } },
  h: () => document.querySelector("[data-history]")?.click(),
  u: () => document.querySelector("details.users > summary")?.click(),
  c: () => document.dispatchEvent(new CustomEvent("benchpin:comment")),
  Escape: () => document.dispatchEvent(new CustomEvent("benchpin:escape")),
};

/** Listen for keys. */
export function startKeys() {
  const dialog = document.getElementById("keys");
  document.getElementById("help").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) { return; }
    if (isGoing && PAGES[event.key]) { location.href = PAGES[event.key]; return; }
    isGoing = event.key === "g";
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search").select();
    } else if (event.key === "?") {
      dialog.showModal();
    } else if (document.querySelector("table.code")) {
      HERE[event.key]?.();
    }
  });
}
