"""The answer to a question: definitions with their code, their calls, settings and commits.

The best definitions come first, whole while there is room; of a long one the lines that have words
of the question. What is around them, such as callers, has a fixed small share of the budget.
"""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchpin.code import CodeIndex, SourceText, index_of, scope_of
from benchpin.code.names import Module, Symbol
from benchpin.code.references import Direction, FunctionCall, trace
from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted
from benchpin.facts import FileSelection
from benchpin.measures.history import last_commits
from benchpin.memory import Inputs
from benchpin.workspace.walking import SCOPES, ScopeChoice

from ._explored import Excerpted, Explored, UsedSetting
from ._ranking import Asked, Candidate, Terms, asked_words, rank
from ._reading import QuestionReader, numbered
from ._terms import KINDS, PRODUCTION, TERMS, TEST, TermTables, stems

# Code has 3.5 characters a token, by o200k on five languages.
_CHARS_PER_TOKEN = 3.5
# The part of the budget that is for code; the rest is for what is around it.
_CODE_SHARE = 0.75
# Candidates that are looked at, definitions that are shown, and the least score of one, as a part
# of the best: what follows has little to do with the question.
_MAX_CANDIDATES, _MAX_SHOWN, _MIN_SCORE = 60, 14, 0.3
# How far the best may be from the next.
_STANDING_OUT = 1.5
# What is close to the best: so many, with this part of its score. After these comes what the best
# one calls in its file, and who calls it if few do: that says more than the tail of the ranking.
_MAX_CLOSE, _CLOSE, _MAX_CALLED, _MAX_CALLING = 3, 0.6, 4, 2
# A definition up to this length is shown whole if there is room; a longer one takes at most this
# part of the room for code. Of what is around the best and of types: so many lines, this part.
_WHOLE_LINES, _MAX_SHARE, _NEXT_SHARE = 30, 0.35, 0.3
_NEAR_LINES, _NEAR_SHARE = 30, 0.14
# What is far from the best has the lines that say most, in the part of the room that is kept for
# it: which of the candidates decides is seen from these, and the room goes to whole bodies.
_TAIL_LINES, _TAIL_SHARE, _TAIL_ROOM = 4, 0.04, 0.2
# Those with this part of the best score have their bodies before the others have a line.
_FILL = 0.35
# What is around the definitions: of the best ones, and so many of each.
_MAX_TRACED, _MAX_CALLERS, _MAX_SETTINGS, _MAX_OTHERS = 5, 4, 5, 3
# Files that use a name in capitals, among which its definition is looked for.
_MAX_USERS = 30
_KINDS = {
    "all": frozenset(KINDS),
    "production": frozenset({PRODUCTION}),
    "tests": frozenset({TEST}),
}
# How near to the best definition one is.
Place = Literal["best", "next", "near", "tail"]
_SHARES: dict[Place, tuple[int, float]] = {
    "best": (_WHOLE_LINES, _MAX_SHARE),
    "next": (_WHOLE_LINES, _NEXT_SHARE),
    "near": (_NEAR_LINES, _NEAR_SHARE),
    "tail": (_TAIL_LINES, _TAIL_SHARE),
}
_BEFORE_MEMBERS = frozenset({".", "->", "::", "?."})


@dataclass(slots=True)
class _Opened:
    """The words of a workspace, kept open between questions; a service of the session."""

    last: tuple[TermTables, Terms] | None = None


def answer(
    selection: FileSelection, question: str, budget: int, scope: ScopeChoice = "all"
) -> Explored:
    """Return what a question is about, in about so many tokens.

    Raises:
        InvalidParams: when no word of the question is in the code; the error names near words.
    """
    whole = selection.workspace()
    tables = Inputs(whole).get(TERMS, None)
    opened = whole.session.service(_Opened, _Opened)
    known = opened.last
    if known is None or known[0] is not tables:
        opened.last = known = tables, Terms(tables)
    terms = known[1]
    words = asked_words(terms, question)
    if not any(it.hits for it in words) and not selection.job.missing:
        raise _nothing_found(terms, question, scope)
    candidates = rank(terms, question, words, _MAX_CANDIDATES, _KINDS[scope])
    if not candidates and not selection.job.missing:
        raise _nothing_found(terms, question, scope)
    return _Answering(selection, words, budget).about(candidates, terms)


