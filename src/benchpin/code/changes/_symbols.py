"""The functions and types that a change adds, removes, changes, moves or renames."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import Literal

import msgspec

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts, Function, Outline, Type, open_index
from benchpin.facts.languages import detect_language
from benchpin.facts.store import Section

from ._deltas import FileDelta

SymbolStatus = Literal["added", "removed", "changed", "moved", "renamed"]
# The share of equal words from which a function under another name counts as the same.
_MIN_SIMILARITY = 0.8
# A shorter body says too little to be recognised under another name.
_MIN_WORDS = 12
_MAX_WORDS = 5_000
# Pairs of removed and added symbols that are compared.
_MAX_PAIRS = 2_000
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class SymbolState:
    """A function or type in one state of a file."""

    path: str
    fact: Function | Type
    text: str
    """Its own lines, without those of symbols inside it."""

    @property
    def name(self) -> str:
        return self.fact.name

    @property
    def signature(self) -> str:
        """How it is called or derived."""
        fact = self.fact
        return fact.signature if isinstance(fact, Function) else ", ".join(fact.bases)


@dataclass(frozen=True, slots=True)
class SymbolChange:
    status: SymbolStatus
    before: SymbolState | None
    after: SymbolState | None

    @property
    def now(self) -> SymbolState:
        """The symbol after the change; before it, if it is gone."""
        found = self.after or self.before
        if found is None:
            message = "a change has a side"
            raise ValueError(message)
        return found

    @property
    def is_signature_changed(self) -> bool:
        """Whether what callers rely on differs."""
        if self.before is None or self.after is None:
            return False
        return self.before.signature != self.after.signature


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs, and the facts of both sides where it is in a known language."""

    delta: FileDelta
    before: FileFacts | None
    after: FileFacts | None


# Facts by path; None where there is no file.
Files = Mapping[str, FileFacts | None]


def files_before(files: Iterable[ChangedFile]) -> Files:
    """Return the changed files as they were, and what was not there."""
    found: dict[str, FileFacts | None] = {}
    for file in files:
        old_path = file.delta.old_path or file.delta.path
        found[file.delta.path] = None
        if file.before is not None:
            found[old_path] = msgspec.structs.replace(file.before, path=old_path)
    return found


def files_after(files: Iterable[ChangedFile]) -> Files:
    """Return the changed files as they are after the change, and what is gone."""
    found: dict[str, FileFacts | None] = {}
    for file in files:
        if file.delta.old_path:
            found.setdefault(file.delta.old_path, None)
        found[file.delta.path] = file.after
    return found


def read_changed(
    session: WorkspaceSession,
    deltas: Sequence[FileDelta],
    job: Job,
    sections: tuple[Section, ...] = ("outline",),
) -> list[ChangedFile]:
    index = open_index(session)
    old = index.read_texts(dict(_texts(deltas, is_before=True)), sections, job)
    new = index.read_texts(dict(_texts(deltas, is_before=False)), sections, job)
    return [ChangedFile(it, old.get(it.path), new.get(it.path)) for it in deltas]


def read_before(
    session: WorkspaceSession,
    deltas: Sequence[FileDelta],
    job: Job,
    sections: tuple[Section, ...] = ("outline",),
) -> Files:
    """Return the changed files as they were, and what was not there; faster than both sides."""
    old = open_index(session).read_texts(dict(_texts(deltas, is_before=True)), sections, job)
    return files_before(ChangedFile(it, old.get(it.path), None) for it in deltas)


def _texts(
    deltas: Iterable[FileDelta], *, is_before: bool
) -> Iterator[tuple[str, tuple[str, bytes]]]:
    for delta in deltas:
        content = delta.before if is_before else delta.after
        name = delta.old_path or delta.path if is_before else delta.path
        if content is None:
            continue
        language = detect_language(name, partial(bytes, content))
        if language is not None:
            yield delta.path, (language, content)


def compare_symbols(files: Iterable[ChangedFile]) -> list[SymbolChange]:
    """Return what happened to each symbol, by path and line."""
    found: list[SymbolChange] = []
    removed: list[SymbolState] = []
    added: list[SymbolState] = []
    for file in files:
        old_path = file.delta.old_path or file.delta.path
        old = _symbols(old_path, file.before, file.delta.before)
        new = _symbols(file.delta.path, file.after, file.delta.after)
        found += (
            SymbolChange("changed", symbol, new[key])
            for key, symbol in old.items()
            if key in new and symbol.text != new[key].text
        )
        removed += (symbol for key, symbol in old.items() if key not in new)
        added += (symbol for key, symbol in new.items() if key not in old)
    found += _pair(removed, added)
    return sorted(found, key=lambda it: (it.now.path, it.now.fact.line, it.now.name))


def _pair(removed: list[SymbolState], added: list[SymbolState]) -> Iterator[SymbolChange]:
    """Find moves and renames among what is gone and what is new."""
    left = list(added)
    pairs = 0
    for old in removed:
        same = [it for it in left if _last(it.name) == _last(old.name) and it.path != old.path]
        twin = next((it for it in same if _is_similar(old, it)), None)
        status: SymbolStatus = "moved"
        if twin is None and pairs < _MAX_PAIRS:
            near = [it for it in left if type(it.fact) is type(old.fact) and it.path == old.path]
            pairs += len(near)
            twin = next((it for it in near if _is_similar(old, it)), None)
            status = "renamed"
        if twin is None:
            yield SymbolChange("removed", old, None)
        else:
            left.remove(twin)
            yield SymbolChange(status, old, twin)
    yield from (SymbolChange("added", None, it) for it in left)


def _is_similar(old: SymbolState, new: SymbolState) -> bool:
    one, other = (_WORD.findall(it.text, 0)[:_MAX_WORDS] for it in (old, new))
    names = {_last(old.name), _last(new.name)}
    one, other = ([it for it in words if it not in names] for words in (one, other))
    if one == other:
        return True
    if min(len(one), len(other)) < _MIN_WORDS:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return (
        matcher.real_quick_ratio() >= _MIN_SIMILARITY
        and matcher.quick_ratio() >= _MIN_SIMILARITY
        and matcher.ratio() >= _MIN_SIMILARITY
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _symbols(
    path: str, facts: FileFacts | None, content: bytes | None
) -> Mapping[tuple[str, int], SymbolState]:
    """Return the symbols of a file by name; those of one name are numbered."""
    if facts is None or content is None:
        return {}
    lines = content.decode(errors="replace").split("\n")
    found: dict[tuple[str, int], SymbolState] = {}
    count: Counter[str] = Counter()
    ordered = sorted(_facts(facts.outline), key=lambda it: (it.line, -it.end_line))
    for at, fact in enumerate(ordered):
        inner: set[int] = set()
        below = at + 1
        while below < len(ordered) and (other := ordered[below]).line <= fact.end_line:
            if other.name.startswith(f"{fact.name}."):
                inner.update(range(other.line, other.end_line + 1))
            below += 1
        own = (it for it in range(fact.line, fact.end_line + 1) if it not in inner)
        text = "\n".join(lines[it - 1].rstrip() for it in own if it <= len(lines))
        found[fact.name, count[fact.name]] = SymbolState(path, fact, text)
        count[fact.name] += 1
    return found


def _facts(outline: Outline) -> Iterator[Function | Type]:
    yield from outline.types
    yield from outline.functions
