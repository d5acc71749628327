"""The frame of an HTML report: its style, and the script that sorts tables."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src {style_source}; script-src {script_source}; base-uri 'none'; form-action 'none'">
<title>Performance report {report_id}</title>
<style>{style}</style>
</head>
<body>
<h1>Performance report</h1>
{body}
<script>{script}</script>
</body>
</html>
"""

STYLE = """
:root { --ink: #1c1e21; --paper: #fff; --faint: #68707a; --line: #d9dde2; --shade: #f4f6f8;
  --p0: #b3261e; --p1: #9a5b00; --p2: #1f5fa8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #16181b; --faint: #9aa3ad; --line: #33383f; --shade: #1f2328;
    --p0: #ff8a80; --p1: #ffc06a; --p2: #8ab8f5; } }
body { color: var(--ink); background: var(--paper); margin: 2rem auto; padding: 0 1rem;
  max-width: 90rem; font: 15px/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2rem; }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.numbers { display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
.numbers dt { color: var(--faint); font-size: 13px; }
.numbers dd { margin: 0; font-size: 20px; font-variant-numeric: tabular-nums; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0;
  padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.P0 > summary b { color: var(--p0); }
.P1 > summary b { color: var(--p1); }
.P2 > summary b { color: var(--p2); }
.wide { overflow-x: auto; }
.wide table { border-collapse: collapse; width: 100%; }
.wide th, .wide td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
.wide td:first-child { min-width: 28rem; }
.wide td code { display: block; max-height: 6.5rem; overflow: auto; }
.wide th { background: var(--shade); white-space: nowrap; }
.wide .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--p2); }
th[aria-sort=ascending] button::after { content: " ↑"; }
th[aria-sort=descending] button::after { content: " ↓"; }
"""

SCRIPT = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), row = head.parentElement;
    const body = head.closest("table").tBodies[0];
    const column = [...row.children].indexOf(head), numeric = head.classList.contains("n");
    const order = head.getAttribute("aria-sort");
    const falls = order ? order === "ascending" : numeric;
    for (const other of row.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const value = (line) => {
      const cell = line.children[column];
      return numeric ? Number(cell.dataset.n ?? -Infinity) : cell.textContent;
    };
    const compare = (a, b) =>
      numeric ? value(a) - value(b) || 0 : value(a).localeCompare(value(b));
    const lines = [...body.rows].sort((a, b) => (falls ? compare(b, a) : compare(a, b)));
    body.append(...lines);
  });
}
"""
