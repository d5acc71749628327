// A report in one file: the treemap from the data beside it, and its folders as a table.
import { startTreemaps } from "./treemap.js";
import { showContents } from "./contents.js";

startTreemaps((element) => JSON.parse(element.querySelector("script").textContent))
  .then(() => showContents());
