"""What the measures say of a change: copies, unused code and cycles that it brings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileFacts, Function, Type
from benchpin.facts.languages import family_of, unit_of
from benchpin.measures.clones import CloneGroup, DuplicateOptions, Fragment
from benchpin.measures.graph import Edge, shortest_way
from benchpin.present import Level
from benchpin.project import MeasureResult
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, finding_on

T = TypeVar("T")

# Semantic clones are no copies: they are written anew.
_CLONES = DuplicateOptions(types=("exact", "renamed", "gapped"))
# The share of a copy that a change must have written to have brought it.
_MIN_NEW_SHARE = 0.9
# The share of a function that a copy must have to be one of the function.
_MIN_WHOLE_SHARE = 0.8


def check_unused(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new functions and types that nothing uses."""
    new = {
        (it.now.path, it.now.fact.line): it
        for it in state.symbols
        if it.status == "added" and is_product_path(it.now.path) and not _is_offered(it.now.fact)
    }
    if not new:
        return
    found = _found(state, state.project_after.dead_code(include_public=True), "unused code")
    for item in found.items if found is not None else ():
        change = new.get((item.file, item.line))
        # What new code uses that nothing uses is named by that; a test is a use.
        if change is not None and item.status == "unused":
            level: Level = "note" if change.now.fact.is_public else "warning"
            yield finding_on(change, "unused-code", level, f"Nothing uses {item.name} yet")


def _is_offered(fact: Function | Type) -> bool:
    """Whether it is a public method, which code outside the workspace may call."""
    return isinstance(fact, Function) and fact.kind == "method" and fact.is_public


def _found(state: ReviewState, measured: MeasureResult[T], what: str) -> T | None:
    """Return what a measure found; say so if it could not be taken."""
    if measured.found is None and not isinstance(measured.error, TimeLimitExceeded):
        state.job.leave_out(f"the check of {what}: {measured.reason}")
    return measured.found


def check_copies(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new code that repeats other code, each place once, the longest copy first."""
    new = _NewLines(state)
    if not new.may_be_copied:
        return
    found = _found(state, state.project_after.duplicates(new.clones), "copies")
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
            yield pair.finding()


class _NewLines:
    """The lines of product code that a change wrote."""

    def __init__(self, state: ReviewState) -> None:
        self._lines = {
            it.delta.path: set(state.new_lines(it))
            for it in state.files
            if it.after is not None and is_product_path(it.delta.path)
        }

    @property
    def clones(self) -> DuplicateOptions:
        """Return which clones to search for."""
        return replace(_CLONES, files=tuple(sorted(it for it in self._lines if self._lines[it])))

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
        """Whether it was such a copy before the change, which edited or moved it."""
        state, copy = self.state, self.copy
        inside = [
            it
            for it in state.symbols
            if it.after is not None
            and it.after.path == copy.file
            and it.after.fact.line <= copy.end_line
            and it.after.fact.end_line >= copy.line
        ]
        if inside and all(it.status == "added" for it in inside):
            return False
        places = {it.before.path for it in inside if it.before is not None}
        places |= {state.old_path(copy.file), state.old_path(self.source.file)}
        before = state.project_before.duplicates(_CLONES).found
        return any(
            group.tokens >= _MIN_WHOLE_SHARE * self.group.tokens
            and sum(it.file in places for it in group.fragments) > 1
            for group in (before.groups if before is not None else ())
        )

    def finding(self) -> ReviewFinding:
        """Return the finding: a warning if whole functions are repeated, else a note."""
        own = self._own
        others = _functions_in(self.state.file_after(self.source.file), self.source)
        size = sum(it.end_line - it.line + 1 for it in own)
        is_whole = bool(others) and 2 * size >= len(self.lines)
        is_gapped = self.group.type == "gapped"
        alike = f"shares {self.group.similarity:.0%} of its code with" if is_gapped else "repeats"
        place: Function | Fragment = self.copy
        where = f"{self.source.file}:{self.source.line}"
        if is_whole and len(own) == len(others) == 1:
            place, [other] = own[0], others
            where = f"{self.source.file}:{other.line}"
            text = f"{own[0].name} {alike} {other.name} ({where}); call that instead"
        else:
            text = f"This code {alike} {where}-{self.source.end_line} ({len(self.lines)} lines)"
        return ReviewFinding(
            rule="copied-code",
            level="warning" if is_whole else "note",
            file=self.copy.file,
            line=place.line,
            end_line=place.end_line,
            message=text,
            symbol=own[0].name if len(own) == 1 else None,
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


def check_cycles(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new imports that close a cycle of files, one for each cycle."""
    importing = {
        it.after.path: lines
        for it in state.files
        if it.after is not None
        and (lines := state.new_lines(it).intersection(one.line for one in it.after.links.imports))
    }
    project = state.project_after
    found = _found(state, project.cycles, "cycles") if importing else None
    cycles = [it for it in found or () if not importing.keys().isdisjoint(it.files)]
    graph = project.graph().found if cycles else None
    if graph is None:
        return
    new_path = {it.delta.old_path: it.delta.path for it in state.files}
    known = [
        {new_path.get(it, it) for it in cycle.files}
        for cycle in state.project_before.cycles.found or ()
    ]
    names = [it.file for it in graph.nodes]
    for members in (set(it.files) for it in cycles):
        inside = [
            it
            for it in graph.edges
            if it.dependency == "runtime" and {names[it.source], names[it.target]} <= members
        ]
        for edge in inside:
            ends = {names[edge.source], names[edge.target]}
            is_new = edge.line in importing.get(names[edge.source], ())
            if is_new and not any(ends <= it for it in known):
                way = [names[it] for it in _way_back(inside, edge)]
                if len({_unit(state, it) for it in way}) > 1:
                    yield _closing(edge.line, way)
                    break


def _way_back(edges: Sequence[Edge], edge: Edge) -> list[int]:
    """Return the shortest cycle through an edge, from its source to its source."""
    following: dict[int, list[int]] = {}
    for one in edges:
        following.setdefault(one.source, []).append(one.target)
    way = shortest_way(following, following.keys(), edge.target, edge.source)
    return [edge.source, *way, edge.source]


def _closing(line: int, way: Sequence[str]) -> ReviewFinding:
    text = f"This import closes a cycle: {' → '.join(way)}"
    return finding_at("new-cycle", way[0], line, text, None, way[1], level="warning")


def _unit(state: ReviewState, path: str) -> tuple[str, ...]:
    """Return what is compiled as one with a file, in which cycles are a matter of course."""
    file = state.file_after(path)
    unit = "file" if file is None else unit_of(file.language)
    if file is None or unit == "file":
        return (path,)
    folder = path.rpartition("/")[0]
    return (family_of(file.language), folder if unit == "package" else "")
