"""Globs with git's semantics, matched one path component at a time.

A pattern is split at its slashes into steps, each a glob for one name; `**` before a name makes its
step deep. Names are matched one by one while a tree is walked, so no regular expression ever sees a
whole path. The texts between stars are searched leftmost first in atomic groups, without
backtracking: `*a*a*a*b` takes linear time, not exponential.

The grammar is that of git's wildmatch.c, quirks included: a pattern that git can never match
(an open bracket, an unknown class, a backslash at the end, an empty step) has no steps.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from math import prod
from typing import Generic, Literal, TypeVar

# `*.py[co]` becomes two suffixes; with more variants than this, it becomes a regex.
MAX_VARIANTS = 16
Kind = Literal["exact", "prefix", "suffix", "regex"]
_TOKEN = re.compile(r"(?P<stars>\*+)|(?P<plain>[^\\*?\[/]+)|\\(?P<escaped>.)|.", re.DOTALL)
# Ranges of first and last characters, as in git's own ctype.
_CLASSES = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "blank": ("  ", "\t\t"),
    "cntrl": ("\0\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("  ", "\t\n", "\r\r"),
    "upper": ("AZ",),
    "xdigit": ("09", "AF", "af"),
}
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
T = TypeVar("T")
# Returns the values of the globs that match a name; an empty list or None if none does.
Finder = Callable[[str], Sequence[T] | None]
# Up to this many are tried one after the other, which is faster than a lookup.
_MANY = 8


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern for one name."""

    kind: Kind
    texts: tuple[str, ...]
    """The names, prefixes or suffixes that match; or one regular expression."""
    literals: tuple[str, ...] = ()
    """Texts that every matching name contains, for a regular expression."""


ANY_NAME = Glob("prefix", ("",))


@dataclass(frozen=True, slots=True)
class GlobStep:
    """One name of a path; any number of folders may come before it if the step is deep."""

    glob: Glob
    is_deep: bool = False


@dataclass(frozen=True, slots=True)
class _Atom:
    """One character or literal of a name: a few alternatives, or a regex for many."""

    choices: tuple[str, ...]
    regex: str


_ANY_CHARACTER = _Atom((), ".")


class _Part:
    """The text between two slashes: runs of atoms, separated by stars."""

    def __init__(self) -> None:
        self.runs: list[list[_Atom]] = [[]]
        self.has_double_star = False
        self.is_before_escaped_slash = False

    def add(self, atom: _Atom) -> None:
        self.runs[-1].append(atom)

    def add_stars(self, count: int) -> None:
        self.runs.append([])
        self.has_double_star |= count > 1

    @property
    def is_empty(self) -> bool:
        return self.runs == [[]]

    @property
    def is_any_folders(self) -> bool:
        return self.has_double_star and self.runs == [[], []]

    def to_glob(self) -> Glob:
        if len(self.runs) == 1:
            texts = _variants(self.runs[0])
            return Glob("exact", texts) if texts else self._expression(_regex(self.runs[0]))
        first, *middle, last = self.runs
        if not middle and not last and (texts := _variants(first)):
            return Glob("prefix", texts)
        if not middle and not first and (texts := _variants(last)):
            return Glob("suffix", texts)
        found = "".join(f"(?>.*?{_regex(run)})" for run in middle)
        return self._expression(f"{_regex(first)}{found}.*{_regex(last)}")

    def _expression(self, regex: str) -> Glob:
        return Glob("regex", (regex,), tuple(it for run in self.runs for it in _literals(run)))


def _regex(run: Iterable[_Atom]) -> str:
    return "".join(atom.regex for atom in run)


def _literals(run: Iterable[_Atom]) -> Iterator[str]:
    """Yield the literal texts of a run."""
    for is_plain, atoms in groupby(run, lambda atom: len(atom.choices) == 1):
        if is_plain:
            yield "".join(atom.choices[0] for atom in atoms)


def _variants(run: Sequence[_Atom]) -> tuple[str, ...]:
    """Return every text that a run matches; nothing if there are too many."""
    if prod(len(atom.choices) for atom in run) not in range(1, MAX_VARIANTS + 1):
        return ()
    return tuple(map("".join, product(*(atom.choices for atom in run))))


