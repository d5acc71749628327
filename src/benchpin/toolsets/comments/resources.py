"""Comments as resources: `comment://workspace/…`."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import quote, unquote_to_bytes

import msgspec
from pydantic import TypeAdapter

from benchpin.comments import SUFFIX, PlacedComment, StoredComment
from benchpin.core.calls import Bench
from benchpin.core.content import Resource, ResourceContents, ResourceEntry, Variables, resource
from benchpin.core.errors import ResourceNotFound
from benchpin.core.text import plain

from ._protocol import TAGS
from ._tool_comments import ToolComments

_BASE = "comment://workspace/"
_JSON = "application/json"
# Comments on a page.
_PAGE = 500
_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_MAX_COMPLETIONS = 100

_Choose = Callable[[ToolComments, Variables], Sequence[StoredComment]]
_Complete = Callable[[str, str, Bench], list[str]]


def _commented(path: PurePosixPath, bench: Bench) -> PurePosixPath | None:
    """Return the source file whose comments a change of `path` affects; None if there is none."""
    store = ToolComments(bench).store
    place, folder = bench.workspace.root / path, store.root / store.prefix
    if not path.name.endswith(SUFFIX):
        return path if store.exists(path) else None
    if not place.is_relative_to(folder):
        return None
    inner = place.relative_to(folder)
    return PurePosixPath(inner.with_name(inner.name.removesuffix(SUFFIX)).as_posix())


def _path(variables: Variables) -> str:
    return _unquoted(variables["filePath"])


def _unquoted(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")


def _quoted(path: str) -> str:
    return quote(path, errors="surrogateescape")


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    paths = ToolComments(bench).all.files
    for uri, path in sorted((f"{_BASE}{_quoted(path)}{SUFFIX}", path) for path in paths):
        if uri > after:
            yield ResourceEntry(uri, f"Comments of {plain(path)}", _JSON)


def _complete_path(_variable: str, prefix: str, bench: Bench) -> list[str]:
    """Complete a path; when there are too many files, one folder at a time."""
    start = _unquoted(prefix)
    paths = [path for path in ToolComments(bench).all.files if path.startswith(start)]
    if len(paths) > _MAX_COMPLETIONS:
        ends = ((path, path.find("/", len(start))) for path in paths)
        paths = sorted({path[: end + 1] if end >= 0 else path for path, end in ends})
    return [_quoted(path) for path in paths]


def _complete_tag(variable: str, prefix: str, bench: Bench) -> list[str]:
    if variable != "tag":
        return []
    used = {it.tag for it in ToolComments(bench).all.by_file if it.tag}
    return sorted(tag for tag in {*TAGS, *used} if tag.startswith(prefix))


@resource(
    f"{_BASE}{{+filePath}}{SUFFIX}",
    title="Comments of a file",
    mime_type=_JSON,
    entries=_entries,
    complete=_complete_path,
    concerns=lambda variables, path, bench: str(_commented(path, bench)) == _path(variables),
)
def file_comments(variables: Variables, bench: Bench) -> ResourceContents:
    """Comments for specific file, with their lines in the present code."""
    comments = ToolComments(bench)
    path = comments.commented(_path(variables))
    own, *others = comments.place_in(path)
    placed = [it for each in (own, *others) for it in each.placed.values()]
    document: dict[str, object] = {
        "filePath": str(path),
        "comments": _dumped(placed),
        "totalComments": len(placed),
        "orphanedComments": sum(it.is_orphaned for it in placed),
    }
    if own.sidecar.problem:
        document["damage"] = own.sidecar.problem
    return _contents(document)


def _orphaned(comments: ToolComments, _variables: Variables) -> Sequence[StoredComment]:
    places = comments.places(comments.all.files)
    return [
        it
        for it in comments.all.by_file
        if (placed := places[it.path].get(it.id)) is not None and placed.is_orphaned
    ]


def _tagged(comments: ToolComments, variables: Variables) -> Sequence[StoredComment]:
    tag = variables["tag"]
    known = {*TAGS, *(it.tag for it in comments.all.by_file)}
    if tag not in known:
        raise ResourceNotFound(
            f"No comment has the tag {tag[:50]!r}",
            suggestion=f"Tags: {', '.join(sorted(it for it in known if it))}.",
            data={"uri": f"{_BASE}tags/{tag}"},
        )
    return [it for it in comments.all.by_file if it.tag == tag]


def _paged(
    path: str,
    name: str,
    choose: _Choose,
    *,
    title: str,
    description: str,
    complete: _Complete | None = None,
) -> tuple[Resource, Resource]:
    """Return two resources for a list of comments: its first page, and any page by number."""

    def read(variables: Variables, bench: Bench) -> ResourceContents:
        page = variables.get("page", "1")
        if not _PAGE_NUMBER.fullmatch(page):
            raise ResourceNotFound(
                f"{page[:20]!r} is not a page", suggestion="Pages are counted from 1."
            )
        return _page(_BASE + path.format_map(variables), choose, variables, int(page), bench)

    def define(suffix: str, title: str, description: str) -> Resource:
        return Resource(
            uri=f"{_BASE}{path}{suffix and '/{page}'}",
            name=f"{name}{suffix}",
            title=title,
            description=description,
            mime_type=_JSON,
            read=read,
            complete=complete,
            concerns=lambda _variables, path, bench: _commented(path, bench) is not None,
        )

    what = title[0].lower() + title[1:] if title[1].islower() else title
    of_page = f"One page of {what}, counted from 1; a page has {_PAGE} comments."
    return define("", title, description), define("_page", f"Page of {what}", of_page)


all_comments, all_comments_page = _paged(
    "all",
    "all_comments",
    lambda comments, _variables: comments.all.by_file,
    title="All comments",
    description="All comments across entire workspace; when there are many, the first page.",
)
orphaned_comments, orphaned_comments_page = _paged(
    "orphaned",
    "orphaned_comments",
    _orphaned,
    title="Orphaned comments",
    description="Comments whose anchors no longer exist, with lines where they may belong.",
)
ai_enriched_comments, ai_enriched_comments_page = _paged(
    "ai-enriched",
    "ai_enriched_comments",
    lambda comments, _variables: [it for it in comments.all.by_file if it.ai_meta],
    title="AI-enriched comments",
    description="Comments with AI metadata.",
)
tagged_comments, tagged_comments_page = _paged(
    "tags/{tag}",
    "tagged_comments",
    _tagged,
    title="Comments by tag",
    description="All comments with specific tag.",
    complete=_complete_tag,
)


def _page(
    uri: str, choose: _Choose, variables: Variables, page: int, bench: Bench
) -> ResourceContents:
    """Return a page of comments, grouped by the file that they are stored for."""
    comments = ToolComments(bench)
    found = choose(comments, variables)
    pages = max(1, -(-len(found) // _PAGE))
    if page > pages:
        raise ResourceNotFound(
            f"{uri} has {pages} pages; asked for page {page}",
            suggestion=f"Ask for a page from 1 to {pages}.",
            data={"uri": uri},
        )
    files: dict[str, list[PlacedComment]] = {}
    for path, placed in comments.placed(found[(page - 1) * _PAGE : page * _PAGE]):
        files.setdefault(path, []).append(placed)
    document: dict[str, object] = {
        "files": [{"filePath": path, "comments": _dumped(it)} for path, it in files.items()],
        "totalComments": len(found),
    }
    if pages > 1:
        document |= {"page": page, "pages": pages}
        if page < pages:
            document["next"] = f"{uri}/{page + 1}"
    damaged = sorted(comments.all.damaged)
    if damaged:
        document["damaged"] = damaged
    return _contents(document)


_PLACED = TypeAdapter(list[PlacedComment])


def _dumped(placed: list[PlacedComment]) -> object:
    return _PLACED.dump_python(placed, mode="json", by_alias=True)


def _contents(document: dict[str, object]) -> ResourceContents:
    return ResourceContents(msgspec.json.encode(document).decode(), _JSON)
