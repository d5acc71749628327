"""Search: matches while a user types, and a page with everything that matches."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from starlette.requests import Request  # noqa: TID253 - imported only to serve pages
from starlette.responses import Response  # noqa: TID253 - likewise

from benchpin.code.names import Symbol
from benchpin.comments import SUFFIX
from benchpin.core.results import Result
from benchpin.toolsets.navigation.find_symbol import SymbolReport
from benchpin.toolsets.workspace.search_files import SearchResults

from ._pages import PageLinks
from ._site import Site

_MAX_HITS = 12
_MAX_MATCHES = 50
_MAX_CHARS = 200


class Hit(NamedTuple):
    """A file or symbol whose name matches."""

    kind: str
    name: str
    place: str
    href: str


async def search_page(site: Site, request: Request) -> Response:
    """Return the files, symbols and lines that match."""
    query = _query(request)
    if not query:
        nothing = dict.fromkeys(("analyses", "files", "symbols", "lines"), ())
        return site.page("search.html", "Search", {"query": "", "is_waiting": False, **nothing})
    symbols = await site.analyses.ask("find_symbol", symbol=query, limit=_MAX_MATCHES)
    names = await site.analyses.ask("search_files", **_by_name(query), max_results=_MAX_MATCHES)
    lines = await site.analyses.ask(
        "search_files", pattern=re.escape(query), max_results=_MAX_MATCHES
    )
    values = {
        "query": query,
        "analyses": [it for it in (symbols, names, lines) if it.error is None],
        "files": _paths(names.result),
        "symbols": cast("SymbolReport", symbols.result).symbols if symbols.result else (),
        "lines": cast("SearchResults", lines.result).matches if lines.result else (),
        "is_waiting": not (symbols.is_current and names.is_current and lines.is_current),
    }
    return site.page("search.html", "Search", values)


async def hits_fragment(site: Site, request: Request) -> Response:
    """Return what matches what was typed so far, for the list below the search field."""
    query = _query(request)
    hits: list[Hit] = []
    if query:
        names, symbols = await asyncio.gather(
            site.analyses.call("search_files", **_by_name(query), max_results=_MAX_HITS),
            site.symbols.find(query, _MAX_HITS),
        )
        hits = [*_hits(site.links, _paths(names), symbols)]
    return site.page("hits.html", "", {"hits": hits})


def _hits(links: PageLinks, paths: Sequence[str], symbols: Sequence[Symbol]) -> Iterator[Hit]:
    for path in paths:
        folder, _, name = path.rpartition("/")
        yield Hit("file", name, folder, links.source(path))
    for symbol in symbols:
        yield Hit(symbol.kind, symbol.qualified, symbol.file, links.symbol(symbol.id))


def _query(request: Request) -> str:
    return request.query_params.get("q", "").strip()[:_MAX_CHARS]


def _by_name(query: str) -> dict[str, str]:
    return {"pattern": re.escape(query), "search_type": "filename"}


def _paths(found: Result | None) -> Sequence[str]:
    matches = cast("SearchResults", found).matches if found else ()
    return [it.path for it in matches if not it.path.endswith(SUFFIX)]
