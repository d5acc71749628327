"""Comments as review comments of GitHub, and as `git notes`; `exchange` reads both."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from benchpin.core.text import sendable

from ._comment import Json, PlacedComment
from ._export_records import ExportRecord
from ._sidecar import read_time

# The field of a comment that has its id in the program that it was imported from.
SOURCE = "importedFrom"
_NOTES_REF = "refs/notes/benchpin"
# The ref of `git notes add`, and the one that git-appraise keeps review comments in.
NOTES_REFS = (_NOTES_REF, "refs/notes/commits", "refs/notes/devtools/discuss")
_EPOCH = datetime.fromtimestamp(0, UTC)


def to_github(records: Sequence[ExportRecord]) -> str:
    """Return comments as GitHub lists review comments; notes on folders are left out."""
    numbers = {it.comment.id: _number(it) for it in records}
    shown: list[Json] = []
    for record in records:
        comment = record.comment
        if comment.scope == "folder":
            continue
        of_file: Json = {"subject_type": "file"} if comment.scope == "file" else {}
        answered = numbers.get(comment.reply_to or "")
        shown.append(
            {
                "id": numbers[comment.id],
                "path": sendable(record.anchored_path),
                "line": comment.line,
                "original_line": record.anchored_line,
                "side": "RIGHT",
                "original_commit_id": comment.commit or None,
                "diff_hunk": f"@@ -1 +1 @@\n {record.anchored_text}",
                "body": _tagged(comment),
                "user": {"login": comment.author},
                "created_at": comment.created,
                "updated_at": comment.updated,
                **of_file,
                **({"in_reply_to_id": answered} if answered else {}),
            }
        )
    return f"{json.dumps(shown, indent=2, ensure_ascii=False)}\n"


def _number(record: ExportRecord) -> int:
    source = str(record.comment.extra.get(SOURCE, ""))
    name = source.removeprefix("github:") if source.startswith("github:") else record.comment.id
    return int("".join(it for it in name if it in "0123456789") or 0)


def _tagged(comment: PlacedComment) -> str:
    """Return the text with its tag, which an import takes off again."""
    return f"{comment.tag}: {comment.text}" if comment.tag else comment.text


def to_git_notes(records: Sequence[ExportRecord]) -> str:
    """Return input of `git fast-import` that keeps comments as git notes on their commits.

    Comments whose commit is not known are left out.
    """
    by_commit: dict[str, list[str]] = {}
    newest = 0
    for record in records:
        comment = record.comment
        if not comment.commit:
            continue
        created = read_time(comment.created) or _EPOCH
        newest = max(newest, int(created.timestamp()))
        place: Json = {"commit": comment.commit}
        if comment.scope != "folder":
            place["path"] = sendable(record.anchored_path)
        if comment.scope in {"line", "symbol"}:
            place["range"] = {"startLine": record.anchored_line}
        entry: Json = {
            "timestamp": str(int(created.timestamp())),
            "author": comment.author,
            "location": place,
            "description": _tagged(comment),
            "v": 0,
            "benchpin": {
                "id": comment.id,
                "created": comment.created,
                "lineText": record.anchored_text,
            },
        }
        if comment.reply_to:
            entry["parent"] = comment.reply_to
        if comment.status != "open":
            entry["resolved"] = True
        by_commit.setdefault(comment.commit, []).append(json.dumps(entry, ensure_ascii=False))
    lines = [
        f"commit {_NOTES_REF}",
        f"committer Benchpin <benchpin@localhost> {newest} +0000",
        _data("Notes exported by Benchpin"),
    ]
    for commit, notes in sorted(by_commit.items()):
        lines += [f"N inline {commit}", _data("\n".join([*notes, ""]))]
    return "\n".join([*lines, ""])


def _data(text: str) -> str:
    return f"data {len(text.encode('utf-8', 'replace'))}\n{text}"
