"""The pages of a file and of a symbol, and the comments on a file."""

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from starlette.requests import Request  # noqa: TID253 - imported only to serve pages
from starlette.responses import RedirectResponse, Response  # noqa: TID253 - likewise

from benchpin.comments import PlacedComment
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.measures.complexity import FileOutline, OutlineSymbol, Thresholds
from benchpin.toolsets.analysis.outline_file import OutlineReport
from benchpin.toolsets.comments.get_file_comments import FileComments
from benchpin.toolsets.navigation.find_symbol import SymbolReport
from benchpin.toolsets.workspace.read_file import FileContent

from ._site import Site

_THRESHOLDS = Thresholds()
TAGS = ("NOTE", "QUESTION", "TODO", "FIXME", "STAR")
_MAX_CALLS = 40
_MAX_COMMENTS = 500
_MAX_USERS = 100
# No file has a line number with more.
_MAX_DIGITS = 8
_FORM_BYTES = 100_000


def shown_lines(text: str) -> list[str]:
    """Return the lines of a file; characters that hide or reorder text are shown as escapes."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [_shown(it.removesuffix("\r")) for it in lines]


def _shown(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(
        it if it == "\t" or it.isprintable() else it.encode("unicode_escape").decode()
        for it in line
    )


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
    """Return the page of a file: its text, its functions, its comments; of a folder, its map."""
    path = request.query_params.get("path", "")
    if site.workbench.bench.existing(path).is_dir():
        return RedirectResponse(site.links.folder(path), 303)
    first = _number(request.query_params.get("start", "")) or 1
    file = cast("FileContent", await site.analyses.call("read_file", path=path, start_line=first))
    comments, answers = threads(await _comments(site, path))
    values = {
        "path": path,
        "file": file,
        "lines": shown_lines(file.content),
        "first": file.start_line or 1,
        "more": file.next_start_line,
        "outline": await _outline(site, path),
        "level": level_of,
        "comments": comments,
        "answers": answers,
        "may_comment": site.is_enabled("add_comment"),
        "tags": TAGS,
    }
    return site.page("source.html", path, values)


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
    name = request.query_params.get("name", "")
    found = await site.analyses.ask("find_symbol", symbol=name, limit=1)
    symbols = cast("SymbolReport", found.result).symbols if found.result else ()
    if not symbols:
        nothing = {"found": None, "analysis": found, "is_waiting": not found.is_current}
        return site.page("symbol.html", name, nothing)
    symbol = symbols[0]
    callers, callees = [
        await site.analyses.ask("trace_calls", symbol=symbol.id, direction=it, limit=_MAX_CALLS)
        for it in ("callers", "callees")
    ]
    text = await site.analyses.call(
        "read_file", path=symbol.file, start_line=symbol.line, end_line=symbol.end_line
    )
    outline = await _outline(site, symbol.file)
    values = {
        "found": symbol,
        "analysis": found,
        "callers": callers,
        "callees": callees,
        "body": shown_lines(cast("FileContent", text).content),
        "language": outline.language if outline else "",
        "is_waiting": not (found.is_current and callers.is_current and callees.is_current),
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
        raise InvalidParams("The text is too long", suggestion="Write less, or an own file.")
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
