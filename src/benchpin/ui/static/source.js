// The page of a file: comments beside their lines, colours, who uses it.
import { highlight } from "./highlight.js";

const GAP = 8;

function place() {
  const margin = document.querySelector(".margin");
  if (!margin) { return; }
  const isBeside = getComputedStyle(margin).order !== "-1";
  let bottom = 0;
  const top = margin.getBoundingClientRect().top;
  for (const note of margin.querySelectorAll(":scope > .note")) {
    const row = document.getElementById(`L${note.dataset.line}`);
    const isPlaced = isBeside && row;
    note.style.position = isPlaced ? "absolute" : "";
    note.style.width = isPlaced ? "100%" : "";
    if (!isPlaced) { note.style.top = ""; continue; }
    const wanted = row.getBoundingClientRect().top - top;
    const at = Math.max(wanted, bottom);
    note.style.top = `${at}px`;
    bottom = at + note.offsetHeight + GAP;
  }
  margin.style.minHeight = `${bottom}px`;
}

function compose(line) {
  const template = document.getElementById("compose");
  const margin = document.querySelector(".margin");
  if (!template || !line) { return; }
  margin.querySelector(".compose")?.remove();
  const form = template.content.firstElementChild.cloneNode(true);
  form.dataset.line = line;
  form.elements.line.value = line;
  form.querySelector("output").textContent = line;
  const later = [...margin.querySelectorAll(":scope > .note")].find((it) => it.dataset.line > line);
  margin.insertBefore(form, later ?? null);
  form.querySelector("[data-cancel]").addEventListener("click", () => { form.remove(); place(); });
  place();
  form.querySelector("textarea").focus({ preventScroll: true });
}

function chosenLine() {
  return /^#L\d+$/.test(location.hash) ? location.hash.slice(2) : "";
}

async function load(details) {
  const target = details.querySelector("[data-loaded]");
  const answer = await fetch(details.dataset.load);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  target.replaceChildren(...page.body.childNodes);
}

function loadOnOpening(details) {
  details.addEventListener("toggle", () => { if (details.open) { load(details); } });
  document.addEventListener("benchpin:ready", () => {
    if (details.isConnected && details.open && details.querySelector(".working")) { load(details); }
  });
  if (details.open) { load(details); }
}

/** Bring the page of a file to life; does nothing on other pages. */
export function enhance() {
  document.querySelectorAll("[data-load]").forEach(loadOnOpening);
  for (const code of document.querySelectorAll(".code[data-language], pre[data-language]")) {
    highlight(code);
  }
  const table = document.querySelector("table.code");
  if (!table) { return; }
  table.addEventListener("click", (event) => {
    const link = event.target.closest("td.n a");
    if (link) { setTimeout(() => compose(chosenLine())); }
  });
  for (const note of document.querySelectorAll(".margin details")) {
    note.addEventListener("toggle", place);
  }
  place();
}

addEventListener("resize", place);
document.addEventListener("benchpin:comment", () => compose(chosenLine()));
