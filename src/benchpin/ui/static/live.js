// Live pages: a changed file or a finished analysis brings the page up to date in place.
const PAUSE_MS = 250;

let pending = 0;

/** Tell the user something in the corner; an empty text takes it away. */
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.hidden = !text;
}

function isBusy() {
  const active = document.activeElement;
  return active?.matches("main textarea, main input, main select")
    || document.querySelector("main tr.composing");
}

/** Where the focus is: the nearest element with an id, and the way down from it by child numbers. */
function focusedPlace() {
  const way = [];
  let element = document.activeElement;
  if (!element?.closest("main")) { return null; }
  for (; !element.id && element.tagName !== "MAIN"; element = element.parentElement) {
    way.unshift([...element.parentElement.children].indexOf(element));
  }
  return { id: element.id, way };
}

function focusAgain(place) {
  if (!place) { return; }
  const start = document.getElementById(place.id) ?? document.querySelector("main");
  const element = place.way.reduce((above, number) => above?.children[number], start);
  element?.focus({ preventScroll: true });
}

async function refresh(after) {
  if (isBusy()) {
    say("Files changed. This page is brought up to date when you are done here.");
    schedule(after, 2000);
    return;
  }
  let answer;
  try {
    answer = await fetch(location.href, { headers: { accept: "text/html" } });
  } catch {
    say("Benchpin does not answer: it was ended.");
    return;
  }
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = next.querySelector("main");
  if (!main) { return; }
  if (main.querySelector(".flame")) { // its script runs when a page is loaded
    location.reload();
    return;
  }
  const open = [...document.querySelectorAll("main details[open]")].map((it) => it.dataset.load);
  const focused = focusedPlace(); // a person on the keyboard goes on from the same link
  document.querySelector("main").replaceWith(document.adoptNode(main));
  document.title = next.title;
  for (const details of document.querySelectorAll("main details[data-load]")) {
    details.open = open.includes(details.dataset.load);
  }
  say("");
  after();
  focusAgain(focused);
}

function schedule(after, pause = PAUSE_MS) {
  clearTimeout(pending);
  pending = setTimeout(() => refresh(after), pause);
}

function showProgress(event) {
  const { title, done, total, message } = JSON.parse(event.data);
  for (const bar of document.querySelectorAll("progress[data-progress]")) {
    if (bar.dataset.progress !== title) { continue; }
    if (total) { bar.max = total; bar.value = done; } else { bar.removeAttribute("value"); }
    const count = total ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")} ` : "";
    bar.closest(".working").querySelector("[data-message]").textContent = `${count}${message}`;
  }
}

/** Follow the events of the server; `after` is called when the page has new content. */
export function startLive(after) {
  const events = new EventSource("/events");
  events.addEventListener("progress", showProgress);
  events.addEventListener("changed", () => schedule(after));
  events.addEventListener("ready", () => {
    if (document.querySelector("[data-waiting]")) { schedule(after); }
    document.dispatchEvent(new CustomEvent("benchpin:ready"));
  });
  let isLost = false;
  events.addEventListener("error", () => { isLost = true; });
  events.addEventListener("open", () => {
    // Events may have been missed: before the stream was open, or while it was lost.
    if (isLost || document.querySelector("[data-waiting]")) { schedule(after); }
    isLost = false;
  });
}
