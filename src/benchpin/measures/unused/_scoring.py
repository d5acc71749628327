"""Follow uses from the code that runs to everything that it reaches.

The score of a definition is that of its best chain of uses, and a chain is as strong as its
weakest link. Nothing inside a definition is more alive than the definition itself. Definitions are
settled from the most alive to the least, as in Dijkstra's algorithm, so that each is visited once.

Definitions of one name that other files reach alike are a group, which is raised as a whole: a name
such as `setup` may have thousands of definitions and thousands of uses.
"""

import heapq
from array import array
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise

from benchpin.facts.liveness import HINTED, MENTIONED, SURE, TESTED, LivenessRules

from ._file_uses import (
    BARE,
    CONTRACT,
    IMPORTED,
    KINDS,
    LOCAL,
    MAYBE_LOCAL,
    MEMBER,
    METHOD,
    NONE,
    STRING,
    TEXT,
    TOP,
    TYPE,
    CodeKind,
    UseKind,
)
from ._general_rules import find_reason
from ._program import LiveProgram


def score_definitions(program: LiveProgram, enough: float = SURE) -> "array[float]":
    """Return how alive everything is, by id.

    Every score above `enough` is treated alike, as surely alive. That does
    not change any other score, and most of what is not dead need not be looked at closely.
    """
    search = _Search(program, enough)
    search.run()
    return search.scores


@dataclass(slots=True)
class _Group:
    """Definitions of one name that every other file uses equally strongly."""

    is_test: bool
    rules: LivenessRules
    ways: UseKind
    """The ways of using the name that reach them from other files; `_ASK` if `reach` decides."""
    is_in_type: bool
    members: list[int] = field(default_factory=list)
    """In the order of their files."""
    score: float = 0.0
    """The best chain to all of them."""


_BELOW_SURE = 0.999
# More than all ways of using a name.
_ASK: UseKind = 1 << 8


def _ways(rules: LivenessRules, inside: CodeKind, *, is_method: bool) -> UseKind:
    """Return how code of another file reaches what has an owner of this kind in its own file.

    It says what `LiveProgram.reach` says, once for a group and not for each of its uses.
    """
    if not rules.has_modules:
        return BARE | MEMBER if rules.has_bare_members or not is_method else MEMBER
    if inside == TOP:
        return MEMBER | IMPORTED
    return MEMBER if inside == TYPE else 0


