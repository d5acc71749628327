"""Search the content or the names of files, with a pattern that cannot hang.

RE2 looks at each byte a bounded number of times, whatever the pattern; Python's own `re` may need
longer than the universe for `(a+)+$`. It has no look-around and no back-references, which is why.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Protocol, cast

from benchpin.core import InvalidParams, Job
from benchpin.engines.beneath import FOLDER, folder_beneath, open_beneath

from .reading import looks_binary

MAX_FILE_BYTES = 16 << 20
MAX_LINE_CHARS = 400
_MAX_PATTERN_BYTES = 8 << 20
_CHECK_EVERY = 64
_PLAIN = re.compile(r"[\w \"#%&',/:;<=>@`~!-]+")
"""Nothing in it means anything to RE2."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class Hit(Protocol):
    """Where a pattern matched."""

    def start(self) -> int:
        """Return where the match begins."""

    def end(self) -> int:
        """Return where it ends."""


class Pattern(Protocol):
    """What is used of a compiled pattern."""

    def search(self, text: bytes, pos: int = 0) -> Hit | None:
        """Return the first match from a place on."""

    def finditer(self, text: bytes) -> Iterator[Hit]:
        """Give all matches."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a plain text stands."""

    at: int
    size: int

    def start(self) -> int:
        return self.at

    def end(self) -> int:
        return self.at + self.size


@dataclass(frozen=True, slots=True)
class _Text:
    """A pattern that is a plain text, which Python finds in a fraction of RE2's time."""

    text: bytes

    def search(self, text: bytes, pos: int = 0) -> _Place | None:
        at = text.find(self.text, pos)
        return None if at < 0 else _Place(at, len(self.text))

    def finditer(self, text: bytes) -> Iterator[_Place]:
        found = self.search(text)
        while found is not None:
            yield found
            found = self.search(text, found.end())


@dataclass(frozen=True, slots=True)
class Match:
    """A line, or a name when there is no line."""

    path: str
    line: int | None
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(slots=True)
class Found:
    """What a search found, and what it did not look into."""

    matches: list[Match] = field(default_factory=list)
    is_cut: bool = False
    """Whether there are more matches than were asked for."""
    files_searched: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def compile_pattern(pattern: str, *, ignore_case: bool) -> Pattern:
    """Make a pattern ready; `^` and `$` mean lines, and nothing matches across them.

    Raises:
        InvalidParams: when RE2 does not take it, saying why.
    """
    if not ignore_case and _PLAIN.fullmatch(pattern):
        return _Text(pattern.encode())
    return _compile(pattern, pattern, ignore_case=ignore_case)


def compile_line_pattern(pattern: str, *, ignore_case: bool) -> Pattern:
    """Make a pattern ready that matches each line in which it matches anything, once.

    Raises:
        InvalidParams: when RE2 does not take it, saying why.
    """
    within = compile_pattern(pattern, ignore_case=ignore_case)
    try:
        return _compile(f"^.*(?:{pattern}).*$", pattern, ignore_case=ignore_case)
    except InvalidParams:  # an open \Q, say, quotes what follows
        return within


def _compile(whole: str, pattern: str, *, ignore_case: bool) -> Pattern:
    import re2  # noqa: PLC0415 - loaded when used

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = True
    options.max_mem = _MAX_PATTERN_BYTES
    try:
        text = b"(?m)" + whole.encode("utf-8", "surrogatepass")
        return cast("Pattern", re2.compile(text, options))
    except re2.error as error:
        reason = error.args[0] if error.args else "it cannot be read"
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidParams(
            f"The pattern {pattern[:80]!r} is not a regular expression: {said}",
            suggestion="Escape special characters with a backslash. "
            "Look-around and back-references are not supported.",
            data={"pattern": pattern[:200]},
        ) from error


def search_names(paths: Sequence[str], pattern: Pattern, *, most: int, whole: bool) -> Found:
    """Search names of files, or whole paths."""
    found = Found(files_searched=len(paths))
    for path in paths:
        text = path if whole else path.rpartition("/")[2]
        if pattern.search(os.fsencode(text)):
            if len(found.matches) == most:
                found.is_cut = True
                break
            found.matches.append(Match(path, None, text))
    return found


