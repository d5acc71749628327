"""Comments for tests: a store with files, and the formats of other programs."""

from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from benchpin.comments import CommentStore, NewComment, PlacedComment, StoredComment
from benchpin.comments.anchoring import (
    CommentTracker,
    SourceFiles,
    TrackedText,
    make_anchor,
    open_git_history,
)
from benchpin.comments.anchoring._tracked_text import SymbolSpan, read_symbols
from benchpin.core.calls import Job, Operation, Permissions, Rule, WorkspaceSession

NOON = datetime(2025, 10, 19, 12, 0, 0, tzinfo=UTC)
CODE = """\
import os


def first(x):
    y = x + 1
    return y


def second(x):
    return x * 2
"""

EDITOR: dict[str, Any] = {
    "version": "2.0.5",
    "file": "src/app.ts",
    "comments": [
        {
            "id": "7b1d5c1e-64a8-4f4e-9d5e-3a6a3c8f8e01",
            "text": "from the editor",
            "author": "ann",
            "created": "2025-01-02T03:04:05.000Z",
            "updated": "2025-01-03T03:04:05.000Z",
            "tag": None,
            "status": "wontfix",
            "resolvedBy": "bob",
            "resolvedAt": "2025-01-04T00:00:00.000Z",
            "line": 1,
            "startLine": 1,
            "endLine": 1,
            "contentType": "markdown",
            "replies": [{"id": "r1", "text": "no"}],
        }
    ],
    "ghostMarkers": [
        {
            "id": "gm-1",
            "line": 5,
            "commentIds": ["7b1d5c1e-64a8-4f4e-9d5e-3a6a3c8f8e01"],
            "lineHash": "0123456789abcdef",
            "lineText": "y = x + 1",
            "prevLineText": "def first(x):",
            "nextLineText": "return y",
            "astAnchor": {
                "symbolPath": ["first"],
                "symbolKind": "function",
                "containerName": None,
                "offset": 1,
            },
            "lastVerified": "2025-01-03T03:04:05.000Z",
        }
    ],
}
EARLIER: dict[str, Any] = {
    "version": "2.1.0",
    "filePath": "src/app.ts",
    "comments": [
        {
            "id": "c_1730000000000",
            "text": "from the earlier server",
            "line": 9,
            "tag": "FIXME",
            "author": "claude",
            "created": "2025-02-02T00:00:00.000Z",
            "updated": "2025-02-02T00:00:00.000Z",
            "aiMeta": {"model": "m", "confidence": 0.5},
            "metadata": {"mood": "calm"},
        }
    ],
    "ghostMarkers": [
        {
            "id": "gm_1730000000001",
            "commentId": "c_1730000000000",
            "anchor": "second",
            "anchorType": "function",
            "originalLine": 9,
            "isOrphaned": False,
        }
    ],
}
DEMO: dict[str, Any] = {
    "fileName": "app.ts",
    "comments": [
        {
            "id": "comment-1",
            "text": "from a demo",
            "line": 10,
            "tag": "NOTE",
            "author": "demo",
            "timestamp": "2025-03-03T00:00:00Z",
            "aiMeta": {"complexity": 3, "tokens": 10, "params": ["a"]},
        }
    ],
}
SHAPES = {"editor": EDITOR, "earlier": EARLIER, "demo": DEMO}


def write_source(root: Path, path: str = "src/app.py", code: str = CODE) -> TrackedText:
    """Write a file, and return its text."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(code, encoding="utf-8")
    return TrackedText(code.encode())


def add(store: CommentStore, path: str, line: int, text: str, tag: str = "TODO") -> StoredComment:
    """Write a comment about an existing file."""
    document = TrackedText((store.root / path).read_bytes())
    with store.editing([PurePosixPath(path)], Job()) as [editor]:
        return editor.add(NewComment(text, tag, "me"), document, make_anchor(document, line), NOON)


def placed(comment: StoredComment, line: int, layer: str = "diff") -> PlacedComment:
    """Return a comment that moved to a line."""
    return PlacedComment(
        id=comment.id,
        file_path=comment.path,
        line=line,
        text=comment.text,
        tag=comment.tag,
        author=comment.author,
        created=comment.created,
        updated=comment.updated,
        status=comment.status,
        is_orphaned=False,
        state="moved",
        symbol="",
        symbol_kind="",
        confidence=0.999,
        layer=layer,
    )


class PlainFiles(SourceFiles):
    """Files that are parsed in this process."""

    def _symbols(self, path: str) -> tuple[SymbolSpan, ...]:
        return read_symbols(path, (self.root / path).read_bytes())


def files_of(session: WorkspaceSession, denied: str = "", job: Job | None = None) -> SourceFiles:
    """Return the files of a workspace, of which one may be denied."""
    rules = (Rule("**", frozenset({Operation.READ})), Rule(denied or "none", frozenset()))
    return PlainFiles(session, Permissions((rules,)), job or Job())


def place(
    session: WorkspaceSession, path: str, denied: str = "", job: Job | None = None
) -> list[PlacedComment]:
    """Return the comments of a file with their present places."""
    sidecar = CommentStore(session.root).read(PurePosixPath(path))
    files = files_of(session, denied, job)
    with open_git_history(files) as history:
        return list(CommentTracker(files, history).place(sidecar).values())
