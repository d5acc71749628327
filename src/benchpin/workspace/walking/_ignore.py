"""Which names git ignores: the rules that apply in one folder, and in the folders below it.

Why not `pathspec` (1.1.1)? Measured on Django (7,085 files in 3,275 folders, one .gitignore of 14
lines): it matches whole paths, which added 46 ms to a walk of 49 ms, where this adds 5 ms;
`*a*a*a*b` makes it backtrack without bound, and a repository may contain such a line; and it
matches characters where git matches bytes. Here most rules are found by a table lookup (exact name,
suffix, prefix), and few become a regular expression.

`IgnoreRules` are those of one folder. They match names in it; `enter` returns those of a folder in
it, which is when patterns with slashes advance one step. An ignored folder is never entered, so
nothing in it can be included again, as in git.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ._globs import GlobIndex, GlobStep, fold_case, read_name, read_path

_MAX_STATES = 4_096
# A longer line is left out: each folder costs time by its length, and no path is longer.
_MAX_LINE = 4_096
# Reading this many takes half a second; the rest is left out.
_MAX_LINES = 100_000


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of a .gitignore."""

    steps: tuple[GlobStep, ...]
    is_negated: bool = False
    is_for_folders: bool = False


class _PendingRule(NamedTuple):
    """The part of a rule that is still to be matched below a folder."""

    run: int
    """The number of its run of lines; runs alternate, and the lines of odd ones are negated.

    The last match of a file wins, so only the highest run that matches is needed, not the line.
    """
    is_for_folders: bool
    steps: tuple[GlobStep, ...]

    @property
    def is_last(self) -> bool:
        """Whether only one name is left to match."""
        return len(self.steps) == 1

    def advanced(self) -> "_PendingRule":
        """Return the rule after its next name has matched."""
        return self._replace(steps=self.steps[1:])


def _pending(rules: Iterable[IgnoreRule]) -> Iterator[_PendingRule]:
    run = 0
    for rule in rules:
        run += rule.is_negated != run % 2
        yield _PendingRule(run, rule.is_for_folders, rule.steps)


def _indexed(rules: Iterable[_PendingRule]) -> GlobIndex[_PendingRule]:
    return GlobIndex((rule.steps[0].glob, rule) for rule in rules)


class RuleSet:
    """The rules of one file; immutable, so that it can be shared."""

    def __init__(self, rules: Iterable[IgnoreRule], left_out: int = 0) -> None:
        """Use rules; `left_out` counts the lines of the file that are none of them."""
        self.left_out = left_out
        pending = frozenset(_pending(rules))
        everywhere = [rule for rule in pending if rule.steps[0].is_deep]
        self.everywhere = _indexed(everywhere)
        """Rules that apply at any depth."""
        self.is_empty = not everywhere
        self.can_advance = not all(rule.is_last for rule in everywhere)
        # Memo: most folders of a tree are in the same few states.
        self._states: dict[frozenset[_PendingRule], _RuleState] = {}
        self.top = self.state(pending.difference(everywhere))

    def state(self, pending: frozenset[_PendingRule]) -> "_RuleState":
        """Return the rules of a folder where these are still to be matched."""
        state = self._states.get(pending)
        if state is None:
            if len(self._states) > _MAX_STATES:
                self._states.clear()
            state = self._states[pending] = _RuleState(self, pending)
        return state


class _RuleState:
    """The rules of one file, as they apply in one folder."""

    def __init__(self, rules: RuleSet, pending: frozenset[_PendingRule]) -> None:
        self._rules = rules
        self._here = _indexed(pending)
        self._deep = frozenset(rule for rule in pending if rule.steps[0].is_deep)
        self.finders = (*rules.everywhere.finders, *self._here.finders)
        self.can_advance = bool(pending) or rules.can_advance
        self.is_empty = not pending and rules.is_empty

    def enter(self, name: str) -> "_RuleState":
        """Return the state in a folder of this one."""
        found = (*self._rules.everywhere.find(name), *self._here.find(name))
        advanced = [rule.advanced() for rule in found if not rule.is_last]
        return self._rules.state(self._deep.union(advanced))


