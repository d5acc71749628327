"""The answer to a question: definitions with their code, their calls, settings and commits.

The best definitions come first, whole while there is room; of a long one the lines that have words
of the question. What is around them, such as callers, has a fixed small share of the budget.
"""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from benchpin.code import CodeIndex, SourceText, index_of, scope_of
from benchpin.code.names import Module, Symbol
from benchpin.code.references import Direction, FunctionCall, trace
from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted, plain
from benchpin.facts import FileSelection
from benchpin.measures.history import LastCommit, last_commits
from benchpin.memory import Inputs
from benchpin.workspace.walking import SCOPES, ScopeChoice

from ._ranking import Asked, Candidate, Terms, asked_words, rank
from ._reading import QuestionReader, numbered
from ._terms import KINDS, PRODUCTION, TERMS, TEST, TermTables, stems

# Code has 3.5 characters a token, by o200k on five languages.
_CHARS_PER_TOKEN = 3.5
# The part of the budget that is for code; the rest is for what is around it.
_CODE_SHARE = 0.75
# Candidates that are looked at, definitions that are shown, and the least score of one, as a part
# of the best: what follows has little to do with the question.
_MAX_CANDIDATES, _MAX_SHOWN, _MIN_SCORE = 60, 9, 0.4
# How far the best may be from the next.
_STANDING_OUT = 1.5
# What is close to the best: so many, with this part of its score. After these comes what the best
# one calls in its file, and who calls it if few do: that says more than the tail of the ranking.
_MAX_CLOSE, _CLOSE, _MAX_CALLED, _MAX_CALLING = 3, 0.6, 4, 2
# A definition up to this length is shown whole if there is room; a longer one takes at most this
# part of the room for code.
_WHOLE_LINES, _MAX_SHARE = 30, 0.35
# Of what is far from the best, whole if it has so many lines, and of long types.
_TAIL_LINES, _HEAD_SHARE = 20, 0.14
# What is around the definitions: of the best ones, and so many of each.
_MAX_TRACED, _MAX_CALLERS, _MAX_SETTINGS, _MAX_OTHERS = 5, 8, 8, 8
# Files that use a name in capitals, among which its definition is looked for.
_MAX_USERS = 30
_KINDS = {
    "all": frozenset(KINDS),
    "production": frozenset({PRODUCTION}),
    "tests": frozenset({TEST}),
}
_BEFORE_MEMBERS = frozenset({".", "->", "::", "?."})


@dataclass(frozen=True, slots=True)
class Excerpted:
    """A definition that answers the question, or a part of it."""

    id: str
    """The path, `::` and the qualified name; other tools accept it."""
    kind: str
    file: str
    line: int
    end_line: int
    code: str
    """Its lines with their numbers; ⋮ where some are left out."""
    is_whole: bool

    @property
    def heading(self) -> str:
        """The line above its code."""
        rest = "" if self.is_whole else ", in parts"
        return f"{self.id} ({self.kind}, lines {self.line}-{self.end_line}{rest})"


@dataclass(frozen=True, slots=True)
class UsedSetting:
    """A constant, variable or field that the definitions use."""

    name: str
    kind: str
    uses: int
    file: str | None
    """Where it is defined; None where that is outside or not known."""
    line: int


@dataclass(slots=True)
class Explored:
    """What was found for a question."""

    shown: list[Excerpted] = field(default_factory=list)
    calls: list[FunctionCall] = field(default_factory=list)
    """Among the definitions that are shown."""
    entered_by: list[FunctionCall] = field(default_factory=list)
    """Calls from elsewhere, production before tests."""
    settings: list[UsedSetting] = field(default_factory=list)
    commits: list[LastCommit] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Further candidates, best first."""
    definitions: int = 0
    """How many were searched."""
    files: int = 0
    unknown: list[str] = field(default_factory=list)
    """Words of the question that no definition has."""

    def headline(self) -> str:
        """Say what was found, and among how many definitions."""
        files = counted(len({it.file for it in self.shown}), "file")
        searched = f"{self.definitions:,} in {counted(self.files, 'file')}"
        return f"{counted(len(self.shown), 'definition')} in {files}, the best of {searched}:"

    def not_shown(self) -> list[str]:
        """Say what the answer does not show."""
        found, parts = [], [it for it in self.shown if not it.is_whole]
        if self.others:
            found.append(f"not shown, next best: {', '.join(map(plain, self.others))}")
        if parts:
            cut = counted(len(parts), "definition")
            found.append(f"⋮ lines left out of {cut}: a larger budget shows more")
        if self.unknown:
            found.append(f"no definition has: {', '.join(map(plain, self.unknown))}")
        return found


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
        self._room = self._code
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
            symbol = self._show(candidate, found)
            # What surrounds a part, or the second best, has little to do with the question.
            if symbol is not None and (not telling or found.shown[-1].is_whole):
                telling.append(symbol)
        for candidate in self._folded(self._around(telling)):
            self._show(candidate, found)
        for at, candidate in enumerate(folded):
            is_near = candidate.score >= _MIN_SCORE * best
            if is_near:
                self._show(candidate, found, is_tail=True)
            is_shown = (candidate.path, candidate.name) in self._shown
            if not is_shown and at < _MAX_SHOWN + _MAX_OTHERS and len(found.others) < _MAX_OTHERS:
                found.others.append(f"{candidate.path}::{candidate.name}:{candidate.line}")
        self._trace(telling, found)
        found.settings = self._settings(telling)
        found.commits = last_commits(
            self._selection.session, self._job, [it.file for it in found.shown]
        )
        return found

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

    def _show(
        self, candidate: Candidate, found: Explored, *, is_tail: bool = False
    ) -> Symbol | None:
        """Show a definition if it is not shown yet and there is room; return its symbol."""
        key = candidate.path, candidate.name
        is_known = key in self._shown or self._is_inside(candidate, found)
        if is_known or len(found.shown) >= _MAX_SHOWN:
            return None
        symbol = self._symbol(candidate)
        excerpt = self._excerpt(candidate, symbol, is_tail=is_tail)
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
        self, candidate: Candidate, symbol: Symbol | None, *, is_tail: bool
    ) -> Excerpted | None:
        """Return a definition with its code, as much as there is room for; None without room."""
        lines = self._text.lines(candidate.path)
        first, last = candidate.line, min(candidate.end_line, len(lines))
        chosen = list(range(first, last + 1))
        size = sum(len(lines[it - 1]) + 6 for it in chosen)
        is_short = len(chosen) <= (_TAIL_LINES if is_tail else _WHOLE_LINES) and candidate.name
        is_small = size <= self._code * _MAX_SHARE and not is_tail
        is_whole = bool(is_short or is_small) and size <= self._room
        if not is_whole:
            # Of a type its head says most: what its methods do has candidates of its own.
            is_head = is_tail or (symbol is not None and symbol.is_type)
            share = _HEAD_SHARE if is_head else _MAX_SHARE
            chosen = self._reading.telling_lines(
                lines, first, last, min(self._code * share, self._room)
            )
        code = numbered(lines, chosen, last)
        if len(code) > self._room or not chosen:
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
        for symbol in telling:
            module = self._index.symbols.modules[symbol.file]
            for at in _values_in(module, symbol):
                used = self._index.meaning(module, at).symbol or self._constant(module, at)
                if used is not None and used.kind in {"variable", "field"}:
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
