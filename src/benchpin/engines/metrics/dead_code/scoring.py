"""Follow uses from the code that runs to everything that it reaches.

The score of a definition is that of its best chain of uses, and a chain is as strong as its
weakest link. Nothing inside a definition is more alive than the definition itself. Definitions are
settled from the most alive to the least, as in Dijkstra's algorithm, so that each is visited once.

Definitions of one name that other files reach alike are a group, which is raised as a whole: a name
such as `setup` may have thousands of definitions and thousands of uses.
"""

import heapq
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field

from benchpin.engines.source.liveness import SURE, TESTED, Reason
from benchpin.engines.source.program import Definition

from .general_rules import find_reason
from .program_uses import ProgramUses, top_level_of


class LivenessScores:
    """How alive each definition is."""

    def __init__(self, program: ProgramUses) -> None:
        self._program = program
        self._reasons: dict[int, Reason] = {}
        self.scores = [0.0] * len(program.definitions)
        """By the id of the definition."""
        self.needed: defaultdict[int, set[int]] = defaultdict(set)
        """For some code, the names by which it first made something surely alive."""

    def reason(self, definition: Definition) -> Reason:
        """Return the strongest reason that a rule gives, without any use in the workspace."""
        found = self._reasons.get(definition.id)
        if found is None:
            found = self._reasons[definition.id] = find_reason(definition, self._program)
        return found


def score_definitions(program: ProgramUses) -> LivenessScores:
    """Score every definition of a program."""
    return _Search(program).run()


@dataclass(slots=True)
class _Group:
    """Definitions of one name that every other file uses equally strongly."""

    is_test: bool
    members: list[Definition] = field(default_factory=list)
    """In the order of their files."""
    score: float = 0.0
    """The best chain to all of them."""

    def example_outside(self, file: int) -> Definition | None:
        """Return a definition in another file; None if there is none."""
        first, last = self.members[0], self.members[-1]
        return first if first.file != file else last if last.file != file else None


class _Search:
    def __init__(self, program: ProgramUses) -> None:
        count = len(program.definitions)
        self._program = program
        self._found = LivenessScores(program)
        self._wanted = [0.0] * count
        """The score that a definition would have without the limit of its owner's score."""
        self._is_settled = bytearray(count)
        self._groups = _group(program)
        """By the number of a name, those that are not surely alive yet."""
        self._own: list[dict[int, list[Definition]]] = [{} for _ in program.files]
        """For each file, its definitions by the number of their name."""
        self._members: defaultdict[int, list[int]] = defaultdict(list)
        self._overriding: defaultdict[int, list[int]] = defaultdict(list)
        self._queue: list[tuple[float, int]] = []
        for it in program.definitions:
            self._own[it.file].setdefault(program.numbers[it.name], []).append(it)
            owner = program.owners[it.id]
            if owner is not None:
                self._members[owner].append(it.id)
                if it.kind == "method":
                    for base in program.inheritance.inherited(it, owner):
                        self._overriding[base].append(it.id)

    def run(self) -> LivenessScores:
        # heapq pops the smallest first, so scores are negated.
        self._queue = [(-SURE, top_level_of(it)) for it in range(len(self._program.files))]
        heapq.heapify(self._queue)
        self._settle(SURE)
        # No reason makes something more alive than what surely runs: only the rest need one.
        for it in self._program.definitions:
            if self._wanted[it.id] < SURE:
                self._raise(it.id, self._found.reason(it).score)
        self._settle(0.0)
        return self._found

    def _settle(self, least: float) -> None:
        """Settle what is at least so alive."""
        queue = self._queue
        while queue and -queue[0][0] >= least:
            score, context = heapq.heappop(queue)
            if context >= 0:
                if self._is_settled[context]:
                    continue
                self._is_settled[context] = True
                self._found.scores[context] = -score
                self._release(context, -score)
            self._follow(context, -score)

    def _raise(self, number: int, score: float) -> None:
        """Record a better chain to a definition; its owner's score is the upper limit."""
        if score <= self._wanted[number] or self._is_settled[number]:
            return
        self._wanted[number] = score
        owner = self._program.owners[number]
        if owner is None:
            heapq.heappush(self._queue, (-score, number))
        elif self._is_settled[owner]:
            heapq.heappush(self._queue, (-min(score, self._found.scores[owner]), number))

    def _release(self, context: int, score: float) -> None:
        """Queue the members of a definition that was settled, and what overrides it."""
        for member in self._members[context]:
            heapq.heappush(self._queue, (-min(score, self._wanted[member]), member))
        for method in self._overriding[context]:
            self._raise(method, score)

    def _follow(self, context: int, score: float) -> None:
        """Raise what some code uses."""
        program = self._program
        file = program.file_of(context)
        own = self._own[file]
        for name, kind in program.uses_in(context, self._groups):
            groups = self._groups.get(name, ())
            for target in own.get(name, ()):
                if self._wanted[target.id] < score:
                    value = min(score, program.strength(target, context, file, kind))
                    self._raise(target.id, value)
                    if value >= SURE:
                        self._found.needed[context].add(name)
            for group in groups:
                example = group.example_outside(file) if group.score < score else None
                if example is not None:
                    # That the code is inside one of them changes nothing: then it is settled.
                    strength = program.reach(example, context, file, kind)
                    is_test = program.is_test[file] and not group.is_test
                    value = min(score, strength, TESTED if is_test else SURE)
                    self._raise_group(name, group, value)
                    if value >= SURE:
                        self._found.needed[context].add(name)

    def _raise_group(self, name: int, group: _Group, score: float) -> None:
        if score <= group.score:
            return
        group.score = score
        for it in group.members:
            self._raise(it.id, score)
        if score >= SURE:
            others = [it for it in self._groups[name] if it is not group]
            if others:
                self._groups[name] = others
            else:
                del self._groups[name]


def _group(program: ProgramUses) -> dict[int, list[_Group]]:
    """Put the definitions of each name together that are reached alike from other files."""
    found: dict[int, dict[Hashable, _Group]] = {}
    for it in program.definitions:
        is_test = program.is_test[it.file]
        key = (*program.reached_alike(it), is_test)
        by_key = found.setdefault(program.numbers[it.name], {})
        if key not in by_key:
            by_key[key] = _Group(is_test)
        by_key[key].members.append(it)
    return {name: list(by_key.values()) for name, by_key in found.items()}
