"""Search the content or the names of files, in linear time for every pattern.

RE2 takes time in proportion to the text; Python's own `re` takes exponential time for patterns
such as `(a+)+$`. The price is that RE2 has no look-around and no back-references.
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

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.core.text import sendable, utf8
from benchpin.workspace.files import FOLDER, READ, folder_beneath, looks_binary, open_beneath

MAX_FILE_BYTES = 16 << 20
MAX_LINE_CHARS = 400
_MAX_PATTERN_BYTES = 8 << 20
_CHECK_EVERY = 64  # files between two looks at the job
# Characters without a special meaning in RE2.
_PLAIN = re.compile(r"[\w \"#%&',/:;<=>@`~!-]+")
# A name with stars, without what only a regular expression has; `.*` is one of these.
_IS_GLOB = re.compile(r"(?:[^\\^$|()\[\]+{}]|\{[^\\^$|()\[\]+{}]*\})+")
_STAR_OF_GLOB = re.compile(r"(?<![.])[*]")
_OF_GLOB = re.compile(r"\*\*/|\*\*|[*?{},]|[^*?{},]+")
_AS_REGEX = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_AS_REGEX |= {"{": "(?:", ",": "|", "}": ")"}
_IN_WORD = re.compile(r"\w")
_MAX_CHAR_BYTES = 4  # of UTF-8
_READ = READ | getattr(os, "O_NOFOLLOW", 0)


class PatternMatch(Protocol):
    """One match of a pattern, in bytes."""

    def start(self) -> int:
        """Return the offset of the first byte."""

    def end(self) -> int:
        """Return the offset after the last byte."""


class Pattern(Protocol):
    """The part of a compiled pattern that is used here."""

    def search(self, text: bytes, pos: int = 0) -> PatternMatch | None:
        """Return the first match at or after an offset."""

    def finditer(self, text: bytes) -> Iterator[PatternMatch]:
        """Yield all matches."""


@dataclass(frozen=True, slots=True)
class _LiteralMatch:
    at: int
    size: int

    def start(self) -> int:
        return self.at

    def end(self) -> int:
        return self.at + self.size


@dataclass(frozen=True, slots=True)
class _LiteralPattern:
    """A pattern without special characters, which `bytes.find` finds faster than RE2."""

    text: bytes

    def search(self, text: bytes, pos: int = 0) -> _LiteralMatch | None:
        at = text.find(self.text, pos)
        return None if at < 0 else _LiteralMatch(at, len(self.text))

    def finditer(self, text: bytes) -> Iterator[_LiteralMatch]:
        found = self.search(text)
        while found is not None:
            yield found
            found = self.search(text, found.end())


@dataclass(frozen=True, slots=True)
class _WordPattern:
    """A name, where it is not a part of a longer one."""

    name: bytes

    def search(self, text: bytes, pos: int = 0) -> _LiteralMatch | None:
        at = text.find(self.name, pos)
        while at >= 0:
            end = at + len(self.name)
            # Most neighbours are ASCII; others are decoded, as letters of all scripts are in names.
            before = text[max(0, at - _MAX_CHAR_BYTES) : at].decode(errors="ignore")[-1:]
            after = text[end : end + _MAX_CHAR_BYTES].decode(errors="ignore")[:1]
            if not _IN_WORD.match(before) and not _IN_WORD.match(after):
                return _LiteralMatch(at, len(self.name))
            at = text.find(self.name, at + 1)
        return None

    def finditer(self, text: bytes) -> Iterator[_LiteralMatch]:
        found = self.search(text)
        while found is not None:
            yield found
            found = self.search(text, found.end())


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """A line that matches, or a file whose name does."""

    path: str
    line: int | None
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(slots=True)
class SearchOutcome:
    """The matches of a search, and how many files were skipped, by reason."""

    matches: list[SearchMatch] = field(default_factory=list)
    is_cut: bool = False
    """Whether there are more matches than requested."""
    files_searched: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def compile_pattern(pattern: str, *, ignore_case: bool, of_names: bool = False) -> Pattern:
    """Compile a pattern; `^` and `$` match at lines, and no match crosses a line end.

    A pattern of names or paths of files may be a glob, such as *.py.

    Raises:
        InvalidParams: when RE2 rejects it, with the reason.
    """
    if of_names and _IS_GLOB.fullmatch(pattern) and _STAR_OF_GLOB.search(pattern):
        regex = _OF_GLOB.sub(lambda it: _AS_REGEX.get(it[0]) or re.escape(it[0]), pattern)
        return _compile(f"(?:^|/){regex}$", pattern, ignore_case=ignore_case)
    if not ignore_case and _PLAIN.fullmatch(pattern):
        return _LiteralPattern(pattern.encode())
    return _compile(pattern, pattern, ignore_case=ignore_case)


def compile_line_pattern(pattern: str, *, ignore_case: bool) -> Pattern:
    """Compile a pattern that matches each whole line which contains a match, once.

    Raises:
        InvalidParams: when RE2 rejects it, with the reason.
    """
    within = compile_pattern(pattern, ignore_case=ignore_case)
    try:
        return _compile(f"^.*(?:{pattern}).*$", pattern, ignore_case=ignore_case)
    except InvalidParams:  # an open \Q, for example, also quotes the parenthesis added here
        return within


def _compile(whole: str, pattern: str, *, ignore_case: bool) -> Pattern:
    import re2  # noqa: PLC0415 - heavy, loaded when used

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = True
    options.max_mem = _MAX_PATTERN_BYTES
    try:
        text = b"(?m)" + whole.encode("utf-8", "surrogatepass")
        return cast("Pattern", re2.compile(text, options))
    except re2.error as error:
        reason = error.args[0] if error.args else "RE2 gives no reason"
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        said = said.replace("(?m)", "", 1)  # ours, not the caller's
        raise InvalidParams(
            f"The pattern {pattern[:80]!r} is not a regular expression: {said}",
            suggestion="Escape special characters with a backslash. "
            "Look-around and back-references are not supported.",
            data={"pattern": pattern[:200]},
        ) from error


def search_names(
    paths: Sequence[str], pattern: Pattern, *, most: int, whole: bool
) -> SearchOutcome:
    """Search the names of files, or their whole paths."""
    found = SearchOutcome(files_searched=len(paths))
    for path in paths:
        text = path if whole else path.rpartition("/")[2]
        if pattern.search(os.fsencode(text)):
            if len(found.matches) == most:
                found.is_cut = True
                break
            found.matches.append(SearchMatch(sendable(path), None, utf8(text), (), ()))
    return found


def search_content(
    root: Path,
    paths: Sequence[str],
    pattern: Pattern,
    job: Job,
    *,
    most: int,
    context: int = 0,
) -> SearchOutcome:
    """Search files in the given order, line by line, until there are enough matches."""
    found = SearchOutcome()
    for path, content in _searched(root, paths, found, job):
        for match in matching_lines(path, content, pattern, context):
            if len(found.matches) == most:
                found.is_cut = True
                return found
            found.matches.append(match)
    return found


def search_words(
    root: Path, paths: Sequence[str], names: Sequence[str], job: Job
) -> tuple[dict[str, dict[str, frozenset[int]]], SearchOutcome]:
    """Return the lines that have each name as a whole word, by name and path.

    To read the files is most of the work: many names take hardly longer than one.
    """
    words = [(it, _WordPattern(it.encode(errors="surrogatepass"))) for it in names]
    found = SearchOutcome()
    places: dict[str, dict[str, frozenset[int]]] = {it: {} for it in names}
    for path, content in _searched(root, paths, found, job):
        for name, word in words:
            if word.name in content:
                lines = [it.line or 0 for it in matching_lines(path, content, word)]
                if lines:
                    places[name][path] = frozenset(lines)
    return places, found


def read_texts(root: Path, paths: Sequence[str], job: Job) -> Iterator[tuple[str, bytes]]:
    """Yield the contents of text files that can be read, as many as there is time for."""
    yield from _searched(root, paths, SearchOutcome(), job)


def _searched(
    root: Path, paths: Sequence[str], found: SearchOutcome, job: Job
) -> Iterator[tuple[str, bytes]]:
    """Yield the texts of files, as many as there is time for."""
    for path, content in _contents(root, paths, found):
        if found.files_searched % _CHECK_EVERY == 0:
            job.report(found.files_searched, len(paths), "files")
            job.check()
            if job.is_expired:
                job.leave_out(f"{len(paths) - found.files_searched} of {len(paths)} files")
                return
        found.files_searched += 1
        yield path, content


def _contents(
    root: Path, paths: Sequence[str], found: SearchOutcome
) -> Iterator[tuple[str, bytes]]:
    """Read files; each folder is opened once, without following symbolic links."""
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


def _read(folder: int, name: str, found: SearchOutcome) -> bytes | None:
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


def matching_lines(
    path: str, content: bytes, pattern: Pattern, context: int = 0
) -> Iterator[SearchMatch]:
    """Yield the lines of a file that match, each once."""
    # `counted` is how far line ends were counted: each byte is counted once, not once per match.
    at, line, counted = 0, 1, 0
    while at <= len(content) and content:
        hit = pattern.search(content, at)
        if hit is None:
            return
        start = content.rfind(b"\n", 0, hit.start()) + 1
        end = content.find(b"\n", hit.end())
        end = len(content) if end < 0 else end
        if start == len(content) and start:  # an empty match after the last line end
            return
        line += content.count(b"\n", counted, start)
        counted = start
        yield SearchMatch(
            sendable(path),
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
    """Decode a line; cut a very long one around the match."""
    if len(line) <= MAX_LINE_CHARS:
        return line.removesuffix(b"\r").decode(errors="replace")
    start = max(0, min(at - MAX_LINE_CHARS // 4, len(line) - MAX_LINE_CHARS))
    part = line[start : start + MAX_LINE_CHARS].decode(errors="replace")
    return f"{'…' * (start > 0)}{part}{'…' * (start + MAX_LINE_CHARS < len(line))}"
