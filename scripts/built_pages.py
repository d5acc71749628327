"""What is wrong with a built site: links that lead nowhere, and files loaded from elsewhere."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches without a click."""
_NOT_FETCHED = frozenset({"canonical", "next", "prev"})
_FROM_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]*""")


class _Page(HTMLParser):
    """The addresses and anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element names, links to or loads."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[it] for it in ("id", "name") if it in given)
        address = given.get(_LOADED.get(tag, ""))
        if address and given.get("rel") not in _NOT_FETCHED:
            self.loaded.append(address)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])


@cache
def _read(place: Path) -> _Page:
    page = _Page()
    page.feed(place.read_text(encoding="utf-8"))
    return page


def problems_of(site: Path) -> list[str]:
    """Return what is wrong with a site, one line each."""
    if not (site / "index.html").is_file():
        return [f"{site} has no index.html"]
    found = [
        f"{place.relative_to(site)}: {problem}"
        for place in sorted(site.rglob("*.html"))
        for problem in _of_page(place, site)
    ]
    for place in sorted(site.rglob("*.css")):
        foreign = _FROM_STYLE.findall(place.read_text(encoding="utf-8"))
        found += [f"{place.relative_to(site)}: loads {it}" for it in foreign]
    return found


def _of_page(place: Path, site: Path) -> Iterator[str]:
    page = _read(place)
    for address in page.loaded:
        if urlsplit(address).netloc:
            yield f"loads {address}"
    for address in (*page.links, *page.loaded):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path)
        base = site if path.startswith("/") else place.parent  # 404.html begins at the root
        target = (base / path.lstrip("/")).resolve() if path else place
        if target.is_dir():
            target /= "index.html"
        if not target.is_file() or not target.is_relative_to(site):
            yield f"{address} leads nowhere"
        elif parts.fragment and target.suffix == ".html":
            anchor = unquote(parts.fragment)
            if anchor not in _read(target).anchors and not anchor.startswith("__"):
                yield f"{address} has no such anchor"
