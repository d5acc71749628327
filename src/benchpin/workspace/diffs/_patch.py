"""Read a unified diff and apply it to texts, as `git apply` would.

Written by hand: the parsers on PyPI read patches and do not apply them, and git would need the
files to be in its work tree.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchpin.core.errors import InvalidParams
from benchpin.core.text import sendable

MAX_CHARS = 5_000_000
_MAX_HUNKS = 20_000
# Lines that a hunk may have moved by.
_FARTHEST = 300
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_NO_NEWLINE = "\\ No newline"
_NOTHING = "/dev/null"
_HINT = "Give the output of `git diff` or `diff -u`, unchanged."


@dataclass(slots=True)
class PatchHunk:
    """Lines to replace: `before` is at `start`, counted from 1."""

    start: int
    before: list[bytes] = field(default_factory=list)
    after: list[bytes] = field(default_factory=list)
    ends_bare: bool = False
    """Whether the new text ends without a line feed."""


@dataclass(slots=True)
class FilePatch:
    """What a patch does to one file; a path is empty where there is no file."""

    old_path: str
    new_path: str
    hunks: list[PatchHunk] = field(default_factory=list)


def read_patch(text: str) -> list[FilePatch]:
    """Return the parts of a patch.

    Raises:
        InvalidParams: when it is not a unified diff, too long, or cut short.
    """
    if len(text) > MAX_CHARS:
        raise InvalidParams(
            f"The patch has {len(text):,} characters, more than {MAX_CHARS:,}",
            suggestion="Give the patch of fewer files.",
        )
    parts = _Reader(text.split("\n")).read()
    if not parts:
        raise InvalidParams("The patch changes no file", suggestion=_HINT)
    return parts


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._parts: list[FilePatch] = []
        self._hunks = 0

    def read(self) -> list[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                self._read_head()
            elif line.startswith("--- ") and self._next().startswith("+++ "):
                self._start(_path(line[4:]), _path(self._next()[4:]))
                self._at += 2
            elif found := _HUNK.match(line):
                self._read_hunk(found)
            else:
                self._at += 1
        return [it for it in self._parts if it.hunks or it.old_path != it.new_path]

    def _next(self) -> str:
        return self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""

    def _start(self, old: str, new: str) -> None:
        last = self._parts[-1] if self._parts else None
        if last is not None and not last.hunks and {last.old_path, last.new_path} & {old, new}:
            last.old_path, last.new_path = old, new  # said before by `diff --git`
        else:
            self._parts.append(FilePatch(old, new))

    def _read_head(self) -> None:
        """Read what git says of a file before its hunks: it may only be renamed."""
        self._at += 1
        renamed: dict[str, str] = {}
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(("diff --git ", "--- ", "@@ ")):
                break
            for word in ("rename from ", "rename to "):
                if line.startswith(word):
                    renamed[word] = _path(line[len(word) :], is_bare=True)
            self._at += 1
        if len(renamed) == len(("from", "to")):
            self._parts.append(FilePatch(renamed["rename from "], renamed["rename to "]))

    def _read_hunk(self, head: re.Match[str]) -> None:
        if not self._parts:
            raise InvalidParams(
                f"Line {self._at + 1} of the patch is a hunk without a file", suggestion=_HINT
            )
        self._hunks += 1
        if self._hunks > _MAX_HUNKS:
            raise InvalidParams(
                f"The patch has more than {_MAX_HUNKS:,} hunks",
                suggestion="Give the patch of fewer files.",
            )
        old, new = (int(it) if it is not None else 1 for it in head.group(2, 3))
        hunk = PatchHunk(int(head[1]))
        first = self._at
        self._at += 1
        while len(hunk.before) < old or len(hunk.after) < new:
            if self._at >= len(self._lines):
                raise InvalidParams(
                    f"The hunk at line {first + 1} of the patch is cut short", suggestion=_HINT
                )
            self._take(hunk, self._lines[self._at])
            self._at += 1
        if self._at < len(self._lines) and self._lines[self._at].startswith(_NO_NEWLINE):
            hunk.ends_bare = self._lines[self._at - 1][:1] != "-"
            self._at += 1
        self._parts[-1].hunks.append(hunk)

    def _take(self, hunk: PatchHunk, line: str) -> None:
        sign, text = line[:1], line[1:].rstrip("\r").encode(errors="surrogateescape")
        if sign in {" ", ""}:  # some programs drop the space of an empty line
            hunk.before.append(text)
            hunk.after.append(text)
        elif sign == "-":
            hunk.before.append(text)
        elif sign == "+":
            hunk.after.append(text)
        elif sign != "\\":
            raise InvalidParams(
                f"Line {self._at + 1} of the patch begins with {sign!r}, not with ' ', '+' or '-'",
                suggestion=_HINT,
            )


def _path(text: str, *, is_bare: bool = False) -> str:
    name = text.partition("\t")[0].rstrip("\r")
    if name == _NOTHING:
        return ""
    if name.startswith('"') and name.endswith('"'):
        try:
            raw = name[1:-1].encode("latin-1", "replace").decode("unicode_escape")
        except UnicodeDecodeError as error:
            message = f"The patch has a name that cannot be read: {sendable(name[:100])}"
            raise InvalidParams(message, suggestion=_HINT) from error
        name = raw.encode("latin-1", "replace").decode(errors="surrogateescape")
    is_prefixed = not is_bare and name[:2] in {"a/", "b/"}
    return name[2:] if is_prefixed else name


def apply_patch(before: bytes | None, patch: FilePatch) -> bytes | None:
    """Return the content of a file after a patch; None if the patch deletes it.

    Raises:
        InvalidParams: when a hunk does not fit.
    """
    shown = sendable(patch.old_path or patch.new_path)
    if patch.old_path and before is None:
        raise InvalidParams(
            f"The patch changes {shown!r}, which cannot be read",
            suggestion="Give a patch against the files as they are now.",
            data={"path": shown},
        )
    text = before or b""
    end = b"\r\n" if b"\r\n" in text else b"\n"
    lines = [it.removesuffix(b"\r") for it in text.split(b"\n")]
    is_bare = lines[-1] != b""
    if not is_bare:
        lines.pop()
    made: list[bytes] = []
    done = drift = 0
    for number, hunk in enumerate(patch.hunks, start=1):
        at = _find(lines, hunk, done, drift)
        if at is None:
            raise InvalidParams(
                f"Hunk {number} of the patch does not fit {shown!r} near line {hunk.start}",
                suggestion="Make a new patch from the file as it is now.",
                data={"path": shown, "hunk": number},
            )
        drift = at - _stated(hunk)
        made += lines[done:at]
        made += hunk.after
        done = at + len(hunk.before)
        if done == len(lines):
            is_bare = hunk.ends_bare
    made += lines[done:]
    if not patch.new_path:
        return None
    return end.join(made) + (b"" if is_bare or not made else end)


def is_applied(now: bytes | None, patch: FilePatch) -> bool:
    """Whether a file is as a patch would leave it: the patch fits in reverse."""
    if now is None:
        return not patch.new_path
    if not all(it.after for it in patch.hunks):
        return False  # what only deletes, without lines around it, fits everywhere in reverse
    hunks = [PatchHunk(it.start, it.after, it.before) for it in patch.hunks]
    try:
        apply_patch(now, FilePatch(patch.new_path, patch.old_path, hunks))
    except InvalidParams:
        return False
    return True


def _stated(hunk: PatchHunk) -> int:
    """Return the line, from 0, at which a hunk says that it begins."""
    return max(0, hunk.start - 1) if hunk.before else hunk.start


def _find(lines: Sequence[bytes], hunk: PatchHunk, done: int, drift: int) -> int | None:
    """Return where a hunk fits, as near as possible to where it says and after those before it."""
    expected, size = _stated(hunk) + drift, len(hunk.before)
    for distance in range(_FARTHEST):
        for at in {expected - distance, expected + distance}:
            if done <= at <= len(lines) - size and lines[at : at + size] == hunk.before:
                return at
    return None
