"""Find which of many globs fit a name, in time that hardly depends on how many there are.

Whole names, beginnings and endings are looked up in tables, one for each length. An expression is
tried only on names that contain the rarest of its literal texts, which is looked up as well; so a
.gitignore of 40,000 lines costs a name little more than one of ten.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from .globs import Glob, Kind

T = TypeVar("T")

Finder = Callable[[str], Sequence[T] | None]
"""Returns what was filed under the globs that fit a name; nothing, or None, when none does."""

_MANY = 8
"""Up to so many are tried one after the other, which is faster than looking them up."""


class GlobIndex(Generic[T]):
    """Things filed under globs."""

    def __init__(self, filed: Iterable[tuple[Glob, T]]) -> None:
        """File things; each under its glob."""
        self._texts: dict[Kind, dict[str, list[T]]] = {}
        self._expressions: list[tuple[Glob, T]] = []
        for glob, thing in filed:
            if glob.kind == "regex":
                self._expressions.append((glob, thing))
                continue
            texts = self._texts.setdefault(glob.kind, {})
            for text in glob.texts:
                texts.setdefault(text, []).append(thing)
        self.finders: tuple[Finder[T], ...] = tuple(self._finders())

    def find(self, name: str) -> list[T]:
        """Return what was filed under the globs that fit a name."""
        return [thing for find in self.finders for thing in find(name) or ()]

    def _finders(self) -> Iterator[Finder[T]]:
        if exact := self._texts.get("exact"):
            yield exact.get
        if prefixes := self._texts.get("prefix"):
            yield _beginning(prefixes)
        if suffixes := self._texts.get("suffix"):
            yield _ending(suffixes)
        if len(self._expressions) > _MANY:
            yield _containing(_by_rarest_literal(self._expressions))
        elif self._expressions:
            yield _Expressions(self._expressions).find


class _Expressions(Generic[T]):
    """Things filed under expressions, which are compiled when the first name comes along."""

    def __init__(self, filed: Iterable[tuple[Glob, T]]) -> None:
        self._filed: dict[str, list[T]] = {}
        for glob, thing in filed:
            self._filed.setdefault(glob.texts[0], []).append(thing)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(f"(?:{'|'.join(self._filed)})\\Z", re.DOTALL)

    @cached_property
    def _each(self) -> list[tuple[re.Pattern[str], list[T]]]:
        filed = self._filed.items()
        return [(re.compile(f"(?:{regex})\\Z", re.DOTALL), things) for regex, things in filed]

    def find(self, name: str) -> list[T] | None:
        if not self._any.match(name):
            return None
        return [thing for regex, things in self._each if regex.match(name) for thing in things]


def _by_rarest_literal(filed: Sequence[tuple[Glob, T]]) -> dict[str, _Expressions[T]]:
    """Part expressions by what they contain and few others do; nothing, where that is nothing."""
    counts = Counter(text for glob, _ in filed for text in glob.literals)
    parts: dict[str, list[tuple[Glob, T]]] = {}
    for glob, thing in filed:
        rarest = min(glob.literals, key=lambda text: (counts[text], -len(text)), default="")
        parts.setdefault(rarest, []).append((glob, thing))
    return {text: _Expressions(part) for text, part in parts.items()}


def _by_length(texts: dict[str, T]) -> list[tuple[int, dict[str, T]]]:
    tables: dict[int, dict[str, T]] = {}
    for text, value in texts.items():
        tables.setdefault(len(text), {})[text] = value
    return sorted(tables.items())


def _beginning(texts: dict[str, list[T]]) -> Finder[T]:
    tables, few = _by_length(texts), tuple(texts) if len(texts) <= _MANY else ("",)

    def find(name: str) -> list[T] | None:
        if not name.startswith(few):
            return None
        return [thing for size, table in tables for thing in table.get(name[:size], ())]

    return find


def _ending(texts: dict[str, list[T]]) -> Finder[T]:
    tables, few = _by_length(texts), tuple(texts) if len(texts) <= _MANY else ("",)

    def find(name: str) -> list[T] | None:
        if not name.endswith(few):
            return None
        return [thing for size, table in tables for thing in table.get(name[-size:], ())]

    return find


def _containing(texts: dict[str, _Expressions[T]]) -> Finder[T]:
    tables = _by_length(texts)

    def find(name: str) -> list[T]:
        found = {
            part: table[part]
            for size, table in tables
            for at in range(len(name) - size + 1)
            if (part := name[at : at + size]) in table
        }
        return [thing for expressions in found.values() for thing in expressions.find(name) or ()]

    return find
