"""What the measures say of a change: copies, unused code and cycles that it brings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from benchpin.code.changes import ChangedFile
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileFacts, Function
from benchpin.facts.languages import family_of, unit_of
from benchpin.measures.clones import CloneGroup, DuplicateOptions, Fragment
from benchpin.measures.graph import Graph, shortest_way
from benchpin.present import Level
from benchpin.project import FileCycle, Measured
from benchpin.workspace.walking import is_product_path

from ._checks import remark_on
from ._references import remark_at
from ._remarks import Remark
from ._state import ReviewState

T = TypeVar("T")

# Semantic clones are no copies: they are written anew.
_CLONES = DuplicateOptions(types=("exact", "renamed", "gapped"))
# The share of a copy that a change must have written to have brought it.
_MIN_NEW_SHARE = 0.9
# The share of a function that a copy must have to be one of the function.
_MIN_WHOLE_SHARE = 0.8


def check_unused(state: ReviewState) -> Iterator[Remark]:
    """Name new functions and types that nothing uses."""
    new = {
        (it.now.path, it.now.fact.line): it
        for it in state.symbols
        if it.status == "added" and is_product_path(it.now.path)
    }
    if not new:
        return
    found = _found(state, state.project_after.dead_code(include_public=True), "unused code")
    for item in found.items if found is not None else ():
        change = new.get((item.file, item.line))
        # What new code uses that nothing uses is named by that; a test is a use.
        if change is not None and item.status == "unused":
            level: Level = "note" if change.now.fact.is_public else "warning"
            yield remark_on(change, "unused-code", level, f"Nothing uses {item.name} yet")


def _found(state: ReviewState, measured: Measured[T], what: str) -> T | None:
    """Return what a measure found; say so if it could not be taken."""
    if measured.found is None and not isinstance(measured.error, TimeLimitExceeded):
        state.job.leave_out(f"the check of {what}: {measured.reason}")
    return measured.found


def check_copies(state: ReviewState) -> Iterator[Remark]:
    """Name new code that repeats other code, each place once, the longest copy first."""
    new = NewLines(state)
    if not new.may_be_copied:
        return
    found = _found(state, state.project_after.duplicates(_CLONES), "copies")
    pairs = [
        _Copy(state, group, *pair)
        for group in (found.groups if found is not None else ())
        if not group.is_test_code
        for pair in new.pairs(group)
    ]
    said: dict[str, set[int]] = {}
    for pair in sorted(pairs, key=lambda it: (-len(it.lines), it.copy.file, it.copy.line)):
        lines = said.setdefault(pair.copy.file, set())
        if lines.isdisjoint(pair.lines) and not pair.was_there:
            lines.update(pair.around)
            yield pair.remark()


class NewLines:
    """The lines of product code that a change wrote, less those that it only moved."""

    def __init__(self, state: ReviewState) -> None:
        self._lines = {
            it.delta.path: set(state.new_lines(it))
            for it in state.files
            if it.after is not None and is_product_path(it.delta.path)
        }
        for change in state.symbols:
            now = change.after
            if now is not None and change.status in {"moved", "renamed"}:
                moved = range(now.fact.line, now.fact.end_line + 1)
                self._lines.get(now.path, set()).difference_update(moved)

    @property
    def may_be_copied(self) -> bool:
        """Whether they are enough for a clone."""
        return any(len(it) >= _CLONES.minimum.lines for it in self._lines.values())

    def pairs(self, group: CloneGroup) -> Iterator[tuple[Fragment, Fragment]]:
        """Yield the new places of a group, each with the place that it repeats."""
        product = [it for it in group.fragments if is_product_path(it.file)]
        new = [it for it in product if self._has(it)]
        source = next((it for it in product if it not in new), product[0])
        yield from ((it, source) for it in new if it is not source)

    def _has(self, fragment: Fragment) -> bool:
        lines = range(fragment.line, fragment.end_line + 1)
        written = self._lines.get(fragment.file, set()).intersection(lines)
        return len(written) >= _MIN_NEW_SHARE * len(lines)


@dataclass(frozen=True)
class _Copy:
    """A new place, and the place that it repeats."""

    state: ReviewState
    group: CloneGroup
    copy: Fragment
    source: Fragment

    @property
    def lines(self) -> range:
        return range(self.copy.line, self.copy.end_line + 1)

    @property
    def around(self) -> range:
        """The lines of the innermost function around the copy, or of the copy itself."""
        file, copy = self.state.file_after(self.copy.file), self.copy
        found = (
            range(it.line, it.end_line + 1)
            for it in (file.outline.functions if file is not None else ())
            if it.line <= copy.line and copy.end_line <= it.end_line
        )
        return min(found, key=len, default=self.lines)

    @cached_property
    def _own(self) -> list[Function]:
        return _functions_in(self.state.file_after(self.copy.file), self.copy)

    @property
    def was_there(self) -> bool:
        """Whether code of a function that was there before was such a copy already."""
        added = {
            (it.now.path, it.now.fact.line) for it in self.state.symbols if it.status == "added"
        }
        if self._own and all((self.copy.file, it.line) in added for it in self._own):
            return False
        old_path = self.state.old_path(self.copy.file)
        if not old_path:
            return False
        before = self.state.project_before.duplicates(_CLONES).found
        places = {old_path, self.state.old_path(self.source.file)}
        return any(
            group.tokens >= _MIN_WHOLE_SHARE * self.group.tokens
            and places <= {it.file for it in group.fragments}
            for group in (before.groups if before is not None else ())
        )

    def remark(self) -> Remark:
        """Return the finding: a warning if whole functions are repeated, else a note."""
        own = self._own
        others = _functions_in(self.state.file_after(self.source.file), self.source)
        is_gapped = self.group.type == "gapped"
        alike = f"shares {self.group.similarity:.0%} of its code with" if is_gapped else "repeats"
        place: Function | Fragment = self.copy
        where = f"{self.source.file}:{self.source.line}"
        if len(own) == len(others) == 1:
            place, [other] = own[0], others
            where = f"{self.source.file}:{other.line}"
            text = f"{own[0].name} {alike} {other.name} ({where}); call that instead"
        else:
            text = f"This code {alike} {where}-{self.source.end_line} ({len(self.lines)} lines)"
        return Remark(
            rule="copied-code",
            level="warning" if own and others else "note",
            file=self.copy.file,
            line=place.line,
            end_line=place.end_line,
            message=text,
            symbol=own[0].name if own else None,
            elsewhere=where,
        )


def _functions_in(file: FileFacts | None, fragment: Fragment) -> list[Function]:
    """Return the outermost functions that a fragment has the most of."""
    found: list[Function] = []
    for function in file.outline.functions if file is not None else ():
        first, last = function.line, function.end_line
        common = min(last, fragment.end_line) - max(first, fragment.line) + 1
        is_inner = any(it.line <= first <= it.end_line for it in found)
        if common >= _MIN_WHOLE_SHARE * (last - first + 1) and not is_inner:
            found.append(function)
    return found


def check_cycles(state: ReviewState) -> Iterator[Remark]:
    """Name new imports that close a cycle of files, one for each cycle."""
    importing = {it.delta.path for it in state.files if _has_new_imports(it)}
    if not importing:
        return
    after = state.project_after
    cycles = _found(state, after.cycles(), "cycles") or []
    cycles = [it for it in cycles if not importing.isdisjoint(it.files)]
    graph = after.graph().found
    if not cycles or graph is None:
        return
    known = _KnownImports(state)
    for cycle in cycles:
        yield from _closing(state, graph, cycle, known)


def _has_new_imports(file: ChangedFile) -> bool:
    before, after = (
        {(it.module, it.level, it.names) for it in one.links.imports} if one is not None else set()
        for one in (file.before, file.after)
    )
    return not after <= before


class _KnownImports:
    """The imports and cycles before a change, by the paths after it."""

    def __init__(self, state: ReviewState) -> None:
        new_path = {state.old_path(it.delta.path): it.delta.path for it in state.files}
        project = state.project_before
        self._cycles = [
            {new_path.get(it, it) for it in cycle.files} for cycle in project.cycles().found or ()
        ]
        graph = project.graph().found
        names = [] if graph is None else [new_path.get(it.file, it.file) for it in graph.nodes]
        self._imports = {
            (names[it.source], names[it.target])
            for it in (graph.edges if graph is not None else ())
            if it.dependency == "runtime"
        }

    def has(self, source: str, target: str) -> bool:
        """Whether an import, or another one in a cycle of both files, was there."""
        is_import = (source, target) in self._imports
        return is_import or any({source, target} <= it for it in self._cycles)


def _closing(
    state: ReviewState, graph: Graph, cycle: FileCycle, known: _KnownImports
) -> Iterator[Remark]:
    """Yield the first new import that closes a cycle which the language does not allow for."""
    names = [it.file for it in graph.nodes]
    members = frozenset(cycle.files)
    inside = [
        it
        for it in graph.edges
        if it.dependency == "runtime" and {names[it.source], names[it.target]} <= members
    ]
    following: dict[int, list[int]] = {}
    for edge in inside:
        following.setdefault(edge.source, []).append(edge.target)
    for edge in inside:
        file = state.changed.get(names[edge.source])
        if file is None or known.has(file.path, names[edge.target]):
            continue
        numbers = {it for one in inside for it in (one.source, one.target)}
        way = [names[it] for it in shortest_way(following, numbers, edge.target, edge.source)]
        if len({_unit(state, it) for it in (file.path, *way)}) > 1:
            text = f"This import closes a cycle: {' → '.join((file.path, *way, file.path))}"
            yield remark_at(file, edge.line, "new-cycle", text, None, names[edge.target])
            return


def _unit(state: ReviewState, path: str) -> Sequence[str]:
    """Return what is compiled as one with a file."""
    file = state.file_after(path)
    unit = "file" if file is None else unit_of(file.language)
    family = "" if file is None else family_of(file.language)
    return {
        "file": (path,),
        "package": (family, path.rpartition("/")[0]),
        "project": (family,),
    }[unit]
