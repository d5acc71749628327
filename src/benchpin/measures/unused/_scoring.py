"""Follow uses from the code that runs to everything that it reaches.

The score of a definition is that of its best chain of uses, and a chain is as strong as its
weakest link. Nothing inside a definition is more alive than the definition itself. Definitions are
settled from the most alive to the least, as in Dijkstra's algorithm, so that each is visited once.

Definitions of one name that other files reach alike are a group, which is raised as a whole: a name
such as `setup` may have thousands of definitions and thousands of uses.

A search may be for some definitions only, where the scores of all others are known: see `changes`.
"""

import heapq
from array import array
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field

from benchpin.facts.liveness import SURE, TESTED, Reason

from ._columns import NONE
from ._general_rules import find_reason
from ._program_uses import ProgramUses


@dataclass(frozen=True, slots=True)
class LivenessScores:
    """How alive each definition is, by id."""

    scores: "array[float]"
    sources: "array[int]"
    """What a score comes from: code that uses the definition, a method that it overrides, or, if
    it is the definition itself, a rule."""
    reasons: dict[int, Reason]
    """The strongest reason that a rule gives, without any use; as far as it was needed."""

    def extend_to(self, count: int) -> None:
        """Make room for ids up to a number."""
        self.scores.extend([0.0] * (count - len(self.scores)))
        self.sources.extend([NONE] * (count - len(self.sources)))

    def reason(self, number: int, program: ProgramUses) -> Reason:
        """Return the strongest reason that a rule gives."""
        found = self.reasons.get(number)
        if found is None:
            found = self.reasons[number] = find_reason(program.definitions[number], program)
        return found


def score_definitions(
    program: ProgramUses, known: LivenessScores, wanted: Collection[int], users: Iterable[int]
) -> None:
    """Score some definitions of a program; `users` is all other code that uses their names."""
    _Search(program, known, wanted).run(users)


def value_of(
    program: ProgramUses, scores: LivenessScores, target: int, code: int, kind: int
) -> float:
    """Return how alive a use makes a definition."""
    files, is_test = program.columns.files, program.is_test
    is_limited = is_test[files[code]] and not is_test[files[target]]
    strength = program.strength(target, code, kind)
    return min(scores.scores[code], strength, TESTED if is_limited else SURE)


@dataclass(slots=True)
class _Group:
    """Definitions of one name that every other file uses equally strongly."""

    is_test: bool
    members: list[int] = field(default_factory=list)
    """In the order of their files."""
    score: float = 0.0
    """The best chain to all of them."""


class _Search:
    def __init__(
        self, program: ProgramUses, known: LivenessScores, wanted: Collection[int]
    ) -> None:
        columns = program.columns
        self._program = program
        self._columns = columns
        self._known = known
        self._open = dict.fromkeys(program.in_order(wanted), 0.0)
        """What is not settled yet, and the score it would have if its owner had a better one."""
        self._groups: dict[int, list[_Group]] = {}
        """By the number of a name, those that are not surely alive yet."""
        self._own: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
        """For each file, its definitions by the number of their name."""
        self._members: defaultdict[int, list[int]] = defaultdict(list)
        self._overriding: defaultdict[int, list[int]] = defaultdict(list)
        self._queue: list[tuple[float, int]] = []
        for number in self._open:
            known.scores[number], known.sources[number] = 0.0, NONE
            self._own[columns.files[number]].setdefault(columns.names[number], []).append(number)
            owner = columns.owners[number]
            if owner != NONE:
                self._members[owner].append(number)
                if columns.is_method(number):
                    name = program.names[columns.names[number]]
                    for base in program.inheritance.inherited(name, owner):
                        self._overriding[base].append(number)
        self._group()

    def _group(self) -> None:
        """Put the definitions of each name together that are reached alike from other files."""
        program, found = self._program, self._groups
        by_key: dict[Hashable, _Group] = {}
        for number in self._open:
            is_test = program.is_test[self._columns.files[number]]
            name = self._columns.names[number]
            key = (name, is_test, *program.reached_alike(number))
            if key not in by_key:
                by_key[key] = _Group(is_test)
                found.setdefault(name, []).append(by_key[key])
            by_key[key].members.append(number)

    def run(self, users: Iterable[int]) -> None:
        # heapq pops the smallest first, so scores are negated.
        scores = self._known.scores
        self._queue = [(-scores[it], it) for it in users if it not in self._open]
        heapq.heapify(self._queue)
        for base, methods in self._overriding.items():
            if base not in self._open:
                for method in methods:
                    self._raise(method, scores[base], base)
        wanted = list(self._open)
        self._settle(SURE)
        # No reason makes something more alive than what surely runs: only the rest need one.
        for number in wanted:
            if self._open.get(number, SURE) < SURE:
                self._raise(number, self._known.reason(number, self._program).score, number)
        self._settle(0.0)

    def _settle(self, least: float) -> None:
        """Settle what is at least so alive."""
        queue = self._queue
        while queue and -queue[0][0] >= least:
            score, code = heapq.heappop(queue)
            if code in self._open:
                if score == 0.0:
                    continue
                del self._open[code]
                self._known.scores[code] = -score
                self._release(code, -score)
                self._follow(code, -score)
            elif self._known.scores[code] == -score:
                self._follow(code, -score)

    def _raise(self, number: int, score: float, source: int) -> None:
        """Record a better chain to a definition; its owner's score is the upper limit."""
        if score <= self._open.get(number, SURE):
            return
        self._open[number] = score
        self._known.sources[number] = source
        owner = self._columns.owners[number]
        if owner not in self._open:
            limit = SURE if owner == NONE else self._known.scores[owner]
            heapq.heappush(self._queue, (-min(score, limit), number))

    def _release(self, number: int, score: float) -> None:
        """Queue the members of a definition that was settled, and what overrides it."""
        for member in self._members[number]:
            if self._open.get(member):
                heapq.heappush(self._queue, (-min(score, self._open[member]), member))
        for method in self._overriding[number]:
            self._raise(method, score, number)

    def _follow(self, code: int, score: float) -> None:
        """Raise what some code uses."""
        program, files = self._program, self._columns.files
        file = files[code]
        own = self._own.get(file, {})
        for name, kind in program.uses_in(code, self._groups):
            groups = self._groups.get(name, ())
            for target in own.get(name, ()):
                if self._open.get(target, SURE) < score:
                    self._raise(target, min(score, program.strength(target, code, kind)), code)
            for group in groups:
                if group.score >= score:
                    continue
                first, last = group.members[0], group.members[-1]
                if files[first] != file or files[last] != file:
                    # That the code is inside one of them changes nothing: then it is settled.
                    example = first if files[first] != file else last
                    is_test = program.is_test[file] and not group.is_test
                    limit = TESTED if is_test else SURE
                    value = min(score, program.reach(example, code, kind), limit)
                    self._raise_group(name, group, value, code)

    def _raise_group(self, name: int, group: _Group, score: float, code: int) -> None:
        if score <= group.score:
            return
        group.score = score
        for member in group.members:
            self._raise(member, score, code)
        if score >= SURE:
            others = [it for it in self._groups[name] if it is not group]
            if others:
                self._groups[name] = others
            else:
                del self._groups[name]
