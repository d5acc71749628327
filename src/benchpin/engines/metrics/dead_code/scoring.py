"""Follow uses from the code that runs to everything that it reaches.

The score of a definition is that of its best chain of uses, and a chain is as strong as its
weakest link. Nothing inside a definition is more alive than the definition itself. Definitions are
settled from the most alive to the least, as in Dijkstra's algorithm, so that each is visited once.
"""

import heapq
from collections import defaultdict
from dataclasses import dataclass

from benchpin.engines.source.liveness import SURE, TESTED, Reason
from benchpin.engines.source.program import Definition

from .general_rules import find_reason
from .program_uses import ProgramUses
from .uses import UseKind, top_level_of


@dataclass(slots=True)
class LivenessScores:
    """How alive each definition is, by its id."""

    scores: list[float]
    reasons: list[Reason]
    """The strongest reason that a rule gives, without any use in the workspace."""


def score_definitions(program: ProgramUses) -> LivenessScores:
    """Score every definition of a program."""
    return _Search(program).run()


class _Search:
    def __init__(self, program: ProgramUses) -> None:
        count = len(program.definitions)
        self._program = program
        self._found = LivenessScores(
            [0.0] * count, [find_reason(it, program) for it in program.definitions]
        )
        self._wanted = [0.0] * count
        """The score that a definition would have without the limit of its owner's score."""
        self._is_settled = bytearray(count)
        self._pending: defaultdict[str, list[Definition]] = defaultdict(list)
        self._members: defaultdict[int, list[int]] = defaultdict(list)
        self._overriding: defaultdict[int, list[int]] = defaultdict(list)
        self._queue: list[tuple[float, int]] = []
        for it in program.definitions:
            self._pending[it.name].append(it)
            owner = program.owners[it.id]
            if owner is not None:
                self._members[owner].append(it.id)
                if it.kind == "method":
                    for base in program.inheritance.inherited(it, owner):
                        self._overriding[base].append(it.id)

    def run(self) -> LivenessScores:
        for number in range(len(self._program.files)):
            # heapq pops the smallest first, so scores are negated.
            heapq.heappush(self._queue, (-SURE, top_level_of(number)))
        for number, reason in enumerate(self._found.reasons):
            self._raise(number, reason.score)
        while self._queue:
            score, context = heapq.heappop(self._queue)
            if context >= 0:
                if self._is_settled[context]:
                    continue
                self._is_settled[context] = True
                self._found.scores[context] = -score
                self._release(context, -score)
            self._follow(context, -score)
        return self._found

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
        for name, kind in program.uses[file].by_context.get(context, {}).items():
            waiting = self._pending[name]
            if not waiting:
                continue
            self._pending[name] = [it for it in waiting if not self._is_settled[it.id]]
            for target in self._pending[name]:
                if self._wanted[target.id] < score:
                    self._use(target, context, file, kind, score)

    def _use(
        self, target: Definition, context: int, file: int, kind: UseKind, score: float
    ) -> None:
        program = self._program
        strength = program.strength(target, context, file, kind)
        if not strength:
            return
        is_test = program.is_test[file] and not program.is_test[target.file]
        self._raise(target.id, min(score, strength, TESTED if is_test else SURE))