def read_name(pattern: str, *, folds_case: bool = False) -> tuple[GlobStep, ...]:
    """Return the step of a pattern without a slash, which matches at any depth."""
    parts = _read_parts(pattern, folds_case=folds_case)
    return () if not parts or parts[0].is_empty else (GlobStep(parts[0].to_glob(), is_deep=True),)


def read_path(pattern: str, *, folds_case: bool = False) -> tuple[GlobStep, ...]:
    """Return the steps of a pattern with a slash, which starts at its own folder."""
    steps: list[GlobStep] = []
    is_deep = False
    for part in _read_parts(pattern, folds_case=folds_case):
        if part.is_empty:
            return ()
        if part.is_any_folders:
            if part.is_before_escaped_slash:  # wildmatch.c: then at least one folder
                steps.append(GlobStep(ANY_NAME, is_deep))
            is_deep = True
        else:
            steps.append(GlobStep(part.to_glob(), is_deep))
            is_deep = False
    if is_deep:
        steps.append(GlobStep(ANY_NAME, is_deep=True))
    return tuple(steps)


def _read_parts(pattern: str, *, folds_case: bool) -> list[_Part]:
    """Split a pattern at its slashes; return nothing for one that git can never match."""
    parts = [_Part()]
    at = 0
    while token := _TOKEN.match(pattern, at):
        at = token.end()
        text = token[0]
        if text in {"/", "\\/"}:
            parts[-1].is_before_escaped_slash = text != "/"
            parts.append(_Part())
        elif token["stars"]:
            parts[-1].add_stars(len(text))
        elif text == "?":
            parts[-1].add(_ANY_CHARACTER)
        elif text == "[":
            read = _read_brackets(pattern, at, folds_case=folds_case)
            if read is None:
                return []
            atom, at = read
            parts[-1].add(atom)
        elif text == "\\":
            return []
        else:
            plain = token["plain"] or token["escaped"]
            folded = fold_case(plain) if folds_case else plain
            parts[-1].add(_Atom((folded,), re.escape(folded)))
    return parts


def _read_brackets(pattern: str, at: int, *, folds_case: bool) -> tuple[_Atom, int] | None:
    """Return the characters in brackets and the position after them; wildmatch.c, `case '['`."""
    is_negated = pattern[at : at + 1] in {"!", "^"}
    at += is_negated
    start = at
    ranges: list[str] = []
    previous = ""
    while (char := pattern[at : at + 1]) != "]" or at == start:
        if char == "[" and (named := _read_class(pattern, at)) is not None:
            ranges += _CLASSES["alpha"] if folds_case and named[0] == ("AZ",) else named[0]
            previous, at = "", named[1]
            continue
        is_range = char == "-" and previous and pattern[at + 1 : at + 2] not in {"", "]"}
        at += bool(is_range)
        at += pattern[at : at + 1] == "\\"
        char = pattern[at : at + 1]
        if not char:
            return None
        if is_range:
            ranges.append(previous + char)
            if folds_case and (first := max(previous, "A")) <= (last := min(char, "Z")):
                ranges.append(fold_case(first + last))
            previous = ""
        else:
            ranges.append(char * 2)
            previous = char
        at += 1
    return _atom_of(ranges, is_negated=is_negated), at + 1


def _read_class(pattern: str, at: int) -> tuple[tuple[str, ...], int] | None:
    """Read `[:alpha:]`; None if the bracket is a literal one."""
    if pattern[at + 1 : at + 2] != ":":
        return None
    end = pattern.find("]", at + 2)
    name = pattern[at + 2 : end] if end >= 0 else ":"
    if not name.endswith(":"):
        return None
    found = _CLASSES.get(name[:-1])
    return ((), len(pattern)) if found is None else (found, end + 1)


def _atom_of(ranges: Iterable[str], *, is_negated: bool) -> _Atom:
    kept = [(text[0], text[1]) for text in ranges if text[0] <= text[1]]
    size = sum(ord(last) - ord(first) + 1 for first, last in kept)
    members = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in kept)
    if is_negated or size > MAX_VARIANTS:
        return _Atom((), f"[{'^' * is_negated}{members}]")
    listed = (chr(code) for first, last in kept for code in range(ord(first), ord(last) + 1))
    return _Atom(tuple(dict.fromkeys(listed)), f"[{members}]")


def fold_case(text: str) -> str:
    """Lower ASCII letters only, as git does with `core.ignoreCase`."""
    return text.translate(_LOWER)


