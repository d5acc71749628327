"""Find the causes: what the source of hot functions repeats, ranked by the time it takes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.performance.values import PublishedValue

from ._call_graph import FunctionKey, ProfileGraph, short_name
from ._code import CLOSURE, MAX_LINE_CHARS, FunctionLines, Loop, WrittenCall, blanked, words_of
from ._regexes import dangerous_pattern
from ._rules import REPEATED, CauseKind, CauseRule, is_waiting

# Less of the time than this is no cause of anything.
_MIN_SHARE = 0.10
# Where a profiler does not list what is built in, the time is that of the function itself.
_UNSEEN = 0.8
_MIN_WAITING = 0.4
# A function that is called this often is repeated, whatever the reason.
_OFTEN = 50
_MAX_CAUSES = 10
_MIN_RECURSIVE_CALLS = 2
_SQL = re.compile(r"\b(?:select|insert|update|delete|replace)\b\s+\S", re.IGNORECASE)
_STORE = re.compile(
    r"(?i)(?:db|database|conn|connection|cursor|cur|session|client|repo\w*|stmt|statement|pool|orm"
    r"|objects|model|http|api|requests)\w*(?:\(\))?(?:\.|->)\w+\("
)
_FOR_IN = re.compile(r"\bfor\b.+?\bin\b")
_SETS = r"\b{name}\s*(?::[^=]+)?=\s*(?:set\(|frozenset\(|\{{|dict\(|new (?:Set|Map)\b|defaultdict)"
_MATCHER = re.compile(
    r"match|search|\btest\b|exec|\bsub\b|findall|preg_|RegExp|regexp|replace|split", re.IGNORECASE
)
_NAMED = re.compile(r"\s*(?:(?:const|let|var|static|final|private|public)\s+)*(\$?\w+)")
_REMEMBERED = re.compile(r"cache|memo|seen|visited", re.IGNORECASE)
_COMPARES = re.compile(r"[^=!<>]==?=?[^=>]|\.equals\(")
_SMALLER = re.compile(r"[-+/]\s*\w|\w\[\w*:")
# What returns something else each time, or is called for what it does.
_CHANGING = frozenset(
    {
        *("pop", "popleft", "next", "random", "randint", "now", "time", "read", "readline", "recv"),
        *("append", "push", "add", "write", "sleep", "send", "shift", "get", "put", "print", "log"),
        *("execute", "query", "fetchone", "fetch", "close", "flush", "commit", "step", "run"),
        *("range", "len", "count", "super", "enumerate", "zip", "iter", "list", "dict", "set"),
    }
)


@dataclass(frozen=True, slots=True)
class HotCode:
    """Where a function of a profile is in the workspace."""

    symbol: str
    path: str
    line: int
    end_line: int
    text: str
    """Of the whole file."""

    @property
    def name(self) -> str:
        """Return its name; of a closure, that of the function around it."""
        return self.symbol.removesuffix(CLOSURE).rstrip(".") or self.symbol


class Cause(PublishedValue, frozen=True):
    """Why a function is slow."""

    kind: CauseKind | None
    """None where only the callee is known."""
    function: str
    file: str
    line: int
    share: float
    """Of all time, what would be saved at most if it vanished."""
    says: str
    attempt: str
    """What to try."""
    loop: str | None = None
    """The loop that repeats it, by its function and place."""


def find_causes(graph: ProfileGraph, code: Mapping[FunctionKey, HotCode]) -> list[Cause]:
    """Return why the functions of the workspace are slow, the largest saving first.

    Each function has at most one cause; where none is known, its most expensive callee is named.
    """
    search = _Search(graph, code)
    found = [cause for key in code if (cause := search.cause_of(key))]
    found.sort(key=lambda it: (it.kind is None, -it.share, it.file, it.line))
    return found[:_MAX_CAUSES]


class _Search:
    def __init__(self, graph: ProfileGraph, code: Mapping[FunctionKey, HotCode]) -> None:
        self._graph, self._code = graph, code
        self._lines: dict[str, tuple[list[str], list[str]]] = {}
        self._bodies: dict[FunctionKey, FunctionLines] = {}
        self._files = {it.file for it in code if it.file is not None}
        self._shares: dict[FunctionKey, float] = {}

    def cause_of(self, key: FunctionKey) -> Cause | None:
        body = self._body(key)
        if not body.code:
            return None
        found = list(self._candidates(key, body))
        strong = [it for it in found if it.share >= _MIN_SHARE]
        return max(strong, key=lambda it: it.share, default=None) or self._hot(key)

    def _body(self, key: FunctionKey) -> FunctionLines:
        if key not in self._bodies:
            place = self._code[key]
            if place.path not in self._lines:
                self._lines[place.path] = (
                    place.text.splitlines(),
                    blanked(place.text).splitlines(),
                )
            raw, code = self._lines[place.path]
            self._bodies[key] = FunctionLines.of(
                place.symbol, raw, code, place.line, place.end_line
            )
        return self._bodies[key]

    def _candidates(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        caller = self._looping_caller(key)
        yield from self._regexes(key, body)
        yield from self._repeated(key, body, caller)
        yield from self._nested(key, body)
        yield from self._recursion(key, body)
        yield from self._invariant(key, body)
        yield from self._awaits(key, body)

    # Shares of all time that is no waiting.

    def _share(self, cost: int) -> float:
        return min(1.0, cost / self._graph.busy) if self._graph.busy > 0 else 0.0

    def _spent_in(self, key: FunctionKey, names: re.Pattern[str]) -> tuple[float, str]:
        """Return the share of time in callees with such a name, and the most expensive of them."""
        callees = {
            callee: it.inclusive
            for callee, it in self._graph.callees.get(key, {}).items()
            if callee != key and names.search(callee.function) and not is_waiting(callee.function)
        }
        worst = max(callees, key=callees.__getitem__, default=None)
        return self._share(sum(callees.values())), "" if worst is None else worst.function

    def _evidence(self, key: FunctionKey, names: re.Pattern[str]) -> tuple[float, str]:
        """Return what work of a kind takes: in callees, or where they are unseen, by itself."""
        seen, callee = self._spent_in(key, names)
        unseen = _UNSEEN * self._share(self._graph.own[key])
        return (seen, callee) if seen >= _MIN_SHARE or seen >= unseen else (unseen, "")

    def _looping_caller(self, key: FunctionKey) -> tuple[FunctionKey, Loop] | None:
        """Return a function of the workspace that calls it in a loop."""
        name = short_name(self._code[key].symbol)
        for caller in sorted(self._graph.callers.get(key, ()), key=str):
            if caller in self._code and caller != key:
                body = self._body(caller)
                for call in body.calls:
                    loop = body.loop_at(call.line)
                    if loop is not None and short_name(call.name) == name:
                        return caller, loop
        return None

    # The kinds of causes.

    def _repeated(
        self, key: FunctionKey, body: FunctionLines, caller: tuple[FunctionKey, Loop] | None
    ) -> Iterator[Cause]:
        is_often = self._graph.calls[key] >= _OFTEN
        for at, code in enumerate(body.code):
            line = body.start + at
            if at == 0 and len(body.code) > 1:
                continue
            loop = body.loop_at(line)
            if loop is None and caller is None and not is_often:
                continue
            rule = next((it for it in REPEATED if self._fits(it, body, at, code)), None)
            if rule is None or (loop is None and rule.kind in {"string_building", "linear_search"}):
                continue
            share, callee = self._evidence(key, rule.callee)
            where = self._loop_text(key, loop, caller)
            yield self._cause(rule.kind, key, line, share, rule.says, rule.attempt, callee, where)

    def _fits(self, rule: CauseRule, body: FunctionLines, at: int, code: str) -> bool:
        if rule.kind == "linear_search":
            code = _FOR_IN.sub("", code)
        found = rule.code.search(code)
        if found is None:
            return False
        if rule.kind == "n_plus_one":
            around = "\n".join(body.raw[at : at + 3])
            return bool(_SQL.search(around) or _STORE.search(body.raw[at]))
        if rule.kind == "linear_search" and found["where"]:
            name = re.escape(found["where"])
            made = re.compile(_SETS.format(name=name))
            return not any(made.search(it) for it in body.code)
        return True

    def _regexes(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        used = words_of("\n".join(body.code))
        raw, _ = self._lines[self._code[key].path]
        inside = range(body.start, body.start + len(body.raw))
        for number, whole in enumerate(raw, start=1):
            text = whole[:MAX_LINE_CHARS]
            pattern = dangerous_pattern(text)
            if pattern is None:
                continue
            named = _NAMED.match(text)
            if number in inside or (named and named[1] in used):
                share, callee = self._evidence(key, _MATCHER)
                says = f"matches a regular expression that repeats a repetition: {pattern[:60]}"
                attempt = (
                    "Rewrite it so that each text can match in one way only: no group with + or * "
                    "inside a group with + or *."
                )
                yield self._cause("regex", key, number, share, says, attempt, callee, None)

    def _nested(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        for inner in body.loops:
            outer = next(
                (
                    it
                    for it in body.loops
                    if it.depth == inner.depth - 1 and it.line < inner.line <= it.end
                ),
                None,
            )
            if outer is None or inner.end == inner.line:
                continue
            target = re.split(r"\bin\b|\bof\b|:=|\bas\b", outer.head)[0]
            over = re.split(r"\bin\b|\bof\b|\brange\b|\bas\b", inner.head)[-1]
            is_own = ";" not in inner.head and words_of(over) & self._targets(outer, target)
            compares = any(map(_COMPARES.search, self._conditions(body, inner)))
            if not is_own and compares:
                share = self._share(self._graph.own[key])
                says = "compares each item with each of another list, in nested loops"
                attempt = "Make a map of one list by what is compared, and look items up in it."
                where = f"{self._code[key].name}, line {outer.line}"
                yield self._cause("nested_loop", key, inner.line, share, says, attempt, "", where)

    def _targets(self, loop: Loop, target: str) -> set[str]:
        if " as " in loop.head:
            return words_of(loop.head.rpartition(" as ")[2])
        return words_of(target)

    def _conditions(self, body: FunctionLines, loop: Loop) -> list[str]:
        lines = (body.code[it - body.start] for it in body.lines_within(loop))
        return [it for it in lines if re.search(r"\bif\b", it)]

    def _recursion(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        name = short_name(self._code[key].symbol)
        calls = [
            it for it in body.calls if short_name(it.name) == name and _SMALLER.search(it.arguments)
        ]
        before = self._lines[self._code[key].path][0][max(0, body.start - 4) : body.start - 1]
        is_remembered = _REMEMBERED.search("\n".join([*before, *body.raw]))
        if len(calls) >= _MIN_RECURSIVE_CALLS and not is_remembered:
            share = self._share(self._graph.own[key])
            says = "calls itself several times, and so computes the same results again and again"
            attempt = "Keep results by their arguments (a cache), or build them up in a loop."
            yield self._cause("repeated_calls", key, calls[0].line, share, says, attempt, "", None)

    def _invariant(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        spent = self._graph.callees.get(key, {})
        for call in body.calls:
            loop, name = body.loop_at(call.line), short_name(call.name)
            if loop is None or name.lower() in _CHANGING or call.line == loop.line != loop.end:
                continue
            if not self._is_invariant(call, loop):
                continue
            share = self._share(
                sum(it.inclusive for to, it in spent.items() if short_name(to.function) == name)
            )
            says = f"calls {call.name} in a loop with what does not change there"
            attempt = f"Call {call.name} once before the loop."
            where = f"{self._code[key].name}, line {loop.line}"
            yield self._cause(
                "invariant_work", key, call.line, share, says, attempt, call.name, where
            )

    def _is_invariant(self, call: WrittenCall, loop: Loop) -> bool:
        receiver = set(re.findall(r"\$?\w+", call.name)[:-1])
        return not ((words_of(call.arguments) | receiver) & loop.names)

    def _awaits(self, key: FunctionKey, body: FunctionLines) -> Iterator[Cause]:
        waiting = self._graph.waiting / self._graph.total if self._graph.total else 0.0
        if waiting < _MIN_WAITING:
            return
        for at, code in enumerate(body.code):
            loop = body.loop_at(body.start + at)
            if loop is None or not re.search(r"\bawait\b|\.await\b", code):
                continue
            if re.search(r"\bfor\s+await\b|\basync\s+for\b", code):
                continue
            where = f"{self._code[key].name}, line {loop.line}"
            says = "waits for each item before it asks for the next"
            attempt = "Start all of them, then wait for all (gather, Promise.all), some at a time."
            yield self._cause(
                "serial_awaits", key, body.start + at, waiting, says, attempt, "", where
            )

    def _hot(self, key: FunctionKey) -> Cause | None:
        """Return the most expensive callee outside the workspace, where no cause is known."""
        callees = {
            to: round(it.inclusive * (1 - self._returned(to)))
            for to, it in self._graph.callees.get(key, {}).items()
            if to not in self._code and not is_waiting(to.function)
        }
        worst = max(callees, key=callees.__getitem__, default=None)
        own, inside = self._share(self._graph.own[key]), 0.0
        if worst is not None:
            inside = self._share(callees[worst])
        if max(own, inside) < _MIN_SHARE:
            return None
        place = self._code[key]
        if worst is not None and inside > own:
            says = f"spends {inside:.0%} of the time in {worst.function}"
            attempt = f"Look at what {place.name} passes to {short_name(worst.function)}."
            return Cause(None, place.name, place.path, place.line, inside, says, attempt)
        says = f"spends {own:.0%} of the time itself"
        attempt = "Look at its loops: what is done once for each item, and could be done once."
        return Cause(None, place.name, place.path, place.line, own, says, attempt)

    def _returned(self, key: FunctionKey) -> float:
        """Return the share of a function's time that it spends in the workspace again.

        What takes a function, such as map or the runner of tests, is not why that is slow.
        """
        known = self._shares.get(key)
        if known is not None:
            return known
        self._shares[key] = 0.0  # of a circle
        spent = 0.0
        for to, call in self._graph.callees.get(key, {}).items():
            is_own = to in self._code or (to.file is not None and to.file in self._files)
            spent += call.inclusive * (1.0 if is_own else self._returned(to))
        whole = self._graph.inclusive[key]
        self._shares[key] = min(1.0, spent / whole) if whole > 0 else 0.0
        return self._shares[key]

    def _loop_text(
        self, key: FunctionKey, loop: Loop | None, caller: tuple[FunctionKey, Loop] | None
    ) -> str | None:
        if loop is not None:
            return f"{self._code[key].name}, line {loop.line}"
        if caller is None:
            return None
        place = self._code[caller[0]]
        return f"{place.name}, {place.path}:{caller[1].line}"

    def _cause(
        self,
        kind: CauseKind,
        key: FunctionKey,
        line: int,
        share: float,
        says: str,
        attempt: str,
        callee: str,
        loop: str | None,
    ) -> Cause:
        place = self._code[key]
        spent = f"; {share:.0%} of the time is in {callee}" if callee else ""
        return Cause(
            kind, place.name, place.path, line, round(share, 4), says + spent, attempt, loop
        )


def busiest(graph: ProfileGraph, limit: int) -> Sequence[FunctionKey]:
    """Return the functions to look at: those that take most, with what they call."""
    ranked = sorted(graph.inclusive, key=lambda it: (-graph.inclusive[it], it.function))
    return ranked[:limit]
