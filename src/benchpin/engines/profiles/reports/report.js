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
