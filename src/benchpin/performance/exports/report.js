// Opens what a link leads to, and follows a click on a point of a picture.
const reveal = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  const inside = target.querySelector("details");
  if (inside && target instanceof HTMLTableRowElement) inside.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("benchpin:open", (event) => {
  location.hash = event.detail.link;
});
reveal();
