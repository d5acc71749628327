"""Follow calls: who calls a function, what it calls, and how one function reaches another.

Making an object calls its constructor; a decorator is called by what it decorates. A call of a
method may run any method that overrides it: those edges are possible. So are functions that are
named without a call: whoever gets one may call it. What is reached by a possible call is followed
too, and possible as a whole: a path is as sure as its weakest call.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, NamedTuple

from benchpin.code import CodeIndex, may_dispatch
from benchpin.code.names import ANONYMOUS, Code, Module, Scope, Symbol, chain_start
from benchpin.core.calls import Job
from benchpin.facts.code import Span
from benchpin.workspace.walking import CodeScope

from ._uses import Certainty, Use, Uses, enclosing_symbol, find_uses, is_called

Direction = Literal["callers", "callees"]

# A call that may run more methods than this says nothing about any of them.
_MAX_CANDIDATES = 8
_MAX_STEPS = 2_000
_MAX_VISITED_SYMBOLS = 3_000
# A name that so many places may mean says too little to follow it: `get`, `run`.
_MAX_FOLLOWED_PLACES = 12
# How many certain calls a path goes through rather than one possible call.
_UNSURE = 10
# The spans of overloads; empty for all of them, or if there is only one function.
_Overloads = frozenset[Span]
_ALL: _Overloads = frozenset()


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """One function calls another, at one or more places."""

    caller: str
    """The path, `::` and the qualified name; only the path for code outside of functions."""
    callee: str
    certainty: Certainty
    """Of all calls from where the search started up to this one."""
    file: str
    line: int
    """The first place of the call."""
    places: int
    depth: int = 1
    """How many calls it is away from where the search started."""
    is_value: bool = False
    """Whether the function is named there without a call, and so handed to something else."""
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


class _Place(NamedTuple):
    file: str
    line: int
    certainty: Certainty
    is_value: bool


class CallGraph:
    """Finds the calls of functions when they are asked for, and keeps them."""

    def __init__(self, index: CodeIndex, job: Job) -> None:
        self.index = index
        self.job = job
        self.unresolved = 0
        self._callees: dict[Symbol, list[FunctionCall]] = {}
        self._symbols: dict[str, Symbol] = {}
        self._ways: dict[tuple[str, str], _Overloads] = {}

    def overloads(self, call: FunctionCall) -> _Overloads:
        """Return those overloads of the caller that make a call."""
        return self._ways.get((call.caller, call.callee), _ALL)

    def symbol(self, symbol_id: str) -> Symbol | None:
        """Return a symbol that was met, by its id; None for code outside of functions."""
        return self._symbols.get(symbol_id)

    def callers(self, symbol: Symbol, within: _Overloads = _ALL) -> list[FunctionCall]:
        """Return the calls of a function, the most certain first.

        If only some of its overloads are selected, the others may call them.
        """
        places: defaultdict[str, list[_Place]] = defaultdict(list)
        ways: defaultdict[str, list[_Overloads]] = defaultdict(list)
        uses = find_uses(self.index, symbol, self.job, mentions=False)
        for use in uses.found:
            is_run = use.kind == "call" or (use.kind == "read" and symbol.is_property)
            if is_run or (use.kind == "read" and symbol.is_function):
                module = self.index.symbols.modules[use.file]
                caller = _outermost(module, enclosing_symbol(module, use.inside))
                caller_id = use.file if caller is None else self._known(caller)
                made_by = self._made_by(symbol, caller, use, uses, within)
                is_other = caller is not symbol or (within and made_by and not made_by <= within)
                if made_by is not None and is_other:
                    certainty: Certainty = use.certainty if is_run else "possible"
                    places[caller_id].append(_Place(use.file, use.line, certainty, not is_run))
                    ways[caller_id].append(made_by)
        for caller_id, found in ways.items():
            self._ways[caller_id, symbol.id] = _ALL if _ALL in found else _ALL.union(*found)
        calls = [_call(caller, symbol.id, found) for caller, found in places.items()]
        return sorted(calls, key=_order)

    def _made_by(
        self, symbol: Symbol, caller: Symbol | None, use: Use, uses: Uses, within: _Overloads
    ) -> _Overloads | None:
        """Return the overloads that a use is in; None if it runs none of the selected ones."""
        module, at = self.index.symbols.modules[use.file], uses.tokens.get(use)
        code = module.code
        if code is None or at is None:
            return _ALL
        same = code.stream.positions(code.stream.words[at])
        places = [it for it in same if code.stream.line(it) == use.line]
        run_at = self.index.values.overloads_at
        near = [
            it for it in places if not (within and within.isdisjoint(run_at(symbol, module, it)))
        ]
        if not near:
            return None
        own = [] if caller is None else self.index.values.overloads_of(caller)
        return frozenset(it for it in own if any(one in range(*it) for one in near))

    def callees(self, symbol: Symbol) -> list[FunctionCall]:
        """Return the calls that a function makes, in the order of certainty and lines."""
        if symbol not in self._callees:
            self._callees[symbol] = self._find_callees(symbol)
        return self._callees[symbol]

    def _find_callees(self, symbol: Symbol) -> list[FunctionCall]:
        module = self.index.symbols.modules[symbol.file]
        code = module.code
        places: defaultdict[str, list[_Place]] = defaultdict(list)
        for at in () if code is None else named_within(code, symbol.qualified):
            line = 0 if code is None else code.stream.line(at)
            for callee, certainty, is_value in self.run_at(module, at):
                if callee is not symbol:
                    place = _Place(symbol.file, line, certainty, is_value)
                    places[self._known(callee)].append(place)
        return sorted((_call(symbol.id, callee, it) for callee, it in places.items()), key=_order)

    def run_at(self, module: Module, at: int) -> Iterator[tuple[Symbol, Certainty, bool]]:
        """Yield what a name in a body calls, or may have called later; and whether it is that."""
        code = module.code
        if code is None:
            return
        start = chain_start(code.stream.words, at)
        is_decorator = start > 0 and code.stream.words[start - 1] == "@"
        if is_decorator or is_called(code, at):
            for callee, certainty in self._targets(module, code, at):
                yield callee, certainty, False
        elif self.index.symbols.count_named(module.family, code.stream.words[at]):
            # Few names are those of functions: only these are evaluated.
            found = self.index.meaning(module, at).symbol
            if found is not None and found.is_function:
                is_run = found.is_property
                yield found, "certain" if is_run else "possible", not is_run

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
            is_open = receiver is not None and may_dispatch(receiver)
            if known.kind in {"method", "field"} and (is_open or is_own):
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
    """Return the calls around a function up to a depth; each function is followed once.

    Certain calls are followed first, so that what they reach is not called possible.
    """
    graph = CallGraph(index, job)
    is_up = direction == "callers"
    found: list[FunctionCall] = []
    seen = {symbol: _ALL}
    waiting: dict[int, dict[Symbol, _Overloads]] = defaultdict(dict)
    for is_sure in (True, False):
        level = {symbol: _ALL} if is_sure else _new(waiting[1], seen)
        for distance in range(1 if is_sure else 2, depth + 1):
            reached: dict[Symbol, _Overloads] = {}
            for here in job.each(list(level), "functions"):
                calls = graph.callers(here, level[here]) if is_up else graph.callees(here)
                followed = _worth_following(calls)
                for call in calls:
                    certainty = call.certainty if is_sure else "possible"
                    found.append(replace(call, depth=distance, certainty=certainty))
                    far = graph.symbol(call.caller if is_up else call.callee)
                    if far is None:
                        continue
                    ways = graph.overloads(call) if is_up else _ALL
                    if certainty == "certain" or (not is_sure and call in followed):
                        _add(reached, _new({far: ways}, seen))
                    elif call in followed:
                        _add(waiting[distance], {far: ways})
                if len(found) >= _MAX_STEPS:
                    job.leave_out(f"calls beyond the first {_MAX_STEPS:,}")
                    return CallTrace(_in_order(found), graph.unresolved)
            if not is_sure:
                _add(reached, _new(waiting[distance], seen))
            level = reached
    return CallTrace(_in_order(found), graph.unresolved)


def _new(
    symbols: Mapping[Symbol, _Overloads], seen: dict[Symbol, _Overloads]
) -> dict[Symbol, _Overloads]:
    """Return the functions and overloads that were not followed yet, and note that they are."""
    found: dict[Symbol, _Overloads] = {}
    for symbol, ways in symbols.items():
        known = seen.get(symbol)
        if known is None or (known and not ways):
            found[symbol] = ways
        elif known and ways - known:
            found[symbol] = ways - known
    _add(seen, found)
    return found


def _add(known: dict[Symbol, _Overloads], more: Mapping[Symbol, _Overloads]) -> None:
    """Add functions and their overloads to others."""
    for symbol, ways in more.items():
        both = known.get(symbol, ways)
        known[symbol] = both | ways if both and ways else _ALL


def _worth_following(calls: Sequence[FunctionCall]) -> set[FunctionCall]:
    """Return the calls to follow: all that are certain; possible ones where they are few."""
    unsure = [it for it in calls if it.certainty != "certain"]
    is_few = sum(not it.is_value for it in unsure) <= _MAX_FOLLOWED_PLACES
    return {it for it in calls if it.certainty == "certain" or it.is_value or is_few}


def _in_order(found: list[FunctionCall]) -> list[FunctionCall]:
    return sorted(found, key=lambda it: (it.depth, it.certainty != "certain"))


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


def named_within(code: Code, qualified: str) -> Iterator[int]:
    """Yield the positions of the names in a function, those of its decorators included."""
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
    """Yield the names of a body, those of inner named functions and types left out."""
    first, last = scope.span
    skipped = {it.span[0]: it.span[1] for it in scope.inner if ANONYMOUS not in it.declared.name}
    defining = code.named_at(scope, code.stream.positions(scope.declared.name.rpartition(".")[2]))
    at = first
    while at < last:
        if at in skipped:
            at = skipped[at]
            continue
        is_name = code.stream.is_name(at) and at != defining
        if is_name and _is_own(code, at):
            yield at
        at += 1


def _is_own(code: Code, at: int) -> bool:
    """Whether a called name is not that of a decorator of an inner function."""
    start = chain_start(code.stream.words, at)
    return start == 0 or code.stream.words[start - 1] != "@"


def _call(caller: str, callee: str, places: list[_Place]) -> FunctionCall:
    file, line, certainty, is_value = min(
        places, key=lambda it: (it.certainty != "certain", it.is_value, it.file, it.line)
    )
    lines = tuple(sorted({it.line for it in places if it.file == file}))
    return FunctionCall(
        caller, callee, certainty, file, line, len(places), is_value=is_value, lines=lines
    )


def _outermost(module: Module, caller: Symbol | None) -> Symbol | None:
    """Return the function in whose body another one is: hardly anybody else can call that.

    Else the function around a closure would count as a level of callers of its own.
    """
    while caller is not None and caller.is_function:
        around = enclosing_symbol(module, caller.qualified.rpartition(".")[0])
        if around is None or not around.is_function:
            break
        caller = around
    return caller


def _order(call: FunctionCall) -> tuple[object, ...]:
    return (call.certainty != "certain", call.file, call.line, call.callee)
