// Sorts tables by a click on a heading, and draws the pictures of a page.
const themes = "THEMES";

export function sortTables(root = document) {
  for (const button of root.querySelectorAll("th button")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }
}

function sortBy(head) {
  const row = head.parentElement, body = head.closest("table").tBodies[0];
  const column = [...row.children].indexOf(head), isNumber = head.classList.contains("n");
  const order = head.getAttribute("aria-sort");
  const falls = order ? order === "ascending" : isNumber;
  for (const other of row.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falls ? "descending" : "ascending");
  const value = (line) => {
    const cell = line.children[column];
    return isNumber ? Number(cell.dataset.n ?? -Infinity) : cell.textContent;
  };
  const compare = (a, b) => (isNumber ? value(a) - value(b) || 0 : value(a).localeCompare(value(b)));
  body.append(...[...body.rows].sort((a, b) => (falls ? compare(b, a) : compare(a, b))));
}

// Styles come from our own files: a policy of a server may allow no others.
const STYLED = { defaultStyle: false, tooltip: { disableDefaultStyle: true } };

// Draws one picture: `order` is what Drawn.to_fields returns.
export async function draw(target, order, isDark) {
  const spec = { ...order.spec, width: Math.max(target.clientWidth, 280) };
  if (Array.isArray(spec.data)) {
    spec.data = [{ ...spec.data[0], values: order.rows }, ...spec.data.slice(1)];
  } else {
    spec.datasets = { rows: order.rows };
  }
  if (spec.height?.step) { // as a number: Vega-Lite warns on the console about steps that it fits
    const { field } = (spec.encoding ?? spec.layer[0].encoding).y;
    spec.height = spec.height.step * Math.max(new Set(order.rows.map((it) => it[field])).size, 1);
  }
  const config = isDark ? themes.dark : themes.light;
  // ast: Vega's own interpreter of expressions, so that the policy needs no unsafe-eval.
  const { view } = await window.vegaEmbed(target, spec,
    { ast: true, actions: false, renderer: "svg", config, logLevel: 1, ...STYLED });
  // The frame says what one sees; the marks inside would be read out one by one, without a name.
  target.querySelector("svg")?.setAttribute("aria-hidden", "true");
  view.addEventListener("click", (_event, item) => {
    if (order.link && item?.datum?.[order.link]) {
      const detail = { ...item.datum, link: item.datum[order.link] };
      target.dispatchEvent(new CustomEvent("benchpin:open", { bubbles: true, detail }));
    }
  });
  return view;
}

export function drawAll(root = document) {
  if (!window.vegaEmbed) return;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  for (const figure of root.querySelectorAll("figure.picture")) {
    const target = figure.querySelector(".drawing"), source = figure.querySelector("script");
    if (!target || !source) continue;
    const order = JSON.parse(source.textContent);
    let width = 0, view;
    const redraw = async () => {
      width = target.clientWidth;
      view?.finalize();
      view = await draw(target, order, dark.matches);
    };
    dark.addEventListener("change", redraw);
    // Again when the width changes, once it has stopped changing.
    let waiting;
    new ResizeObserver(() => {
      if (!target.clientWidth || target.clientWidth === width) return;
      clearTimeout(waiting);
      waiting = setTimeout(redraw, width ? 150 : 0);
    }).observe(target);
  }
}

sortTables();
drawAll();