@lru_cache(maxsize=128)
def read_rules(content: bytes, *, folds_case: bool = False) -> RuleSet:
    """Read a .gitignore as git does; what is over a limit is left out, and counted."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = [line for line in lines if line and not line.startswith(b"#")]
    kept = [line for line in lines if len(line) <= _MAX_LINE][:_MAX_LINES]
    return RuleSet(_read_lines(kept, folds_case=folds_case), len(lines) - len(kept))


def _read_lines(lines: Iterable[bytes], *, folds_case: bool) -> Iterator[IgnoreRule]:
    for raw in lines:
        line = raw.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1")
        pattern = _trimmed(line)
        is_negated = pattern.startswith("!")
        pattern = pattern.removeprefix("!")
        is_for_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        read = read_path if "/" in pattern else read_name
        if steps := read(pattern.removeprefix("/"), folds_case=folds_case):
            yield IgnoreRule(steps, is_negated, is_for_folders)


def _trimmed(line: str) -> str:
    """Remove trailing spaces, except an escaped one."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + line[len(kept) : len(kept) + backslashes % 2]


def read_globs(patterns: Iterable[str]) -> RuleSet:
    """Read globs of a caller: no comments, no negation, characters instead of bytes."""
    rules = []
    for pattern in patterns:
        bare = pattern.removeprefix(".") if pattern.startswith("./") else pattern
        bare = bare.removesuffix("/")
        read = read_path if "/" in bare else read_name
        if steps := read(bare.removeprefix("/")):
            rules.append(IgnoreRule(steps, is_for_folders=pattern.endswith("/")))
    return RuleSet(rules)


def byte_key(name: str) -> str:
    """Return the bytes of a name as one character each, which is what git matches."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


def folded_key(name: str) -> str:
    """Return the bytes of a name in lower case."""
    return fold_case(byte_key(name))


def _matcher(
    states: Iterable[_RuleState], key: Callable[[str], str], *, is_for_folders: bool
) -> Callable[[str], bool]:
    """Return a function that matches names; the first file with a matching rule decides."""
    is_always_keyed = key is folded_key
    finders_of_files = tuple(state.finders for state in states)

    # Called for every name of a walk: no attribute lookups, and no key for ASCII names.
    def match(name: str) -> bool:
        if is_always_keyed or not name.isascii():
            name = key(name)
        for finders in finders_of_files:
            latest = -1
            for find in finders:
                for rule in find(name) or ():
                    applies = is_for_folders or not rule.is_for_folders
                    if rule.run > latest and applies and rule.is_last:
                        latest = rule.run
            if latest >= 0:
                return latest % 2 == 0
        return False

    return match


class IgnoreRules:
    """The rules that apply in one folder, those of the nearest file first; immutable."""

    __slots__ = ("_key", "_states", "can_advance", "match_file", "match_folder")

    def __init__(
        self, key: Callable[[str], str] = str, states: Iterable[_RuleState] = (), /
    ) -> None:
        """Combine the rules of several files; `key` converts a name to the form they match."""
        self._key = key
        self._states = tuple(state for state in states if not state.is_empty)
        self.can_advance = any(state.can_advance for state in self._states)
        """Whether the rules of folders below may differ."""
        self.match_file = _matcher(self._states, key, is_for_folders=False)
        """Whether a file of that name in this folder is ignored."""
        self.match_folder = _matcher(self._states, key, is_for_folders=True)
        """Whether a folder of that name in this folder is ignored."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match, here and below."""
        return not self._states

    @property
    def folds_case(self) -> bool:
        """Whether case is ignored."""
        return self._key is folded_key

    def joined_by(self, rules: RuleSet) -> "IgnoreRules":
        """Return these rules with those of a file in this folder, which take precedence."""
        return IgnoreRules(self._key, (rules.top, *self._states))

    def enter(self, name: str) -> "IgnoreRules":
        """Return the rules of a folder in this one."""
        if not self.can_advance:
            return self
        key = self._key(name)
        states = tuple(it.enter(key) if it.can_advance else it for it in self._states)
        return self if states == self._states else IgnoreRules(self._key, states)
