// Keys that work on every page; `?` lists them.
const PAGES = { o: "/", m: "/map", f: "/findings" };

let isGoing = false;

function isTyping(target) {
  return target.matches("input, textarea, select, [contenteditable]");
}

function nextComment(step) {
  const notes = [...document.querySelectorAll("main .note[data-line]:not(.answer)")];
  if (!notes.length) { return; }
  const now = Number(location.hash.slice(2)) || 0;
  const lines = notes.map((it) => Number(it.dataset.line));
  const later = lines.filter((it) => (step > 0 ? it > now : it < now));
  const line = step > 0 ? Math.min(...later, Infinity) : Math.max(...later, -Infinity);
  location.hash = `L${Number.isFinite(line) ? line : lines[step > 0 ? 0 : lines.length - 1]}`;
}

/** Listen for keys. */
export function startKeys() {
  const dialog = document.getElementById("keys");
  document.getElementById("help").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) { return; }
    if (isGoing && PAGES[event.key]) { location.href = PAGES[event.key]; }
    isGoing = event.key === "g";
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search").select();
    } else if (event.key === "?") {
      dialog.showModal();
    } else if (event.key === "n" || event.key === "p") {
      nextComment(event.key === "n" ? 1 : -1);
    } else if (event.key === "c") {
      document.dispatchEvent(new CustomEvent("benchpin:comment"));
    }
  });
}