def _nothing_found(terms: Terms, question: str, scope: ScopeChoice) -> InvalidParams:
    searched = f"{terms.count:,} definitions in {counted(terms.files, 'file')}"
    within = "" if scope == "all" else f" ({scope} only)"
    names = sorted(terms.defined())
    near = [it for word in question.split()[:8] for it in difflib.get_close_matches(word, names, 2)]
    suggestion = "Ask with words that the code may have, such as `where is a token checked`."
    if near:
        suggestion = f"The nearest names are {', '.join(dict.fromkeys(near))}."
    return InvalidParams(
        f"Nothing in {searched}{within} has a word of {question[:100]!r}", suggestion=suggestion
    )


class _Answering:
    """What is read for one answer."""

    def __init__(self, selection: FileSelection, words: Sequence[Asked], budget: int) -> None:
        self._selection, self._job = selection, selection.job
        self._index: CodeIndex = index_of(selection)
        self._text = SourceText(selection.root)
        self._words = words
        self._reading = QuestionReader(self._text, words)
        self._code = int(budget * _CODE_SHARE * _CHARS_PER_TOKEN)
        self._room = int(self._code * (1 - _TAIL_ROOM))
        self._shown: dict[tuple[str, str], Symbol | None] = {}

    def about(self, candidates: Sequence[Candidate], terms: Terms) -> Explored:
        """Return the answer from what was ranked."""
        unknown = [it.word for it in self._words if not it.hits]
        found = Explored(definitions=terms.count, files=terms.files, unknown=unknown)
        folded = self._reading.ranked(self._folded(candidates), self._is_type)
        best = self._measure(folded)
        close = [it for it in folded[:_MAX_CLOSE] if it.score >= _CLOSE * best]
        telling: list[Symbol] = []
        for candidate in close:
            symbol = self._show(candidate, found, "next" if found.shown else "best")
            # What surrounds a part, or the second best, has little to do with the question.
            if symbol is not None and (not telling or found.shown[-1].is_whole):
                telling.append(symbol)
        known = {(it.path, it.name): it.score for it in folded}
        near = self._folded(self._around(telling))
        for candidate in sorted(near, key=lambda it: -known.get((it.path, it.name), 0.0)):
            self._show(candidate, found, "near")
        files, above = {it.file for it in telling}, len(found.shown)
        beside = [it for it in folded if it.score >= _FILL * best]
        for candidate in sorted(beside, key=lambda it: it.path not in files):
            self._show(candidate, found, "near")
        self._room += int(self._code * _TAIL_ROOM)
        for at, candidate in enumerate(folded):
            if candidate.score >= _MIN_SCORE * best:
                self._show(candidate, found, "tail")
            is_shown = (candidate.path, candidate.name) in self._shown
            if not is_shown and at < _MAX_SHOWN + _MAX_OTHERS and len(found.others) < _MAX_OTHERS:
                found.others.append(f"{candidate.path}::{candidate.name}:{candidate.line}")
        self._fill(beside, found)
        # Those of a file are shown together, with its path once; the best file first.
        order = {it.file: at for at, it in reversed(list(enumerate(found.shown)))}
        found.shown[above:] = sorted(found.shown[above:], key=lambda it: order[it.file])
        self._trace(telling, found)
        found.settings = self._settings(telling)
        found.commits = last_commits(
            self._selection.session, self._job, [it.file for it in found.shown]
        )
        return found

    def _fill(self, candidates: Sequence[Candidate], found: Explored) -> None:
        """Show more of those that have a few lines, best first, as long as there is room."""
        places = {(it.file, it.line): at for at, it in enumerate(found.shown)}
        for candidate in candidates:
            at = places.get((candidate.path, candidate.line))
            if at is None or found.shown[at].is_whole:
                continue
            before = found.shown[at]
            self._room += len(before.code)
            more = self._excerpt(candidate, self._symbol(candidate), "next")
            if more is not None and len(more.code) > len(before.code):
                found.shown[at] = more
            else:
                self._room -= len(before.code) - (0 if more is None else len(more.code))

    def _measure(self, ranked: Sequence[Candidate]) -> float:
        """Return the score that others are compared with, which is not always the best.

        A name that the question has stands out, and what the rest of the question is about is near
        the others.
        """
        first = ranked[0].score if ranked else 0.0
        name = set(stems(ranked[0].name)) if ranked else set()
        is_all = name.issuperset(it.word for it in self._words)
        if len(ranked) > 1 and ranked[0].is_named and not is_all:
            return min(first, _STANDING_OUT * ranked[1].score)
        return first

    def _show(self, candidate: Candidate, found: Explored, place: Place) -> Symbol | None:
        """Show a definition if it is not shown yet and there is room; return its symbol."""
        key = candidate.path, candidate.name
        is_known = key in self._shown or self._is_inside(candidate, found)
        if is_known or len(found.shown) >= _MAX_SHOWN:
            return None
        symbol = self._symbol(candidate)
        excerpt = self._excerpt(candidate, symbol, place)
        if excerpt is not None:
            found.shown.append(excerpt)
            self._shown[key] = symbol
        return None if excerpt is None else symbol

    def _around(self, best: Sequence[Symbol]) -> list[Candidate]:
        """Return what the best function calls in its file, and its callers if these are few."""
        first = next((it for it in best if it.is_function), None)
        if first is None:
            return []
        called = [it.callee for it in self._calls(first, "callees") if it.certainty == "certain"]
        calling = [it.caller for it in self._calls(first, "callers") if it.certainty == "certain"]
        near = [it for it in map(self._known, dict.fromkeys(called)) if it is not None]
        near = [it for it in near if it.file == first.file and it.is_function][:_MAX_CALLED]
        users = [it for it in map(self._known, dict.fromkeys(calling)) if it is not None]
        users = [it for it in users if scope_of(self._index, it.file, it.line) == "production"]
        near += users if len(users) <= _MAX_CALLING else []
        return [Candidate(it.file, it.qualified, it.line, it.end_line, 0, 0.0) for it in near]

    def _calls(self, symbol: Symbol, direction: Direction) -> list[FunctionCall]:
        if self._job.is_expired:
            self._job.leave_out("calls of some definitions")
            return []
        return trace(self._index, symbol, direction, 1, self._job).calls

    def _known(self, symbol_id: str) -> Symbol | None:
        path, _, name = symbol_id.partition("::")
        modules = self._index.symbols.modules
        return modules[path].symbols.get(name) if path in modules else None

    def _folded(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates; a function inside another one stands for the outer one."""
        found: dict[tuple[str, str], Candidate] = {}
        for candidate in candidates:
            outer = symbol = self._symbol(candidate)
            while outer is not None and (around := self._function_around(outer)) is not None:
                outer = around
            if outer is not None and outer is not symbol:
                lines = outer.line, outer.end_line
                names = candidate.path, outer.qualified
                candidate = Candidate(*names, *lines, candidate.kind, candidate.score)  # noqa: PLW2901 - the outer one
            found.setdefault((candidate.path, candidate.name), candidate)
        return list(found.values())

    def _function_around(self, symbol: Symbol) -> Symbol | None:
        around = self._index.symbols.modules[symbol.file].symbols.get(symbol.owner)
        return around if around is not None and around.is_function else None

    def _symbol(self, candidate: Candidate) -> Symbol | None:
        return self._known(f"{candidate.path}::{candidate.name}")

    def _is_type(self, candidate: Candidate) -> bool:
        symbol = self._symbol(candidate)
        return symbol is not None and symbol.is_type

    def _is_inside(self, candidate: Candidate, found: Explored) -> bool:
        """Whether code is shown already, as a part of a definition around it."""
        whole = (it for it in found.shown if it.is_whole and it.file == candidate.path)
        return any(it.line <= candidate.line <= candidate.end_line <= it.end_line for it in whole)

    def _excerpt(
        self, candidate: Candidate, symbol: Symbol | None, place: Place
    ) -> Excerpted | None:
        """Return a definition with its code, as much as there is room for; None without room."""
        lines = self._text.lines(candidate.path)
        first, last = candidate.line, min(candidate.end_line, len(lines))
        code = numbered(lines, range(first, last + 1), last)
        whole_lines, share = _SHARES[place]
        is_short = last - first < whole_lines and candidate.name
        if place in {"best", "next"} and symbol is not None and symbol.is_type:
            share = _NEAR_SHARE  # what its methods do has candidates of its own
        is_small = place in {"best", "next"} and len(code) <= self._code * share
        is_whole = bool(is_short or is_small) and len(code) <= self._room
        if not is_whole:
            room = min(self._code * share, self._room)
            chosen = self._reading.telling_lines(lines, first, last, room, is_brief=place == "tail")
            code = numbered(lines, chosen, last)
        if len(code) > self._room or not code:
            return None
        self._room -= len(code)
        kind = "file" if symbol is None else symbol.kind
        name = candidate.name or "(outside of definitions)"
        return Excerpted(
            f"{candidate.path}::{name}", kind, candidate.path, first, last, code, is_whole
        )

    def _trace(self, telling: Sequence[Symbol], found: Explored) -> None:
        """Find how the definitions call one another, and who calls them from outside."""
        ids = {it.id for it in self._shown.values() if it is not None}
        outside: dict[tuple[str, str], FunctionCall] = {}
        for symbol in telling:
            for call in self._calls(symbol, "callers"):
                if call.caller not in ids:
                    text = self._text.line(call.file, call.line)
                    scope = scope_of(self._index, call.file, call.line)
                    entry = replace(call, text=text, text_line=call.line, scope=scope)
                    outside.setdefault((call.caller, call.callee), entry)
        for known in list(self._shown.values())[:_MAX_TRACED]:
            calls = [] if known is None else self._calls(known, "callees")
            found.calls += [it for it in calls if it.callee in ids and it.certainty == "certain"]
        found.entered_by = sorted(outside.values(), key=_entry_order)[:_MAX_CALLERS]

    def _settings(self, telling: Sequence[Symbol]) -> list[UsedSetting]:
        """Return the constants, variables and fields that the best definitions use most."""
        counts: Counter[Symbol] = Counter()
        asked = {word for it in self._words for word in it.alike}
        for symbol in telling:
            module = self._index.symbols.modules[symbol.file]
            for at in _values_in(module, symbol):
                used = self._index.meaning(module, at).symbol or self._constant(module, at)
                # A field mostly passes something on, unless the question has a word of it.
                is_told = used is not None and bool(asked.intersection(stems(used.name)))
                if used is not None and (
                    used.kind == "variable" or (used.kind == "field" and is_told)
                ):
                    counts[used] += 1
        # Constants first: they decide, where fields mostly pass something on.
        most = sorted(
            counts.items(),
            key=lambda it: (not it[0].name.isupper(), -it[1], it[0].file, it[0].line),
        )
        return [
            UsedSetting(it.qualified, it.kind, uses, it.file, it.line)
            for it, uses in most[:_MAX_SETTINGS]
        ]

    def _constant(self, module: Module, at: int) -> Symbol | None:
        """Return the only variable of a name in capitals, such as a setting of Django."""
        name = "" if module.code is None else module.code.stream.words[at]
        if not name.isupper() or "_" not in name:
            return None
        using = self._index.modules_with(name)
        variables = [it.variable(name) for it in using[:_MAX_USERS]]
        found = [it for it in variables if it is not None]
        return found[0] if len(found) == 1 else None


def _values_in(module: Module, symbol: Symbol) -> Iterator[int]:
    """Yield the tokens of a definition that may be settings: members and names in capitals."""
    code = module.code
    scope = None if code is None else code.scope_of.get(symbol.qualified)
    if code is None or scope is None:
        return
    words = code.stream.words
    for at in range(*scope.span):
        is_called = at + 1 < len(words) and words[at + 1] == "("
        is_member = at > 0 and words[at - 1] in _BEFORE_MEMBERS
        if code.stream.is_name(at) and not is_called and (is_member or words[at].isupper()):
            yield at


def _entry_order(call: FunctionCall) -> tuple[object, ...]:
    return (SCOPES.index(call.scope), call.certainty != "certain", call.file, call.line)
