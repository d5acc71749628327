"""Export comments as JSON, Markdown, training data, a table, and for GitHub and `git notes`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, cast

import msgspec

from benchpin.comments.anchoring import LastPlace, SourceFiles, open_git_history
from benchpin.core.text import sendable
from benchpin.system.formats import Cell, ColumnType, ParquetColumn, write_parquet

from ._comment import Json
from ._export_records import ExportRecord, labelled
from ._foreign_formats import to_git_notes, to_github
from ._sidecar import read_time

_FENCES = re.compile(r"`{3,}")


def fenced(code: str, language: str = "") -> str:
    """Return code between fences that are longer than any fence in it."""
    longest = max(map(len, _FENCES.findall(code)), default=2)
    fence = "`" * (longest + 1)
    ending = "" if code.endswith("\n") else "\n"
    return f"{fence}{language}\n{code}{ending}{fence}"


ExportFormat = Literal["json", "markdown", "jsonl", "parquet", "github", "git-notes"]


def to_json(records: Sequence[ExportRecord]) -> str:
    """Return a document with the comments of each file."""
    files = [
        {"filePath": path, "comments": [_as_json(it) for it in members]}
        for path, members in groupby(records, lambda it: it.path)
    ]
    document = {"files": files, "totalComments": len(records)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _as_json(record: ExportRecord) -> Json:
    comment = record.comment
    shown: Json = {
        "id": comment.id,
        "line": comment.line,
        "text": comment.text,
        "tag": comment.tag,
        "author": comment.author,
        "created": comment.created,
        "updated": comment.updated,
        "status": comment.status,
        "isOrphaned": comment.is_orphaned,
        "state": comment.state,
        "symbol": record.symbol,
        "lineText": record.line_text,
    }
    optional: Json = {
        "replyTo": comment.reply_to,
        "resolvedBy": comment.resolved_by,
        "resolvedAt": comment.resolved_at,
        "aiMeta": comment.ai_meta,
        "contradicts": comment.contradicts,
        "lastPlace": comment.last_place and _last_place(comment.last_place),
        "extra": comment.extra,
    }
    shown |= {key: value for key, value in optional.items() if value}
    if record.context is not None:
        context = record.context
        shown["context"] = {"startLine": context.start_line, "lines": list(context.lines)}
    return shown


def _last_place(last: LastPlace) -> Json:
    place: Json = {"filePath": sendable(last.file_path), "line": last.line}
    return {**place, "removedIn": last.removed_in} if last.removed_in else place


def to_jsonl(records: Sequence[ExportRecord]) -> str:
    """Return training data: one prompt and completion a line."""
    return "".join(f"{msgspec.json.encode(_example(it)).decode()}\n" for it in records)


def _example(record: ExportRecord) -> Json:
    comment = record.comment
    code = f"{record.line_text}\n" if record.context is None else record.context.code
    metadata: Json = {
        "tag": comment.tag,
        "author": comment.author,
        "filePath": record.path,
        "line": comment.line,
        "language": record.language,
        "isOrphaned": comment.is_orphaned,
        "state": comment.state,
    }
    if comment.ai_meta:
        metadata["aiMeta"] = comment.ai_meta
    return {
        "prompt": f"Analyze this code:\n{code}",
        "completion": labelled(comment),
        "metadata": metadata,
    }


def to_markdown(records: Sequence[ExportRecord]) -> str:
    """Return a document with a chapter for each file."""
    parts = [f"# Comments\n\n{len(records)} in total.\n"]
    for path, members in groupby(records, lambda it: it.path):
        parts.append(f"\n## {_one_line(path)}\n")
        parts += [_section(it) for it in members]
    return "".join(parts)


def _section(record: ExportRecord) -> str:
    comment = record.comment
    notes = [f"{comment.author or 'unknown author'}, {comment.created or 'undated'}"]
    if comment.status != "open":
        notes.append(comment.status)
    if caveat := comment.caveat():
        notes.append(caveat)
    if comment.reply_to:
        notes.append(f"reply to {comment.reply_to}")
    quoted = "".join(f"> {line}\n" for line in comment.text.splitlines() or [""])
    code = "" if record.context is None else f"\n{fenced(record.context.code, record.language)}\n"
    head = f"### {comment.tag or 'Comment'}, line {comment.line} ({comment.id})"
    return f"\n{_one_line(head)}\n\n{quoted}\n*{_one_line('; '.join(notes))}*\n{code}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ai_text(record: ExportRecord, name: str) -> Cell:
    value = (record.comment.ai_meta or {}).get(name)
    return None if value is None else str(value)


def _ai_confidence(record: ExportRecord) -> Cell:
    value = (record.comment.ai_meta or {}).get("confidence")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(cast("float", value)) if is_number else None


_COLUMNS: Mapping[str, tuple[ColumnType, Callable[[ExportRecord], Cell]]] = {
    "id": ("string", lambda it: it.comment.id),
    "filePath": ("string", lambda it: it.path),
    "line": ("int64", lambda it: it.comment.line),
    "text": ("string", lambda it: it.comment.text),
    "tag": ("string", lambda it: it.comment.tag),
    "author": ("string", lambda it: it.comment.author),
    "created": ("timestamp", lambda it: read_time(it.comment.created)),
    "updated": ("timestamp", lambda it: read_time(it.comment.updated)),
    "status": ("string", lambda it: it.comment.status),
    "replyTo": ("string", lambda it: it.comment.reply_to or None),
    "isOrphaned": ("boolean", lambda it: it.comment.is_orphaned),
    "state": ("string", lambda it: it.comment.state),
    "symbol": ("string", lambda it: it.symbol or None),
    "language": ("string", lambda it: it.language or None),
    "lineText": ("string", lambda it: it.line_text),
    "anchorConfidence": ("double", lambda it: it.comment.confidence),
    "aiModel": ("string", lambda it: _ai_text(it, "model")),
    "aiConfidence": ("double", _ai_confidence),
    "aiReasoning": ("string", lambda it: _ai_text(it, "reasoning")),
    "contextStartLine": ("int64", lambda it: it.context.start_line if it.context else None),
    "context": ("string", lambda it: it.context.code if it.context else None),
}


def to_parquet(records: Sequence[ExportRecord]) -> bytes:
    """Return a Parquet table with a row for each comment."""
    return write_parquet(
        [
            ParquetColumn(name, kind, [read(it) for it in records])
            for name, (kind, read) in _COLUMNS.items()
        ]
    )


def with_commits(records: Sequence[ExportRecord], files: SourceFiles) -> list[ExportRecord]:
    """Return records with the checked-out commit where the one of writing was not recorded."""
    with open_git_history(files) as history:
        return [
            it
            if it.comment.commit
            else replace(it, comment=replace(it.comment, commit=history.of(it.anchored_path).head))
            for it in records
        ]


@dataclass(frozen=True, slots=True)
class ExportEncoding:
    """How a format is named and written."""

    name: str
    mime_type: str
    encode: Callable[[Sequence[ExportRecord]], str | bytes]


FORMATS: Mapping[ExportFormat, ExportEncoding] = {
    "json": ExportEncoding("comments.json", "application/json", to_json),
    "markdown": ExportEncoding("comments.md", "text/markdown", to_markdown),
    "jsonl": ExportEncoding("training-data.jsonl", "application/x-ndjson", to_jsonl),
    "github": ExportEncoding("review-comments.json", "application/json", to_github),
    "git-notes": ExportEncoding("notes.fi", "text/plain", to_git_notes),
    "parquet": ExportEncoding("comments.parquet", "application/vnd.apache.parquet", to_parquet),
}
