"""The notes of a file that an editor has open, at their lines in the unsaved text."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchpin.app import Workbench
from benchpin.comments import PlacedComment
from benchpin.core.errors import BenchpinError, FileMissing
from benchpin.workspace.diffs import line_numbers, map_lines
from benchpin.workspace.files import Unreadable, read_regular

# Notes on what is larger stay at their saved lines.
_MAX_FILE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BufferNote:
    """A note and its replies, at a line of the buffer counted from 0."""

    line: int
    note: PlacedComment
    replies: tuple[PlacedComment, ...]
    is_edited: bool
    """Whether its line was edited since the file was saved."""

    @property
    def caveat(self) -> str:
        """What became of its code, in words; empty if it is the same."""
        said = self.note.caveat()
        return "its line is being edited" if self.is_edited and not said else said

    def summary(self) -> str:
        """Return it on one line."""
        caveat = f" ({self.caveat})" if self.caveat and self.note.state != "moved" else ""
        answers = f" [{len(self.replies)}]" if self.replies else ""
        return f"{self.note.author}{caveat}: {' '.join(self.note.text.split())}{answers}"

    def thread(self) -> str:
        """Return the note and its replies as Markdown."""
        parts = []
        for number, said in enumerate((self.note, *self.replies)):
            head = f"**{said.author}** {said.created[:10]}"
            if not number:
                state = self.caveat or said.state
                head = f"📝 {head}, {said.tag or 'note'}, {said.status}, *{state}*"
            parts.append(f"{head}\n\n{said.text}")
        return "\n\n---\n\n".join(parts)


class NotesOfFile:
    """The notes of one file as it is on disk; buffers are compared with that text."""

    def __init__(self, workbench: Workbench, path: str) -> None:
        self.path = path
        self.problem = ""
        self._notes: list[PlacedComment] = []
        self._saved = saved_content(workbench.bench.workspace.root, path)
        if not workbench.bench.permissions.may_read(path):
            return  # such as `.env`: it has no notes
        try:
            found = cast("Any", workbench.call("get_file_comments", file_path=path, limit=1000))
            self._notes, self.problem = found.comments, found.damage or ""
        except FileMissing:
            pass  # it is not saved yet, and has no notes
        except BenchpinError as error:
            reason = error.data.get("reason", error.message)  # the protocol's messages are general
            self.problem = f"{reason}. {error.suggestion}"

    def gone(self) -> list[PlacedComment]:
        """Return the open notes whose code is gone."""
        return [it for it in self._notes if it.is_orphaned and it.status == "open"]

    def find(self, comment_id: str) -> PlacedComment | None:
        """Return a note or a reply by its id."""
        return next((it for it in self._notes if it.id == comment_id), None)

    def in_buffer(self, text: str, *, with_resolved: bool = False) -> list[BufferNote]:
        """Return the notes in a text that may not be saved yet, by line."""
        lines = _to_buffer(self._saved, text.encode("utf-8", "surrogatepass"))
        replies: dict[str, list[PlacedComment]] = {}
        for note in self._notes:
            if note.reply_to:
                replies.setdefault(note.reply_to, []).append(note)
        found = []
        for note in self._notes:
            if note.reply_to or note.is_orphaned or not (with_resolved or note.status == "open"):
                continue
            line, is_edited = _near(lines, note.line - 1)
            found.append(BufferNote(line, note, tuple(_answers(note, replies)), is_edited))
        return sorted(found, key=lambda it: (it.line, it.note.id))

    def saved_line(self, text: str, line: int) -> int | None:
        """Return the saved line, counted from 1, of a line of the buffer; None if it is new."""
        lines = _to_buffer(self._saved, text.encode("utf-8", "surrogatepass"))
        return lines.index(line) + 1 if line in lines else None


def _answers(
    note: PlacedComment, replies: dict[str, list[PlacedComment]]
) -> Sequence[PlacedComment]:
    """Return all replies of a thread; a reply may itself have replies."""
    found: list[PlacedComment] = []
    open_ids = [note.id]
    while open_ids:
        for reply in replies.pop(open_ids.pop(), ()):
            found.append(reply)
            open_ids.append(reply.id)
    return sorted(found, key=lambda it: (it.created, it.id))


def saved_content(root: Path, path: str) -> bytes:
    """Return a file as it is on disk; empty if it is not saved yet."""
    try:
        return read_regular(os.fsencode(root), path, _MAX_FILE_BYTES)[0]
    except Unreadable:
        return b""  # not saved yet, or no file: a pipe would never end


def _to_buffer(saved: bytes, text: bytes) -> Sequence[int]:
    """Return for each saved line its line in the buffer, or -1; both are counted from 0."""
    numbers: dict[bytes, int] = {}
    old = line_numbers(saved, numbers)
    if saved == text:
        return range(len(old))
    return map_lines(old, line_numbers(text, numbers)).to_new


def _near(lines: Sequence[int], line: int) -> tuple[int, bool]:
    """Return the line of the buffer, or of the nearest line above that is left; and if it is."""
    if not 0 <= line < len(lines):
        return 0, False
    for above in range(line, -1, -1):
        if lines[above] >= 0:
            return lines[above] + (line - above), above != line
    return line, True
