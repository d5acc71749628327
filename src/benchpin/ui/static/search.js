// The search field: matches while you type, arrows to choose, Enter to open.
const PAUSE_MS = 120;

let asked = 0;

function close(field, hits) {
  hits.hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

async function look(field, hits) {
  const number = ++asked;
  const text = field.value.trim();
  if (!text) { close(field, hits); return; }
  const answer = await fetch(`/hits?${new URLSearchParams({ q: text })}`);
  if (number !== asked || !answer.ok) { return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  hits.replaceChildren(...page.body.children);
  hits.hidden = false;
  field.setAttribute("aria-expanded", "true");
}

function move(field, hits, step) {
  const options = [...hits.querySelectorAll("[role=option]")];
  if (!options.length) { return; }
  const at = options.findIndex((it) => it.getAttribute("aria-selected") === "true");
  const next = options[(at + step + options.length) % options.length] ?? options[0];
  options.forEach((it) => it.setAttribute("aria-selected", String(it === next)));
  field.setAttribute("aria-activedescendant", next.id);
  next.scrollIntoView({ block: "nearest" });
}

/** Make the search field of the page live. */
export function startSearch() {
  const field = document.getElementById("search");
  const hits = document.getElementById("hits");
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(field, hits), PAUSE_MS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(field, hits, event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      close(field, hits);
      field.blur();
    } else if (event.key === "Enter") {
      const chosen = hits.querySelector("[aria-selected=true]");
      if (chosen && !hits.hidden) { event.preventDefault(); chosen.click(); }
    }
  });
  // Symbols may come later than files: the first search reads all of them.
  document.addEventListener("benchpin:ready", () => { if (!hits.hidden) { look(field, hits); } });
  field.addEventListener("blur", () => setTimeout(() => close(field, hits), 200));
}
