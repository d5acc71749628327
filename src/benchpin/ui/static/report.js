// A report in one file: the treemap from the data beside it, and its folders as a table.
import { startTreemaps } from "./treemap.js";
import { showContents } from "./contents.js";

startTreemaps((element) => JSON.parse(element.querySelector("script").textContent))
  .then(() => showContents());

/** A link to a list opens it: lists are folded. */
function openChosen() {
  const chosen = location.hash && document.getElementById(location.hash.slice(1));
  if (chosen && chosen.tagName === "DETAILS") { chosen.open = true; chosen.scrollIntoView(); }
}
addEventListener("hashchange", openChosen);
addEventListener("beforeprint", () => {
  for (const it of document.querySelectorAll("details.list")) { it.open = true; }
});
openChosen();
