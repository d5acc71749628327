"""The pages of a file and of a symbol, and the comments on a file."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from starlette.requests import Request  # noqa: TID253 - imported only to serve pages
from starlette.responses import RedirectResponse, Response  # noqa: TID253 - likewise

from benchpin.code import CodeIndex, SourceText, describe, find_symbols
from benchpin.code.names import Symbol
from benchpin.comments import PlacedComment
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.measures.complexity import FileOutline, OutlineSymbol, Thresholds
from benchpin.toolsets.analysis.outline_file import OutlineReport
from benchpin.toolsets.comments.get_file_comments import FileComments
from benchpin.toolsets.navigation.find_symbol import SymbolReport
from benchpin.toolsets.workspace.read_file import FileContent

from ._analyses import PATIENCE_S
from ._site import Site
from ._source_text import Links, ShownLines, lines_of, markup, name_links, rows_of

_THRESHOLDS = Thresholds()
TAGS = ("NOTE", "QUESTION", "TODO", "FIXME", "STAR")
_MAX_CALLS = 40
_MAX_COMMENTS = 500
_MAX_COMMITS = 1_000
_MAX_USERS = 100
# These have uses, and no callers.
_NOT_CALLED = frozenset({"variable", "field", "constant"})
# No file has a line number with more.
_MAX_DIGITS = 8
_FORM_BYTES = 100_000


def level_of(symbol: OutlineSymbol) -> str:
    """Return how hard a function is to follow: bad from twice a threshold on, fair over one."""
    cyclomatic, cognitive = symbol.cyclomatic or 0, symbol.cognitive or 0
    ratio = max(
        cyclomatic / _THRESHOLDS.cyclomatic,
        cognitive / _THRESHOLDS.cognitive,
    )
    return "bad" if ratio >= 2 else "fair" if ratio > 1 else ""  # noqa: PLR2004 - twice


def threads(
    comments: Sequence[PlacedComment],
) -> tuple[list[PlacedComment], dict[str, list[PlacedComment]]]:
    """Return the comments by line, the open ones first, and the answers to each."""
    known = {it.id for it in comments}
    answers = defaultdict[str, list[PlacedComment]](list)
    for comment in comments:
        if comment.reply_to in known:
            answers[_first(comment, {one.id: one for one in comments}).id].append(comment)
    heads = [it for it in comments if it.reply_to not in known]
    return sorted(heads, key=lambda it: (it.line, it.status != "open", it.id)), answers


def _first(comment: PlacedComment, by_id: dict[str, PlacedComment]) -> PlacedComment:
    """Return the comment that a chain of answers begins with."""
    seen = {comment.id}
    while comment.reply_to in by_id and comment.reply_to not in seen:
        comment = by_id[comment.reply_to]
        seen.add(comment.id)
    return comment


async def source_page(site: Site, request: Request) -> Response:
    """Return the page of a file: its text, what is known of it, its comments; of a folder, its map.

    What takes long comes later: the page is brought up to date when it is there.
    """
    bench = site.workbench.bench
    path = str(bench.found(request.query_params.get("path", "")))
    if (bench.workspace.root / path).is_dir():
        return RedirectResponse(site.links.folder(path), 303)
    first = _number(request.query_params.get("start", "")) or 1
    file = cast("FileContent", await site.analyses.call("read_file", path=path, start_line=first))
    first = file.start_line or 1
    lines = lines_of(file.content)
    links, is_linked = await _links(site, ShownLines(path, first, lines))
    marks, is_looking = await site.marks.of(path, site.compared)
    history = await _history(site, path) if request.query_params.get("history") else None
    comments, answers = threads(await _comments(site, path))
    near = range(first, first + len(lines))
    code = [markup(it, links.get(at, ())) for at, it in enumerate(lines, start=first)]
    noted = _by_line(it for it in comments if it.line in near)
    commits = None if history is None else history.commits
    values = {
        "path": path,
        "file": file,
        "rows": rows_of(code, first, marks.keys() | noted.keys(), commits),
        "first": first,
        "end": first + len(lines),
        "more": file.next_start_line,
        "outline": await _outline(site, path),
        "level": level_of,
        "marks": marks,
        "history": history,
        "elsewhere": [it for it in comments if it.line not in near],
        "comments": noted,
        "answers": answers,
        "may_comment": site.is_enabled("add_comment"),
        "tags": TAGS,
        "is_waiting": is_looking or not is_linked or (history is not None and history.is_waiting),
    }
    return site.page("source.html", path, values)


def _by_line(comments: Iterable[PlacedComment]) -> Mapping[int, Sequence[PlacedComment]]:
    found = defaultdict[int, list[PlacedComment]](list)
    for comment in comments:
        found[comment.line].append(comment)
    return found


async def _links(site: Site, page: ShownLines) -> tuple[Links, bool]:
    """Return where the names in some lines lead, and whether that is known by now."""
    index = await site.symbols.index(PATIENCE_S / 4)
    if index is None:
        return {}, site.symbols.is_current
    known = site.name_links.get(index, page)
    if known is None:
        text = SourceText(site.workbench.bench.workspace.root)
        found = await site.analyses.aside(partial(name_links, index, site.links, page, text))
        known = site.name_links.put(index, page, found)
    return known, True


class LineHistory(NamedTuple):
    """The commit that each line is from, at the first of the lines that one commit left."""

    commits: Mapping[int, Any]
    error: BenchpinError | None
    is_waiting: bool


async def _history(site: Site, path: str) -> LineHistory:
    found = await site.analyses.ask("show_history", path=path, limit=_MAX_COMMITS)
    commits: dict[int, Any] = {}
    for commit in cast("Any", found.result).commits if found.result else ():
        commits |= {int(lines.partition("-")[0]): commit for lines in commit.lines}
    return LineHistory(commits, found.error, found.running is not None)


async def card_fragment(site: Site, request: Request) -> Response:
    """Return what is known of a name that a link leads to, to read beside the pointer."""
    given = request.query_params
    path, name, line = given.get("path", ""), given.get("name", ""), _number(given.get("line", ""))
    index = await site.symbols.index()
    if index is None and not site.symbols.is_current:
        return site.page("card.html", "", {"found": None, "code": "", "is_waiting": True})
    if index is None or line is None or path not in index.symbols.modules:
        return Response("", 204)
    text = SourceText(site.workbench.bench.workspace.root)
    symbol = await site.analyses.aside(partial(_symbol_at, index, path, line, name))
    values: dict[str, object] = {"found": None, "code": text.line(path, line), "is_waiting": False}
    if symbol is not None:
        uses = site.analyses.start("find_references", symbol=symbol.id, limit=1)
        values |= {"found": describe(index, symbol, text), "uses": uses}
    return site.page("card.html", "", values)


def _symbol_at(index: CodeIndex, path: str, line: int, name: str) -> Symbol | None:
    """Return the symbol that is declared in a line, by its name if several are."""
    own = index.symbols.modules[path].symbols.values()
    named = find_symbols(index, f"{path}::{name}", Job()) if name else []
    at_line = [it for it in (*named, *own) if it.file == path and it.line == line]
    return next((it for it in at_line if it.name == name), at_line[0] if at_line else None)


async def _outline(site: Site, path: str) -> FileOutline | None:
    try:
        found = await site.analyses.call("outline_file", project_path=path)
    except BenchpinError:  # in no supported language, or not to be parsed
        return None
    outlines = cast("OutlineReport", found).outlines
    return outlines[0] if outlines else None


async def _comments(site: Site, path: str) -> Sequence[PlacedComment]:
    if not site.is_enabled("get_file_comments"):
        return ()
    found = await site.analyses.call("get_file_comments", filePath=path, limit=_MAX_COMMENTS)
    return cast("FileComments", found).comments


async def users_fragment(site: Site, request: Request) -> Response:
    """Return who uses a file, for a part of its page."""
    path = request.query_params.get("path", "")
    found = await site.analyses.ask("analyze_impact", symbol=path, depth=1, limit=_MAX_USERS)
    return site.page("users.html", "", {"analysis": found})


async def symbol_page(site: Site, request: Request) -> Response:
    """Return the page of a symbol: who calls it, its source, what it calls."""
    name = request.query_params.get("name", "").strip()
    if not name:
        raise InvalidParams("No function or type is named", suggestion="Search for one.")
    found = await site.analyses.ask("find_symbol", symbol=name, limit=1)
    symbols = cast("SymbolReport", found.result).symbols if found.result else ()
    if not symbols:
        nothing = {"found": None, "analysis": found, "is_waiting": not found.is_current}
        return site.page("symbol.html", name, nothing)
    symbol = symbols[0]
    uses = None
    if symbol.kind in _NOT_CALLED:
        uses = await site.analyses.ask("find_references", symbol=symbol.id, limit=_MAX_USERS)
    callers, callees = [
        await site.analyses.ask("trace_calls", symbol=symbol.id, direction=it, limit=_MAX_CALLS)
        for it in ("callers", "callees")
    ]
    text = await site.analyses.call(
        "read_file", path=symbol.file, start_line=symbol.line, end_line=symbol.end_line
    )
    lines = lines_of(cast("FileContent", text).content)
    page = ShownLines(symbol.file, symbol.line, lines, has_anchors=False)
    links, _ = await _links(site, page)
    outline = await _outline(site, symbol.file)
    values = {
        "found": symbol,
        "analysis": found,
        "uses": uses,
        "callers": callers,
        "callees": callees,
        "body": [markup(it, links.get(at, ())) for at, it in enumerate(lines, start=symbol.line)],
        "language": outline.language if outline else "",
        "is_waiting": any(
            it.running is not None for it in (found, callers, callees, uses) if it is not None
        ),
    }
    return site.page("symbol.html", symbol.name, values)


async def add_comment(site: Site, request: Request) -> Response:
    """Add a comment or an answer, and go back to its line."""
    given = await _form(request)
    answered = {"replyTo": given["reply_to"]} if given.get("reply_to") else {}
    line = _line(given)
    await site.analyses.call(
        "add_comment",
        filePath=given.get("path", ""),
        line=line,
        text=given.get("text", "").replace("\r\n", "\n"),
        tag=given.get("tag", TAGS[0]),
        author=site.person,
        **answered,
    )
    return RedirectResponse(site.links.source(given.get("path", ""), line), 303)


async def resolve_comment(site: Site, request: Request) -> Response:
    """Close a comment or open it again, and go back to its line."""
    given = await _form(request)
    await site.analyses.call(
        "resolve_comment",
        filePath=given.get("path", ""),
        commentId=given.get("id", ""),
        status=given.get("status", "resolved"),
        author=site.person,
    )
    return RedirectResponse(site.links.source(given.get("path", ""), _line(given)), 303)


async def _form(request: Request) -> dict[str, str]:
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length[:_MAX_DIGITS]) > _FORM_BYTES:
        raise InvalidParams("The text is too long", suggestion="Shorten it, or put it in a file.")
    async with request.form(max_fields=10) as form:
        return {key: str(value) for key, value in form.items()}


def _line(given: dict[str, str]) -> int:
    line = _number(given.get("line", ""))
    if line is None:
        raise InvalidParams(
            f"{given.get('line', '')[:20]!r} is not a line", suggestion="Choose a line number."
        )
    return line


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS and int(text) else None