def search_content(
    root: Path,
    paths: Sequence[str],
    pattern: Pattern,
    job: Job,
    *,
    most: int,
    context: int = 0,
) -> Found:
    """Search files, given in order, line by line; ends when there are enough matches.

    Raises:
        Cancelled: when the job was cancelled.
    """
    found = Found()
    for path, content in _contents(root, paths, found):
        if found.files_searched % _CHECK_EVERY == 0:
            job.report(found.files_searched, len(paths), "files")
            job.check()
            if job.is_expired:
                job.leave_out(f"{len(paths) - found.files_searched} of {len(paths)} files")
                break
        found.files_searched += 1
        for match in _lines(path, content, pattern, context):
            if len(found.matches) == most:
                found.is_cut = True
                return found
            found.matches.append(match)
    return found


def _contents(root: Path, paths: Sequence[str], found: Found) -> Iterator[tuple[str, bytes]]:
    """Read files, a folder at a time: each folder is opened once, without following links."""
    with folder_beneath(root, PurePosixPath()) as top:
        for parent, members in groupby(paths, lambda path: path.rpartition("/")[0]):
            try:
                folder = open_beneath(top, PurePosixPath(parent), FOLDER)
            except OSError:
                found.skipped["unreadable"] += len(list(members))
                continue
            try:
                for path in members:
                    content = _read(folder, path.rpartition("/")[2], found)
                    if content is not None:
                        yield path, content
            finally:
                os.close(folder)


def _read(folder: int, name: str, found: Found) -> bytes | None:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        found.skipped["unreadable"] += 1
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            found.skipped["too large"] += 1
            return None
        content = os.read(descriptor, status.st_size + 1)
    except OSError:
        found.skipped["unreadable"] += 1
        return None
    finally:
        os.close(descriptor)
    if looks_binary(content):
        found.skipped["binary"] += 1
        return None
    return content


def _lines(path: str, content: bytes, pattern: Pattern, context: int) -> Iterator[Match]:
    at, line, counted = 0, 1, 0
    while at <= len(content) and content:
        hit = pattern.search(content, at)
        if hit is None:
            return
        start = content.rfind(b"\n", 0, hit.start()) + 1
        end = content.find(b"\n", hit.end())
        end = len(content) if end < 0 else end
        if start == len(content) and start:
            return
        line += content.count(b"\n", counted, start)
        counted = start
        yield Match(
            path,
            line,
            _text(content[start:end], hit.start() - start),
            before=_lines_before(content, start, context),
            after=_lines_after(content, end, context),
        )
        at = end + 1


def _lines_before(content: bytes, start: int, count: int) -> tuple[str, ...]:
    first = start
    for _ in range(count if start else 0):
        first = content.rfind(b"\n", 0, max(first - 1, 0)) + 1
    lines = content[first:start].split(b"\n")[:-1]
    return tuple(_text(line, 0) for line in lines)


def _lines_after(content: bytes, end: int, count: int) -> tuple[str, ...]:
    last, limit = end, len(content) - content.endswith(b"\n")
    for _ in range(count):
        after = content.find(b"\n", last + 1)
        last = limit if after < 0 else after
    lines = content[end + 1 : last].split(b"\n") if last > end + 1 else ()
    return tuple(_text(line, 0) for line in lines)


def _text(line: bytes, at: int) -> str:
    """Decode a line; a very long one is cut around the match."""
    if len(line) <= MAX_LINE_CHARS:
        return line.removesuffix(b"\r").decode(errors="replace")
    start = max(0, min(at - MAX_LINE_CHARS // 4, len(line) - MAX_LINE_CHARS))
    part = line[start : start + MAX_LINE_CHARS].decode(errors="replace")
    return f"{'…' * (start > 0)}{part}{'…' * (start + MAX_LINE_CHARS < len(line))}"