class _Search:
    def __init__(self, program: LiveProgram, enough: float) -> None:
        self._program = program
        self._enough = enough
        self.scores = array("d", bytes(8 * len(program.kinds)))
        self._reached = [0.0] * len(program.kinds)
        """The best chain to what is not settled yet: its score if its owner had a better one."""
        self._is_settled = bytearray(len(program.kinds))
        self._groups: dict[int, list[_Group]] = {}
        """By the number of a name, those that are not surely alive yet."""
        self._own: list[dict[int, tuple[int, ...]]] = [{} for _ in program.paths]
        """For each file, its definitions by the number of their name."""
        self._overriding: defaultdict[int, list[int]] = defaultdict(list)
        self._sure: list[int] = []
        """What is surely alive and was not followed yet."""
        self._queue: list[tuple[float, int]] = []
        """What is not surely alive: heapq pops the smallest first, so scores are negated."""
        self._is_queueing = False
        self._group()

    def _group(self) -> None:
        """Put the definitions of each name together that are reached alike from other files.

        Nearly all have a key of one number, which says the same as `reached_alike` and is made and
        compared faster than a tuple.
        """
        program, found = self._program, self._groups
        names, owners, kinds, files = program.names, program.owners, program.kinds, program.files_of
        families = {it: at for at, it in enumerate(dict.fromkeys(program.rules))}
        inheritance, parents = program.inheritance, program.inheritance.parents
        by_key: dict[Hashable, _Group] = {}
        judged, enough = program.judged, min(self._enough, _BELOW_SURE)
        for file, (first, end) in enumerate(pairwise(program.first)):
            own, is_test = self._own[file], program.is_test[file]
            rules = program.rules[file]
            place = families[rules] * 2 + is_test
            is_alive = [it.score > enough for it in program.uses[file].verdicts]
            for number in range(first + 1, end):
                if is_alive[judged[number]]:  # no use can raise it: two of three are tests
                    self._reached[number] = SURE
                    continue
                name, owner, kind = names[number], owners[number], kinds[number]
                inside = TOP if owner == NONE else kinds[owner] & KINDS
                is_method = kind & KINDS == METHOD
                key: Hashable = ((name * 1024 + place) * 4 + inside) * 2 + is_method
                is_plain = not kind & (LOCAL | MAYBE_LOCAL) and (not inside or files[owner] == file)
                if not is_plain:
                    key = (name, is_test, *program.reached_alike(number))
                group = by_key.get(key)
                if group is None:
                    ways = _ways(rules, inside, is_method=is_method) if is_plain else _ASK
                    group = by_key[key] = _Group(is_test, rules, ways, inside == TYPE)
                    found.setdefault(name, []).append(group)
                group.members.append(number)
                own[name] = (*own[name], number) if name in own else (number,)
                if is_method and owner in parents:
                    for base in inheritance.inherited(program.words[name], owner):
                        self._overriding[base].append(number)

    def run(self) -> None:
        """Score everything, beginning with the code that is in no definition: that runs."""
        program, enough, is_settled = self._program, self._enough, self._is_settled
        for code in program.first[:-1]:
            self._settle(code, SURE)
        for number in program:
            if self._reached[number]:
                self._offer(number)
        # The last is followed first, and tests last: they cannot make product code surely alive,
        # and would try to again with each use until product code has done so.
        self._sure.sort(key=lambda it: not program.is_test[program.files_of[it]])
        self._follow_sure()
        # Nothing is added to what is surely alive but by reasons, so the rest is queued only now:
        # before, most of it would be queued again and again while its score grows.
        self._is_queueing = True
        for number in program:
            # No reason makes something more alive than what surely runs.
            if not is_settled[number] and self._reached[number] < SURE:
                score = find_reason(number, program, enough).score
                self._reached[number] = max(self._reached[number], self._lifted(score))
        for number in self._program:
            if not is_settled[number]:
                self._offer(number)
        self._follow_sure()
        queue = self._queue
        while queue:
            score, code = heapq.heappop(queue)
            if score and not is_settled[code]:
                self._settle(code, -score)
                self._release(code, -score)
                self._follow(code, -score)
                self._follow_sure()

    def _lifted(self, score: float) -> float:
        return SURE if score > self._enough else score

    def _settle(self, code: int, score: float) -> None:
        self._is_settled[code] = 1
        self.scores[code] = score
        if score >= SURE:
            self._sure.append(code)

    def _follow_sure(self) -> None:
        """Settle everything that surely runs; in any order, as nothing is more alive."""
        members, overriding = self._program.members, self._overriding
        while self._sure:
            code = self._sure.pop()
            if code in members or code in overriding:
                self._release(code, SURE)
            self._follow(code, SURE)

    def _raise(self, number: int, score: float) -> None:
        """Record a better chain to a definition."""
        if not self._is_settled[number] and score > self._reached[number]:
            self._reached[number] = score
            if score >= SURE or self._is_queueing:
                self._offer(number)

    def _offer(self, number: int) -> None:
        """Settle or queue a definition, unless its owner, which limits it, has no score yet."""
        owner = self._program.owners[number]
        if owner != NONE and not self._is_settled[owner]:
            return
        limit = SURE if owner == NONE else self.scores[owner]
        score = min(self._reached[number], limit)
        if score >= SURE:
            self._settle(number, SURE)
        elif self._is_queueing:
            heapq.heappush(self._queue, (-score, number))

    def _release(self, code: int, score: float) -> None:
        """Offer the members of a definition that was settled, and what overrides it."""
        for member in self._program.members.get(code, ()):
            if not self._is_settled[member] and self._reached[member]:
                self._offer(member)
        for method in self._overriding.get(code, ()):
            self._raise(method, score)

    def _follow(self, code: int, score: float) -> None:
        """Raise what some code uses."""
        program, groups, files = self._program, self._groups, self._program.files_of
        file, start, end = files[code], program.starts[code], program.starts[code + 1]
        # Millions of names go through this line, and few of them are still of interest.
        wanted = [at for at, it in enumerate(program.used[start:end], start) if it in groups]
        own, reached = self._own[file], self._reached
        for at in wanted:
            name, kind = program.used[at], program.hows[at]
            for target in own.get(name, ()):
                if reached[target] < score:
                    strength = self._lifted(program.strength(target, code, kind))
                    self._raise(target, min(score, strength))
            for group in groups.get(name, ()):
                first, last = group.members[0], group.members[-1]
                if group.score < score and (files[first] != file or files[last] != file):
                    # That the code is inside one of them changes nothing: then it is settled.
                    example = first if files[first] != file else last
                    is_limited = program.is_test[file] and not group.is_test
                    limit = TESTED if is_limited else SURE
                    reach = min(limit, self._reach(group, example, code, kind))
                    value = min(score, self._lifted(reach))
                    if value > group.score:
                        self._raise_group(name, group, value)

    def _reach(self, group: _Group, example: int, code: int, kind: UseKind) -> float:
        """Return the strength of a use by code of another file."""
        program = self._program
        if group.ways == _ASK or (group.is_in_type and program.kinds[code] & CONTRACT):
            return program.reach(example, code, kind)
        is_meant = kind & group.ways and kind & (BARE | MEMBER)
        if is_meant and program.rules[program.files_of[code]] is group.rules:
            return SURE
        return MENTIONED if kind & STRING else HINTED if kind & TEXT else 0.0

    def _raise_group(self, name: int, group: _Group, score: float) -> None:
        group.score = score
        for member in group.members:
            self._raise(member, score)
        if score >= SURE:
            others = [it for it in self._groups[name] if it is not group]
            if others:
                self._groups[name] = others
            else:
                del self._groups[name]
