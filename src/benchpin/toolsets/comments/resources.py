"""Comments as resources: `comment://workspace/…`."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import quote, unquote_to_bytes

import msgspec

from benchpin.core import (
    Bench,
    ResourceContents,
    ResourceEntry,
    ResourceNotFound,
    Variables,
    plain,
    resource,
)
from benchpin.engines.anchors.shelf import Found
from benchpin.engines.anchors.sidecar import SUFFIX

from ._desk import Desk
from ._model import TAGS, CommentItem, comment_item

_BASE = "comment://workspace/"
_JSON = "application/json"
_PAGE = 500
"""Comments on a page."""
_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_MOST_COMPLETIONS = 100

Choose = Callable[[Desk], Sequence[Found]]


def _concerns_any(_variables: Variables, path: PurePosixPath, bench: Bench) -> bool:
    """Whether a file of comments changed, or a file that has comments."""
    return _commented(path, bench) is not None


def _concerns_file(variables: Variables, path: PurePosixPath, bench: Bench) -> bool:
    return str(_commented(path, bench)) == _path(variables)


def _commented(path: PurePosixPath, bench: Bench) -> PurePosixPath | None:
    """Return the file whose comments look different when a file changes; None when none do."""
    store = Desk(bench).store
    root = bench.workspace.root
    if path.name.endswith(SUFFIX):
        if not (root / path).is_relative_to(store.root / store.prefix):
            return None
        inner = (root / path).relative_to(store.root / store.prefix)
        return PurePosixPath(inner.with_name(inner.name.removesuffix(SUFFIX)).as_posix())
    return path if store.exists(path) else None


def _path(variables: Variables) -> str:
    return unquote_to_bytes(variables["filePath"]).decode("utf-8", "surrogateescape")


def _uri(path: str) -> str:
    return f"{_BASE}{quote(path, errors='surrogateescape')}{SUFFIX}"


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    for uri, path in sorted((_uri(path), path) for path in Desk(bench).contents.files):
        if uri > after:
            yield ResourceEntry(uri, f"Comments of {plain(path)}", _JSON)


def _complete_path(_variable: str, prefix: str, bench: Bench) -> list[str]:
    """Complete a path, a folder at a time once there are too many files."""
    begun = unquote_to_bytes(prefix).decode("utf-8", "surrogateescape")
    paths = [path for path in Desk(bench).contents.files if path.startswith(begun)]
    if len(paths) > _MOST_COMPLETIONS:
        ends = ((path, path.find("/", len(begun))) for path in paths)
        paths = sorted({path[: end + 1] if end >= 0 else path for path, end in ends})
    return [quote(path, errors="surrogateescape") for path in paths]


def _complete_tag(variable: str, prefix: str, bench: Bench) -> list[str]:
    if variable != "tag":
        return []
    found = {it.comment.tag for it in Desk(bench).contents.comments if it.comment.tag}
    return sorted(tag for tag in {*TAGS, *found} if tag.startswith(prefix))


@resource(f"{_BASE}all", title="All comments", mime_type=_JSON, concerns=_concerns_any)
def all_comments(_variables: Variables, bench: Bench) -> ResourceContents:
    """All comments across entire workspace; when there are many, the first page of them."""
    return _page(f"{_BASE}all", _all, 1, bench)


@resource(
    f"{_BASE}all/{{page}}", title="Page of all comments", mime_type=_JSON, concerns=_concerns_any
)
def all_comments_page(variables: Variables, bench: Bench) -> ResourceContents:
    """One page of all comments, counted from 1; a page has 500 comments."""
    return _page(f"{_BASE}all", _all, _number(variables), bench)


@resource(f"{_BASE}orphaned", title="Orphaned comments", mime_type=_JSON, concerns=_concerns_any)
def orphaned_comments(_variables: Variables, bench: Bench) -> ResourceContents:
    """Comments whose anchors no longer exist, with the places where they may belong."""
    return _page(f"{_BASE}orphaned", _orphans, 1, bench)


@resource(
    f"{_BASE}orphaned/{{page}}",
    title="Page of orphaned comments",
    mime_type=_JSON,
    concerns=_concerns_any,
)
def orphaned_comments_page(variables: Variables, bench: Bench) -> ResourceContents:
    """One page of the orphaned comments, counted from 1."""
    return _page(f"{_BASE}orphaned", _orphans, _number(variables), bench)


@resource(
    f"{_BASE}ai-enriched", title="AI-enriched comments", mime_type=_JSON, concerns=_concerns_any
)
def ai_enriched_comments(_variables: Variables, bench: Bench) -> ResourceContents:
    """Comments with AI metadata."""
    return _page(f"{_BASE}ai-enriched", _enriched, 1, bench)


@resource(
    f"{_BASE}ai-enriched/{{page}}",
    title="Page of AI-enriched comments",
    mime_type=_JSON,
    concerns=_concerns_any,
)
def ai_enriched_comments_page(variables: Variables, bench: Bench) -> ResourceContents:
    """One page of the comments with AI metadata, counted from 1."""
    return _page(f"{_BASE}ai-enriched", _enriched, _number(variables), bench)


@resource(
    f"{_BASE}{{+filePath}}{SUFFIX}",
    title="Comments of a file",
    mime_type=_JSON,
    entries=_entries,
    complete=_complete_path,
    concerns=_concerns_file,
)
def file_comments(variables: Variables, bench: Bench) -> ResourceContents:
    """Comments for specific file, where they stand in its present text."""
    desk = Desk(bench)
    path = desk.commented(_path(variables))
    found, *others = desk.follow_into(path)
    items = [comment_item(*it) for each in (found, *others) for it in each.comments]
    document: dict[str, object] = {
        "filePath": str(path),
        "comments": [_dumped(it) for it in items],
        "totalComments": len(items),
        "orphanedComments": sum(it.is_orphaned for it in items),
    }
    if found.sidecar.problem:
        document["damage"] = found.sidecar.problem
    return _contents(document)


@resource(
    f"{_BASE}tags/{{tag}}",
    title="Comments by tag",
    mime_type=_JSON,
    complete=_complete_tag,
    concerns=_concerns_any,
)
def tagged_comments(variables: Variables, bench: Bench) -> ResourceContents:
    """All comments with specific tag."""
    tag = variables["tag"]
    return _page(f"{_BASE}tags/{tag}", partial(_tagged, tag), 1, bench)


@resource(
    f"{_BASE}tags/{{tag}}/{{page}}",
    title="Page of comments by tag",
    mime_type=_JSON,
    complete=_complete_tag,
    concerns=_concerns_any,
)
def tagged_comments_page(variables: Variables, bench: Bench) -> ResourceContents:
    """One page of the comments with a tag, counted from 1."""
    tag = variables["tag"]
    return _page(f"{_BASE}tags/{tag}", partial(_tagged, tag), _number(variables), bench)


def _all(desk: Desk) -> Sequence[Found]:
    return desk.contents.by_file


def _tagged(tag: str, desk: Desk) -> list[Found]:
    known = {*TAGS, *(it.comment.tag for it in _all(desk))}
    if tag not in known:
        raise ResourceNotFound(
            f"No comment has the tag {tag[:50]!r}",
            suggestion=f"Tags: {', '.join(sorted(it for it in known if it))}.",
            data={"uri": f"{_BASE}tags/{tag}"},
        )
    return [it for it in _all(desk) if it.comment.tag == tag]


def _enriched(desk: Desk) -> list[Found]:
    return [it for it in _all(desk) if it.comment.ai_meta]


def _orphans(desk: Desk) -> list[Found]:
    standings = desk.standings(desk.contents.files)
    return [
        it
        for it in _all(desk)
        if (standing := standings[it.path].get(it.comment.id)) is not None and standing.is_orphaned
    ]


def _number(variables: Variables) -> int:
    page = variables["page"]
    if not _PAGE_NUMBER.fullmatch(page):
        raise ResourceNotFound(
            f"{page[:20]!r} is not a page", suggestion="Pages are counted from 1."
        )
    return int(page)


def _page(uri: str, choose: Choose, page: int, bench: Bench) -> ResourceContents:
    """Return some of the comments, by the files that they were written about."""
    desk = Desk(bench)
    found = choose(desk)
    pages = max(1, -(-len(found) // _PAGE))
    if page > pages:
        raise ResourceNotFound(
            f"{uri} has {pages} pages; asked for page {page}",
            suggestion=f"Ask for a page from 1 to {pages}.",
            data={"uri": uri},
        )
    files: dict[str, list[object]] = {}
    for path, item in desk.items(found[(page - 1) * _PAGE : page * _PAGE]):
        files.setdefault(path, []).append(_dumped(item))
    document: dict[str, object] = {
        "files": [{"filePath": path, "comments": items} for path, items in files.items()],
        "totalComments": len(found),
    }
    if pages > 1:
        document |= {"page": page, "pages": pages}
        if page < pages:
            document["next"] = f"{uri}/{page + 1}"
    damaged = sorted(desk.contents.damaged)
    if damaged:
        document["damaged"] = damaged
    return _contents(document)


def _dumped(item: CommentItem) -> object:
    return item.model_dump(mode="json", by_alias=True)


def _contents(document: dict[str, object]) -> ResourceContents:
    return ResourceContents(msgspec.json.encode(document).decode(), _JSON)
