"""Follow calls: who calls a function, what it calls, and how one function reaches another.

Making an object calls its constructor; a decorator is called by what it decorates. A call of a
method may run any method that overrides it: those edges are possible. What is reached only by a
possible call is listed, but not followed further.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from benchpin.code import CodeIndex, CodeScope
from benchpin.code.names import ANONYMOUS, Code, Module, Scope, Symbol, chain_start
from benchpin.core.calls import Job

from ._uses import Certainty, enclosing_symbol, find_uses, is_called

Direction = Literal["callers", "callees"]

# A call that may run more methods than this says nothing about any of them.
_MAX_CANDIDATES = 8
_MAX_STEPS = 2_000
_MAX_VISITED_SYMBOLS = 3_000
# How many certain calls a path goes through rather than one possible call.
_UNSURE = 10


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """One function calls another, at one or more places."""

    caller: str
    """The path, `::` and the qualified name; only the path for code outside of functions."""
    callee: str
    certainty: Certainty
    file: str
    line: int
    """The first place of the call."""
    places: int
    depth: int = 1
    """How many calls it is away from where the search started."""
    text: str = ""
    """The statement of the first place, or one line of it."""
    text_line: int = 0
    """The first line of the text."""
    lines: tuple[int, ...] = ()
    """All places of the call, in `file`."""
    scope: CodeScope = "production"
    """What kind of code `file` is."""


@dataclass(frozen=True, slots=True)
class CallTrace:
    """The calls that were found, nearest first."""

    calls: list[FunctionCall]
    unresolved: int
    """Calls of methods that too many types have to list them."""


class CallGraph:
    """Finds the calls of functions when they are asked for, and keeps them."""

    def __init__(self, index: CodeIndex, job: Job) -> None:
        self.index = index
        self.job = job
        self.unresolved = 0
        self._callees: dict[Symbol, list[FunctionCall]] = {}
        self._symbols: dict[str, Symbol] = {}

    def symbol(self, symbol_id: str) -> Symbol | None:
        """Return a symbol that was met, by its id; None for code outside of functions."""
        return self._symbols.get(symbol_id)

    def callers(self, symbol: Symbol) -> list[FunctionCall]:
        """Return the calls of a function, the most certain first."""
        places: defaultdict[str, list[tuple[str, int, Certainty]]] = defaultdict(list)
        for use in find_uses(self.index, symbol, self.job, mentions=False).found:
            if use.kind == "call":
                module = self.index.symbols.modules[use.file]
                caller = enclosing_symbol(module, use.inside)
                caller_id = use.file if caller is None else self._known(caller)
                if caller is not symbol:
                    places[caller_id].append((use.file, use.line, use.certainty))
        calls = [_call(caller, symbol.id, found) for caller, found in places.items()]
        return sorted(calls, key=_order)

    def callees(self, symbol: Symbol) -> list[FunctionCall]:
        """Return the calls that a function makes, in the order of certainty and lines."""
        if symbol not in self._callees:
            self._callees[symbol] = self._find_callees(symbol)
        return self._callees[symbol]

    def _find_callees(self, symbol: Symbol) -> list[FunctionCall]:
        module = self.index.symbols.modules[symbol.file]
        code = module.code
        places: defaultdict[str, list[tuple[str, int, Certainty]]] = defaultdict(list)
        if code is not None:
            for at in _called_names(code, symbol.qualified):
                line = code.stream.line(at)
                for callee, certainty in self._targets(module, code, at):
                    if callee is not symbol:
                        places[self._known(callee)].append((symbol.file, line, certainty))
        return sorted((_call(symbol.id, callee, it) for callee, it in places.items()), key=_order)

    def _targets(self, module: Module, code: Code, at: int) -> Iterator[tuple[Symbol, Certainty]]:
        meaning = self.index.meaning(module, at)
        known = meaning.symbol
        if known is not None:
            is_variant = known.kind == "field" and module.navigation.has_variants
            if is_variant and not self._is_method(known):
                return  # a variant of an enum is made, nothing runs
            certainty: Certainty = "certain" if meaning.is_certain else "possible"
            yield self.index.run_by(known), certainty
            for other in meaning.others:
                yield other, "possible"
            receiver = meaning.receiver
            is_own = receiver is None and code.reader is not None and code.reader.bare_members
            is_instance = receiver is not None and receiver.kind == "instance"
            if known.kind in {"method", "field"} and (is_instance or is_own):
                for override in self.index.types.overrides(known)[:_MAX_CANDIDATES]:
                    yield override, "possible"
            return
        if meaning.kind != "unknown" or meaning.receiver is None:
            return
        name = code.stream.words[at]
        named = [it for it in self.index.symbols.named(module.family, name) if it.is_function]
        may_be = [
            it
            for it in named
            if self.index.certainty(it, self.index.owner_of(it), meaning) is not None
        ]
        if len(may_be) > _MAX_CANDIDATES:
            self.unresolved += 1
            return
        for candidate in may_be:
            yield candidate, "possible"

    def _is_method(self, field: Symbol) -> bool:
        return any(it.variable.is_method for it in self.index.values.places(field))

    def _known(self, symbol: Symbol) -> str:
        return self._symbols.setdefault(symbol.id, symbol).id


def trace(
    index: CodeIndex, symbol: Symbol, direction: Direction, depth: int, job: Job
) -> CallTrace:
    """Return the calls around a function up to a depth; each function is followed once."""
    graph = CallGraph(index, job)
    step = graph.callers if direction == "callers" else graph.callees
    found: list[FunctionCall] = []
    seen = {symbol.id}
    level = [symbol]
    for distance in range(1, depth + 1):
        reached: list[Symbol] = []
        for here in job.each(level, "functions"):
            for call in step(here):
                found.append(replace(call, depth=distance))
                far_id = call.caller if direction == "callers" else call.callee
                far = graph.symbol(far_id)
                if far_id not in seen and call.certainty == "certain" and far is not None:
                    seen.add(far_id)
                    reached.append(far)
            if len(found) >= _MAX_STEPS:
                job.leave_out(f"calls beyond the first {_MAX_STEPS:,}")
                return CallTrace(found, graph.unresolved)
        level = reached
    return CallTrace(found, graph.unresolved)


def find_path(index: CodeIndex, start: Symbol, goal: Symbol, job: Job) -> CallTrace:
    """Return the calls by which one function reaches another, with the fewest possible ones."""
    graph = CallGraph(index, job)
    numbers = count()
    waiting: list[tuple[int, int, Symbol]] = [(0, next(numbers), start)]
    costs: dict[str, int] = {start.id: 0}
    came_by: dict[str, FunctionCall] = {}
    visited: set[str] = set()
    while waiting and len(visited) < _MAX_VISITED_SYMBOLS:
        job.check()
        if job.is_expired:
            job.leave_out("longer paths")
            break
        cost, _, here = heapq.heappop(waiting)
        if here is goal:
            break
        if here.id in visited:
            continue
        visited.add(here.id)
        for call in graph.callees(here):
            far = graph.symbol(call.callee)
            total = cost + (1 if call.certainty == "certain" else _UNSURE)
            if far is not None and total < costs.get(call.callee, total + 1):
                costs[call.callee] = total
                came_by[call.callee] = call
                heapq.heappush(waiting, (total, next(numbers), far))
    return CallTrace(list(_walked(came_by, start.id, goal.id)), graph.unresolved)


def _walked(came_by: dict[str, FunctionCall], start: str, goal: str) -> Iterable[FunctionCall]:
    path: list[FunctionCall] = []
    here = goal
    while here != start and here in came_by:
        path.append(came_by[here])
        here = came_by[here].caller
    return [replace(it, depth=at) for at, it in enumerate(reversed(path), start=1)]


def _called_names(code: Code, qualified: str) -> Iterator[int]:
    """Yield the positions of the names that a function calls, its decorators included."""
    for scope in code.scopes:
        if scope.declared.name == qualified:
            if scope.is_function:
                yield from _decorating(code, scope)
            yield from _inside(code, scope)


def _decorating(code: Code, scope: Scope) -> Iterator[int]:
    """Yield the names of the decorators directly before a function."""
    at = scope.declared.first_token - 1
    for _ in scope.declared.decorators:
        while at >= 0 and code.stream.words[at] != "@":
            at -= 1
        end = at + 1
        while end + 2 < len(code.stream) and code.stream.words[end + 1] == ".":
            end += 2
        if at >= 0 and code.stream.is_name(end):
            yield end
        at -= 1


def _inside(code: Code, scope: Scope) -> Iterator[int]:
    """Yield the called names of a body, those of inner named functions and types left out."""
    first, last = scope.span
    skipped = {it.span[0]: it.span[1] for it in scope.inner if ANONYMOUS not in it.declared.name}
    defining = code.named_at(scope, code.stream.positions(scope.declared.name.rpartition(".")[2]))
    at = first
    while at < last:
        if at in skipped:
            at = skipped[at]
            continue
        is_name = code.stream.is_name(at) and at != defining
        if is_name and is_called(code, at) and _is_own(code, at):
            yield at
        at += 1


def _is_own(code: Code, at: int) -> bool:
    """Whether a called name is not that of a decorator of an inner function."""
    start = chain_start(code.stream.words, at)
    return start == 0 or code.stream.words[start - 1] != "@"


def _call(caller: str, callee: str, places: list[tuple[str, int, Certainty]]) -> FunctionCall:
    sure = [it for it in places if it[2] == "certain"]
    file, line, certainty = min(sure or places)
    lines = tuple(sorted({it[1] for it in places if it[0] == file}))
    return FunctionCall(caller, callee, certainty, file, line, len(places), lines=lines)


def _order(call: FunctionCall) -> tuple[object, ...]:
    return (call.certainty != "certain", call.file, call.line, call.callee)
