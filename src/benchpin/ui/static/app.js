// What all pages do: search, keys, live updates, pictures. Each page shows its text without it.
import { startSearch } from "./search.js";
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { enhance } from "./source.js";
import { startTreemaps } from "./treemap.js";
import { showContents } from "./contents.js";
import { drawAll, sortTables } from "./page.js"; // of core; it has drawn this page already

startSearch();
startKeys();
startLive(() => { sortTables(); drawAll(); fill(); });
fill();
document.documentElement.dataset.ready = ""; // keys and search work from now on

async function fill() {
  enhance();
  await startTreemaps(() => fetch("/landscape.json").then((it) => it.json()));
  showContents();
}

// A mark of a picture leads to the page of its file, as links in tables do.
document.addEventListener("benchpin:open", (event) => {
  const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(event.detail.link);
  location.href = `/source?${new URLSearchParams({ path })}${line ? `#L${line}` : ""}`;
});
