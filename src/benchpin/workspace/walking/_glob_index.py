"""Find which of many globs match a name, in time that hardly depends on their number.

Exact names, prefixes and suffixes are looked up in tables, one per length. A regular expression is
tried only on names that contain its rarest literal text, which is looked up as well. So a
.gitignore of 40,000 lines costs little more per name than one of ten.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from ._globs import Glob, Kind

T = TypeVar("T")

# Returns the values of the globs that match a name; an empty list or None if none does.
Finder = Callable[[str], Sequence[T] | None]

# Up to this many are tried one after the other, which is faster than a lookup.
_MANY = 8


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
