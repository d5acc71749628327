"""Follow uses from the code that runs to all that it reaches.

The score of a definition is that of its best chain of uses, and a chain is as strong as its
weakest link. Nothing inside a definition is more alive than the definition itself. Definitions are
settled from the most alive to the least, so that each is looked at once.
"""

import heapq
from collections import defaultdict
from dataclasses import dataclass

from .definitions import Definition
from .evidence import SURE, TESTED, Evidence
from .judging import judge
from .project import Project
from .uses import Way, outside


@dataclass(slots=True)
class Liveness:
    """How alive each definition is, and what speaks for it."""

    scores: list[float]
    evidence: list[Evidence]
    """What a rule says of it, before any use is looked at."""


def measure_liveness(project: Project) -> Liveness:
    """Score every definition of a project."""
    return _Search(project).run()


class _Search:
    def __init__(self, project: Project) -> None:
        count = len(project.definitions)
        self._project = project
        self._found = Liveness([0.0] * count, [judge(it, project) for it in project.definitions])
        self._wanted = [0.0] * count
        """The score that a definition would have if it stood alone."""
        self._is_settled = bytearray(count)
        self._pending: defaultdict[str, list[Definition]] = defaultdict(list)
        self._members: defaultdict[int, list[int]] = defaultdict(list)
        self._overriding: defaultdict[int, list[int]] = defaultdict(list)
        self._queue: list[tuple[float, int]] = []
        for it in project.definitions:
            self._pending[it.name].append(it)
            owner = project.owners[it.id]
            if owner is not None:
                self._members[owner].append(it.id)
                if it.kind == "method":
                    for base in project.inheritance.inherited(it, owner):
                        self._overriding[base].append(it.id)

    def run(self) -> Liveness:
        for number in range(len(self._project.files)):
            heapq.heappush(self._queue, (-SURE, outside(number)))
        for number, evidence in enumerate(self._found.evidence):
            self._raise(number, evidence.score)
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
        """Note a better chain to a definition; it counts as far as its owner is alive."""
        if score <= self._wanted[number] or self._is_settled[number]:
            return
        self._wanted[number] = score
        owner = self._project.owners[number]
        if owner is None:
            heapq.heappush(self._queue, (-score, number))
        elif self._is_settled[owner]:
            heapq.heappush(self._queue, (-min(score, self._found.scores[owner]), number))

    def _release(self, context: int, score: float) -> None:
        """Let what stands in a definition, or overrides it, follow it."""
        for member in self._members[context]:
            heapq.heappush(self._queue, (-min(score, self._wanted[member]), member))
        for method in self._overriding[context]:
            self._raise(method, score)

    def _follow(self, context: int, score: float) -> None:
        """Raise what some code uses."""
        project = self._project
        file = project.file_of(context)
        for name, way in project.uses[file].by_context.get(context, {}).items():
            waiting = self._pending[name]
            if not waiting:
                continue
            self._pending[name] = [it for it in waiting if not self._is_settled[it.id]]
            for target in self._pending[name]:
                if self._wanted[target.id] < score:
                    self._use(target, context, file, way, score)

    def _use(self, target: Definition, context: int, file: int, way: Way, score: float) -> None:
        project = self._project
        strength = project.strength(target, context, file, way)
        if not strength:
            return
        is_test = project.is_test[file] and not project.is_test[target.file]
        self._raise(target.id, min(score, strength, TESTED if is_test else SURE))