# Which of many globs match a name, in time that hardly depends on their number.
#
# Exact names, prefixes and suffixes are looked up in tables, one per length. A regular expression
# is tried only on names that contain its rarest literal text, which is looked up as well. So a
# .gitignore of 40,000 lines costs little more per name than one of ten.


class GlobIndex(Generic[T]):
    """Values by glob."""

    def __init__(self, pairs: Iterable[tuple[Glob, T]]) -> None:
        """Index pairs of a glob and its value."""
        self._texts: dict[Kind, dict[str, list[T]]] = {}
        self._expressions: list[tuple[Glob, T]] = []
        for glob, value in pairs:
            if glob.kind == "regex":
                self._expressions.append((glob, value))
                continue
            texts = self._texts.setdefault(glob.kind, {})
            for text in glob.texts:
                texts.setdefault(text, []).append(value)
        self.finders: tuple[Finder[T], ...] = tuple(self._finders())

    def find(self, name: str) -> list[T]:
        """Return the values of all globs that match a name."""
        return [value for find in self.finders for value in find(name) or ()]

    def _finders(self) -> Iterator[Finder[T]]:
        if exact := self._texts.get("exact"):
            yield exact.get
        if prefixes := self._texts.get("prefix"):
            yield _prefix_finder(prefixes)
        if suffixes := self._texts.get("suffix"):
            yield _suffix_finder(suffixes)
        if len(self._expressions) > _MANY:
            yield _literal_finder(_by_rarest_literal(self._expressions))
        elif self._expressions:
            yield _Expressions(self._expressions).find


class _Expressions(Generic[T]):
    """Values by regular expression; compiled when the first name is looked up."""

    def __init__(self, pairs: Iterable[tuple[Glob, T]]) -> None:
        self._values: dict[str, list[T]] = {}
        for glob, value in pairs:
            self._values.setdefault(glob.texts[0], []).append(value)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(f"(?:{'|'.join(self._values)})\\Z", re.DOTALL)

    @cached_property
    def _each(self) -> list[tuple[re.Pattern[str], list[T]]]:
        pairs = self._values.items()
        return [(re.compile(f"(?:{regex})\\Z", re.DOTALL), values) for regex, values in pairs]

    def find(self, name: str) -> list[T] | None:
        if not self._any.match(name):
            return None
        return [value for regex, values in self._each if regex.match(name) for value in values]


def _by_rarest_literal(pairs: Sequence[tuple[Glob, T]]) -> dict[str, _Expressions[T]]:
    """Group expressions by the literal text that the fewest others contain; "" without literals."""
    counts = Counter(text for glob, _ in pairs for text in glob.literals)
    parts: dict[str, list[tuple[Glob, T]]] = {}
    for glob, value in pairs:
        rarest = min(glob.literals, key=lambda text: (counts[text], -len(text)), default="")
        parts.setdefault(rarest, []).append((glob, value))
    return {text: _Expressions(part) for text, part in parts.items()}


def _by_length(texts: dict[str, T]) -> list[tuple[int, dict[str, T]]]:
    tables: dict[int, dict[str, T]] = {}
    for text, value in texts.items():
        tables.setdefault(len(text), {})[text] = value
    return sorted(tables.items())


def _prefix_finder(texts: dict[str, list[T]]) -> Finder[T]:
    # `startswith` with a tuple rejects most names in one call, while the tuple is short.
    tables, few = _by_length(texts), tuple(texts) if len(texts) <= _MANY else ("",)

    def find(name: str) -> list[T] | None:
        if not name.startswith(few):
            return None
        return [value for size, table in tables for value in table.get(name[:size], ())]

    return find


def _suffix_finder(texts: dict[str, list[T]]) -> Finder[T]:
    tables, few = _by_length(texts), tuple(texts) if len(texts) <= _MANY else ("",)

    def find(name: str) -> list[T] | None:
        if not name.endswith(few):
            return None
        return [value for size, table in tables for value in table.get(name[-size:], ())]

    return find


def _literal_finder(texts: dict[str, _Expressions[T]]) -> Finder[T]:
    tables = _by_length(texts)

    def find(name: str) -> list[T]:
        found = {
            part: table[part]
            for size, table in tables
            for at in range(len(name) - size + 1)
            if (part := name[at : at + size]) in table
        }
        return [value for expressions in found.values() for value in expressions.find(name) or ()]

    return find
