// The page of a file: comments below their lines, colours, who uses it, and what a name is.
import { highlight } from "./highlight.js";

const PAUSE_MS = 250;
const AGAIN_MS = 700;

function compose(line) {
  const form = document.getElementById("compose");
  const row = document.getElementById(`L${line}`);
  if (!form || !row) { return; }
  const own = document.createElement("tr");
  own.className = "noted composing";
  const cell = own.insertCell();
  cell.colSpan = 4;
  document.querySelector("tr.composing")?.replaceWith(); // the form moves on from it
  cell.append(form);
  row.after(own);
  form.hidden = false;
  form.elements.line.value = line;
  form.querySelector("textarea").focus({ preventScroll: true });
}

function hide(form) {
  document.querySelector("main").append(form);
  document.querySelector("tr.composing")?.remove();
  form.hidden = true;
}

function chosenLine() {
  return /^#L\d+$/.test(location.hash) ? location.hash.slice(2) : "";
}

async function part(address) {
  const answer = await fetch(address);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return answer.status === 200 ? page.body : null;
}

async function load(details) {
  const found = await part(details.dataset.load);
  if (found) { details.querySelector("[data-loaded]").replaceChildren(...found.childNodes); }
}

function loadOnOpening(details) {
  details.addEventListener("toggle", () => { if (details.open) { load(details); } });
  document.addEventListener("benchpin:ready", () => {
    if (details.isConnected && details.open && details.querySelector(".working")) { load(details); }
  });
  if (details.open) { load(details); }
}

/** The card about the name that the pointer or the focus is on; one for the page. */
function card() {
  const made = document.getElementById("card") ?? document.createElement("aside");
  made.id = "card";
  made.setAttribute("role", "status");
  return made;
}

let asked = null;

async function showCard(link) {
  const { pathname, searchParams, hash } = new URL(link.href);
  const path = searchParams.get("path");
  if (pathname !== "/source" || !/^#L\d+$/.test(hash)) { return; }
  const about = new URLSearchParams({ path, line: hash.slice(2), name: link.textContent });
  const found = await part(`/card?${about}`);
  if (asked !== link || !found) { return; }
  const box = card();
  box.replaceChildren(...found.childNodes);
  const cell = (link.closest(".reader .text") ?? link.closest(".body")).getBoundingClientRect();
  const at = link.getBoundingClientRect();
  const main = document.querySelector("main");
  main.append(box);
  box.style.top = `${at.bottom + scrollY + 4}px`;
  box.style.left = `${Math.max(8, Math.min(at.left, cell.right - box.offsetWidth))}px`;
  if (box.querySelector("[data-waiting]")) { // the uses are still being counted
    setTimeout(() => { if (asked === link) { showCard(link); } }, AGAIN_MS);
  }
}

function hideCard() {
  asked = null;
  document.getElementById("card")?.remove();
}

function watchNames(code) {
  const over = (event) => {
    const link = event.target.closest(".c a");
    if (!link || link === asked) { return; }
    hideCard();
    asked = link;
    setTimeout(() => { if (asked === link) { showCard(link); } }, PAUSE_MS);
  };
  const out = (event) => {
    if (event.relatedTarget?.closest?.("#card, .c a")) { return; }
    const left = asked;
    setTimeout(() => {
      if (asked === left && !document.querySelector("#card:hover, #card:focus-within")) { hideCard(); }
    }, PAUSE_MS);
  };
  code.addEventListener("pointerover", over);
  code.addEventListener("focusin", over);
  code.addEventListener("pointerout", out);
}

/** The line at the top of the window; asking each row where it is would lay out all of them. */
function topLine() {
  const { left, top, bottom } = document.querySelector(".lines").getBoundingClientRect();
  const y = Math.max(top + 1, Math.min(120, bottom - 1));
  return Number(document.elementFromPoint(left + 4, y)?.closest("tr[id]")?.id.slice(1)) || 0;
}

/** Mark the function that the first visible line is in. */
function follow() {
  const links = [...document.querySelectorAll(".outline li > a[href^='#L']:first-child")];
  const line = links.length ? topLine() : 0;
  const here = links.findLast((it) => Number(it.hash.slice(2)) <= line);
  for (const it of links) {
    if (it === here) { it.setAttribute("aria-current", "true"); } else { it.removeAttribute("aria-current"); }
  }
}

/** Bring the page of a file to life; does nothing on other pages. */
export function enhance() {
  document.querySelectorAll("[data-load]").forEach(loadOnOpening);
  for (const code of document.querySelectorAll(".lines, pre[data-language]")) {
    highlight(code);
    watchNames(code);
  }
  const form = document.getElementById("compose");
  if (form) {
    const cancel = form.querySelector("[data-cancel]");
    cancel.hidden = false;
    cancel.addEventListener("click", () => hide(form));
    form.hidden = true;
  }
  document.querySelector(".lines")?.addEventListener("click", (event) => {
    if (event.target.closest("td.n a")) { setTimeout(() => compose(chosenLine())); }
  });
  markChosen();
  follow();
}

/** Mark the chosen line: `:target` is lost when the page is brought up to date in place. */
function markChosen() {
  document.querySelector("tr.chosen")?.classList.remove("chosen");
  const line = chosenLine();
  if (line) { document.getElementById(`L${line}`)?.classList.add("chosen"); }
}

let pending = 0;
addEventListener("hashchange", markChosen);
addEventListener("scroll", () => {
  clearTimeout(pending);
  pending = setTimeout(follow, 100);
}, { passive: true });
document.addEventListener("benchpin:comment", () => compose(chosenLine()));
document.addEventListener("benchpin:escape", hideCard);
