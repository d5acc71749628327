// The folder that the map shows, as a table: the same numbers without a pointer.
import { meanOf, mostOf, plain } from "./tree.js";

const MOST = 100;

function cell(kind, text, isNumber) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (isNumber) { made.className = "n"; }
  return made;
}

function shown(node, measure) {
  const value = measure.kind === "name" ? mostOf(node, measure.values) : meanOf(node, measure.values);
  if (value === null || value === undefined) { return "–"; }
  if (typeof value !== "number") { return value; }
  return (node.file < 0 ? "⌀ " : "") + Math.round(value).toLocaleString("en");
}

function nameOf(node, treemap, isFile) {
  const made = document.createElement(isFile ? "span" : "button");
  made.textContent = plain(node.name) + (isFile ? "" : "/");
  if (!isFile) { made.addEventListener("click", () => treemap.open(node.path)); }
  return made;
}

function linkTo(node, page, label) {
  const link = document.createElement("a");
  link.href = `${page}?${new URLSearchParams({ path: node.path })}`;
  link.textContent = label;
  return link;
}

function row(node, treemap, pages) {
  const line = document.createElement("tr");
  const name = document.createElement("td");
  const isFile = node.file >= 0;
  name.append(isFile && pages ? linkTo(node, pages, plain(node.name)) : nameOf(node, treemap, isFile));
  const { measures } = treemap.data;
  line.append(name, cell("td", node.lines.toLocaleString("en"), true),
    ...measures.map((it) => cell("td", shown(node, it), it.kind !== "name")));
  return line;
}

function fillTable(table, treemap) {
  const { measures } = treemap.data;
  const head = document.createElement("tr");
  head.append(cell("th", "Name"), cell("th", "Lines", true),
    ...measures.map((it) => cell("th", it.title, it.kind !== "name")));
  for (const it of head.children) { it.scope = "col"; }
  table.tHead.replaceChildren(head);
  const nodes = treemap.node.children.slice(0, MOST);
  table.tBodies[0].replaceChildren(...nodes.map((it) => row(it, treemap, table.dataset.pages)));
}

/** Show what is in the folder of the treemap, now and when it changes. */
export function showContents() {
  const table = document.querySelector("[data-contents]");
  const element = document.querySelector("[data-treemap]");
  if (!table || !element?.treemap) { return; }
  fillTable(table, element.treemap);
  element.addEventListener("benchpin:treemap", (event) => {
    fillTable(table, element.treemap);
    if (!table.dataset.pages) { return; }
    const { path, measure } = event.detail;
    history.replaceState(null, "", `/map?${new URLSearchParams({ path, measure })}`);
  });
}
