"""Notes from elsewhere and for elsewhere: review comments of GitHub, and `git notes`.

A note is anchored in the commit that it was written about, if the clone has that commit: then it
says itself what became of its code since. Notes on lines are stored in git as git-appraise does it:
one JSON object a line, on the commit.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from benchpin.comments.anchoring import FOLDER, TrackedText, make_anchor, open_git_history
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.text import sendable

from ._foreign_formats import NOTES_REFS, SOURCE
from ._new_comment import NewComment
from ._sidecar import read_time
from ._workspace_comments import WorkspaceComments
from .batches import Imported

_MAX_TEXT_CHARS = 10_000
_TAGGED = re.compile(r"(TODO|FIXME|NOTE|STAR|QUESTION): (?=\S)")
_LAST_SECOND = 253_402_300_799


@dataclass(frozen=True, slots=True)
class ForeignNote:
    """A note of another program."""

    source: str
    """Where it is from, with its id there: `github:17`."""
    text: str
    path: str = ""
    """Its file, from the root of the repository; empty when it is about a commit."""
    line: int = 0
    """Its line in that commit; 0 when it is about the file."""
    line_text: str | None = None
    """The text of the line, where that is known."""
    commit: str = ""
    author: str = ""
    created: datetime | None = None
    reply_to: str = ""
    """The source of the note that it answers."""
    is_resolved: bool = False


# GitHub.


def from_github(content: bytes) -> tuple[list[ForeignNote], list[str]]:
    """Read what `gh api repos/OWNER/NAME/pulls/N/comments --paginate` prints.

    Returns the comments, oldest first, and what is wrong with those that cannot be read.

    Raises:
        InvalidParams: when it is not such a list.
    """
    found: list[ForeignNote] = []
    problems: list[str] = []
    for number, entry in enumerate(_entries(content), start=1):
        try:
            found.append(_github_note(entry))
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"comment {number}: {_reason(error)}")
    found.sort(key=lambda it: (bool(it.reply_to), it.created or _EPOCH, it.source))
    return found, problems


_EPOCH = datetime.fromtimestamp(0, UTC)


def _entries(content: bytes) -> Iterator[object]:
    """Yield the members of one or more arrays, which may be nested (`--slurp`)."""
    text = content.decode("utf-8", "replace").strip()
    if not text:
        raise _not_github("it is empty")
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as error:
            raise _not_github(str(error)) from error
        except RecursionError as error:
            raise _not_github("it is nested too deeply") from error
        while at < len(text) and text[at].isspace():
            at += 1
        if not isinstance(value, list):
            said = value.get("message") if isinstance(value, dict) else None
            raise _not_github(f"GitHub said {said!r}" if said else "it is not a list")
        for entry in value:
            yield from entry if isinstance(entry, list) else (entry,)


def _not_github(reason: str) -> InvalidParams:
    return InvalidParams(
        f"The file has no review comments of GitHub: {reason[:200]}",
        suggestion="Write it with `gh api repos/OWNER/NAME/pulls/N/comments --paginate > FILE`.",
    )


def _reason(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _github_note(entry: object) -> ForeignNote:
    if not isinstance(entry, dict):
        message = "it is not an object"
        raise TypeError(message)
    body, path, number = entry["body"], entry["path"], entry["id"]
    if not isinstance(body, str) or not isinstance(path, str) or not isinstance(number, int):
        message = "body, path or id is of another type"
        raise TypeError(message)
    first, second = entry.get("original_line"), entry.get("line")
    line = first if isinstance(first, int) else second
    commit = entry.get("original_commit_id") if isinstance(first, int) else entry.get("commit_id")
    user, answered = entry.get("user"), entry.get("in_reply_to_id")
    hunk = entry.get("diff_hunk")
    is_of_file = entry.get("subject_type") == "file"
    return ForeignNote(
        source=f"github:{number}",
        text=_cut(body),
        path=path,
        line=line if isinstance(line, int) and not is_of_file else 0,
        line_text=_last_line(hunk) if isinstance(hunk, str) and not is_of_file else None,
        commit=commit if isinstance(commit, str) else "",
        author=str(user.get("login", "")) if isinstance(user, dict) else "",
        created=read_time(str(entry.get("created_at", ""))),
        reply_to=f"github:{answered}" if isinstance(answered, int) else "",
    )


def _last_line(hunk: str) -> str | None:
    """Return the line that a review comment is about: the last one of its hunk."""
    last = hunk.rsplit("\n", maxsplit=1)[-1]
    return last[1:] if last[:1] in {"+", " ", "-"} else None


def _cut(text: str) -> str:
    if not text.strip():
        message = "its text is empty"
        raise ValueError(message)
    return text[:_MAX_TEXT_CHARS]


# git notes.


def from_git_notes(
    comments: WorkspaceComments, ref: str | None
) -> tuple[list[ForeignNote], list[str]]:
    """Read the `git notes` of the workspace's repository, from a ref or the usual ones.

    Raises:
        InvalidParams: when there are none.
    """
    found: list[ForeignNote] = []
    problems: list[str] = []
    refs = NOTES_REFS if ref is None else (ref if ref.startswith("refs/") else f"refs/notes/{ref}",)
    has_ref = False
    with open_git_history(comments.files) as history:
        for name in refs:
            notes = history.of("x").notes(name)
            has_ref = has_ref or notes is not None
            for commit, text in notes or ():
                found += _git_notes(commit, text, problems)
    if not has_ref:
        raise InvalidParams(
            f"The repository has no git notes in {' or '.join(refs)}",
            suggestion="Get them first: git fetch origin 'refs/notes/*:refs/notes/*'.",
        )
    found.sort(key=lambda it: (bool(it.reply_to), it.created or _EPOCH, it.source))
    return found, problems


def _git_notes(commit: str, text: str, problems: list[str]) -> Iterator[ForeignNote]:
    """Yield the notes on a commit: those on lines are JSON, anything else is one note."""
    plain: list[str] = []
    for line in text.splitlines():
        try:
            entry = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError) as error:
            entry = None
            problems.append(f"note on {commit[:10]}: {error}")
            continue
        if isinstance(entry, dict) and isinstance(entry.get("description"), str):
            try:
                yield _appraised(commit, entry)
            except ValueError as error:
                problems.append(f"note on {commit[:10]}: {error}")
        else:
            plain.append(line)
    said = "\n".join(plain).strip()
    if said:
        source = f"git-notes:{commit}"
        yield ForeignNote(source, f"{_cut(said)}\n\n(on commit {commit[:10]})", commit=commit)


def _appraised(commit: str, entry: Mapping[str, object]) -> ForeignNote:
    location = entry.get("location")
    place = location if isinstance(location, dict) else {}
    span = place.get("range")
    line = span.get("startLine") if isinstance(span, dict) else 0
    seconds = str(entry.get("timestamp", ""))
    own = entry.get("benchpin")
    own = own if isinstance(own, dict) else {}
    path = place.get("path")
    text = _cut(str(entry["description"]))
    number = own.get("id")
    source = number if isinstance(number, str) else f"{commit}:{seconds}:{path}:{line}:{text}"
    created = own.get("created")
    moment = read_time(created) if isinstance(created, str) else None
    if moment is None and seconds.isdecimal():
        moment = datetime.fromtimestamp(min(int(seconds), _LAST_SECOND), UTC)
    parent = entry.get("parent")
    return ForeignNote(
        source=f"git-notes:{source}",
        text=text,
        path=path if isinstance(path, str) else "",
        line=line if isinstance(line, int) else 0,
        line_text=own.get("lineText") if isinstance(own.get("lineText"), str) else None,
        commit=commit,
        author=str(entry.get("author", "")),
        created=moment,
        reply_to=f"git-notes:{parent}" if isinstance(parent, str) else "",
        is_resolved=entry.get("resolved") is True,
    )


# Both.


def import_foreign(
    comments: WorkspaceComments,
    notes: Iterable[ForeignNote],
    resolve: Callable[[str], PurePosixPath],
    tag: str,
    *,
    dry_run: bool,
) -> tuple[list[Imported], int, list[str]]:
    """Add the notes that are not there yet, each at the commit that it was written about.

    Returns them, how many were there before, and why some cannot be imported. `resolve` checks a
    path, and raises a `BenchpinError` for one that may not be used.
    """
    known = _known(comments)
    already = 0
    added: list[Imported] = []
    problems: list[str] = []
    with open_git_history(comments.files) as history:
        for note in notes:
            if note.source in known:
                already += 1
                continue
            try:
                path = resolve(note.path) if note.path else PurePosixPath(FOLDER)
            except BenchpinError as error:
                problems.append(f"{note.source}: {error.message}")
                continue
            text, line = _found(note, path, history.of(str(path)).committed, comments)
            if text is None and note.path:
                problems.append(f"{note.source}: neither {note.path} nor its commit is here")
                continue
            comment_id = None
            if not dry_run:
                comment_id = _add(comments, note, path, text, line, known, tag)
                known[note.source] = comment_id
            else:
                known[note.source] = ""
            shown = sendable(str(path)) if note.path else "."
            added.append(
                Imported(file_path=shown, line=line, tag=tag, text=note.text, comment_id=comment_id)
            )
    return added, already, problems


def _known(comments: WorkspaceComments) -> dict[str, str]:
    """Return the ids of comments by where they are from; own ones as they are exported."""
    found: dict[str, str] = {}
    for stored in comments.all.by_file:
        found[str(stored.extra.get(SOURCE, ""))] = stored.id
        found[f"git-notes:{stored.id}"] = found[f"github:{stored.id[2:]}"] = stored.id
    return found


def _found(
    note: ForeignNote,
    path: PurePosixPath,
    committed: Callable[[str, str], TrackedText | None],
    comments: WorkspaceComments,
) -> tuple[TrackedText | None, int]:
    """Return a text that has the line of a note, and the line; line 0 for the whole file."""
    if not note.path:
        return None, 0
    old = committed(str(path), note.commit) if note.commit else None
    now = comments.files.read_now(str(path))
    for text in (old, now):
        if text is None or not note.line:
            continue
        lines = text.lines
        is_there = note.line <= len(lines)
        if note.line_text is None:
            if is_there:
                return text, note.line
            continue
        if is_there and lines[note.line - 1].rstrip("\r") == note.line_text.rstrip("\r"):
            return text, note.line
        same = [at for at, it in enumerate(lines, 1) if it.rstrip("\r") == note.line_text]
        if len(same) == 1 and note.line_text.strip():
            return text, same[0]
    return now or old, 0


def _add(
    comments: WorkspaceComments,
    note: ForeignNote,
    path: PurePosixPath,
    text: TrackedText | None,
    line: int,
    known: Mapping[str, str],
    tag: str,
) -> str:
    """Store a note; a reply to one that is stored for the same file joins its thread."""
    moment = note.created or comments.now()
    tag, text_of_note = _untagged(note.text, tag)
    new = NewComment(text_of_note, tag, note.author, extra={SOURCE: note.source})
    if text is None:
        entries = comments.files.entries(".")
        with comments.editing(path) as [editor]:
            return editor.add_to_folder(new, entries, moment)
    anchor = make_anchor(text, max(line, 1), commit=note.commit)
    with comments.editing(path) as [editor]:
        parent = known.get(note.reply_to, "")
        if any(it.id == parent for it in editor.sidecar.comments):
            new = replace(new, reply_to=parent)
        if not line:
            new = replace(new, scope="file")
        added = editor.add(new, text, anchor, moment).id
        if note.is_resolved:
            editor.resolve(added, "resolved", note.author, moment)
        return added


def _untagged(text: str, tag: str) -> tuple[str, str]:
    """Return the tag that a text begins with, and the rest; otherwise `tag` and the text."""
    found = _TAGGED.match(text)
    return (found[1], text[found.end() :]) if found else (tag, text)
