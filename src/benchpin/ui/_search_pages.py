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
from benchpin.facts.languages import is_candidate
from benchpin.toolsets.navigation.find_symbol import SymbolReport
from benchpin.toolsets.workspace.search_files import SearchResults
from benchpin.workspace.walking import is_product_path

from ._pages import PageLinks
from ._site import Site

_MAX_HITS, _MAX_ALL_HITS = 12, 16
_MAX_MATCHES = 50
# Names and lines from which the best are chosen.
_MAX_NAMES = 500
_DOCUMENT = 2
# What has more words is a question; names and texts are shorter.
_MIN_QUESTION_WORDS = 3
_MAX_CHARS = 200


class Hit(NamedTuple):
    """A file or symbol whose name matches."""

    kind: str
    name: str
    place: str
    href: str


async def search_page(site: Site, request: Request) -> Response:
    """Return the symbols, files and lines that match, and the answer to a question."""
    query = _query(request)
    if not query:
        nothing = dict.fromkeys(("analyses", "files", "symbols", "lines"), ())
        blank = {"query": "", "answer": None, "is_question": False, "is_waiting": False}
        return site.page("search.html", "Search", {**blank, **nothing})
    is_question = len(query.split()) >= _MIN_QUESTION_WORDS or "ask" in request.query_params
    answer = None
    if is_question and site.is_enabled("explore"):
        answer = site.analyses.start("explore", question=query)
    symbols = await site.analyses.ask("find_symbol", symbol=query, limit=_MAX_MATCHES)
    names = await site.analyses.ask("search_files", **_by_name(query), max_results=_MAX_NAMES)
    lines = await site.analyses.ask(
        "search_files", pattern=re.escape(query), max_results=_MAX_NAMES
    )
    asked = [it for it in (answer, symbols, names, lines) if it is not None]
    found = cast("SearchResults", lines.result).matches if lines.result else ()
    values = {
        "query": query,
        "answer": answer,
        "is_question": is_question,
        "analyses": [it for it in asked if it.error is None],
        "files": _files(names.result, query)[:_MAX_MATCHES],
        "symbols": cast("SymbolReport", symbols.result).symbols if symbols.result else (),
        "lines": sorted(found, key=lambda it: _kind_of_file(it.path))[:_MAX_MATCHES],
        "is_waiting": not all(it.is_current for it in asked),
    }
    return site.page("search.html", "Search", values)


async def hits_fragment(site: Site, request: Request) -> Response:
    """Return what matches what was typed so far, for the list below the search field."""
    query = _query(request)
    hits: list[Hit] = []
    if query:
        names, symbols = await asyncio.gather(
            site.analyses.call("search_files", **_by_name(query), max_results=_MAX_NAMES),
            site.symbols.find(query, _MAX_HITS),
        )
        hits = [*_hits(site.links, _files(names, query), symbols, query)]
    return site.page("hits.html", "", {"hits": hits[:_MAX_ALL_HITS], "query": query})


def _hits(
    links: PageLinks, paths: Sequence[str], symbols: Sequence[Symbol], query: str
) -> Iterator[Hit]:
    """Yield symbols of exactly this name, code of this name, other symbols, other files."""
    exact = [it for it in symbols if query.lower() in {it.name.lower(), it.qualified.lower()}]
    named = [
        it for it in paths[:_MAX_HITS] if _is_named(it, query) and _kind_of_file(it) < _DOCUMENT
    ]
    others = [it for it in symbols if it not in exact]
    unnamed = [it for it in paths[:_MAX_HITS] if it not in named]
    ranked: list[Symbol | str] = [*exact, *named, *others, *unnamed]
    for found in ranked:
        if isinstance(found, str):
            folder, _, name = found.rpartition("/")
            yield Hit("file", name, folder, links.source(found))
        else:
            yield Hit(found.kind, found.qualified, found.file, links.symbol(found.id))


def _is_named(path: str, query: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return query.lower() in {name, name.partition(".")[0], path.lower()}


def _kind_of_file(path: str) -> int:
    """Return 0 for code of the product, 1 for other code, and more for documents and data."""
    if not is_candidate(path.rpartition("/")[2]):
        return _DOCUMENT
    return 0 if is_product_path(path) else 1


def _query(request: Request) -> str:
    return request.query_params.get("q", "").strip()[:_MAX_CHARS]


def _by_name(query: str) -> dict[str, str]:
    return {"pattern": re.escape(query), "search_type": "filename"}


def _files(found: Result | None, query: str) -> Sequence[str]:
    """Return the files with a name, code of the product first and documents last."""
    matches = cast("SearchResults", found).matches if found else ()
    paths = [it.path for it in matches if not it.path.endswith(SUFFIX)]
    return sorted(paths, key=lambda it: (_kind_of_file(it), not _is_named(it, query), len(it), it))
