"""How tools show places: production code first, by file, each with the code that it is about."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field as DataclassField
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import Field

from benchpin.code import CodeBudget, CodeIndex, SourceText, scope_of
from benchpin.code.accounting import (
    NameAccount,
    account_for,
    account_of_name,
    find_lines,
    summed_up,
)
from benchpin.code.changes import SymbolChange
from benchpin.code.names import Symbol
from benchpin.code.references import Uses, find_uses
from benchpin.core.calls import Bench
from benchpin.core.text import plain
from benchpin.core.tools import Rare
from benchpin.facts import FileSelection
from benchpin.present import ListParams, Report
from benchpin.workspace.walking import SCOPES, CodeScope, ScopeChoice

from ._changes import ChangeParams

# Tokens of code in one answer: some twenty statements.
DEFAULT_BUDGET = 800
MAX_BUDGET = 8_000
# Of a statement over several lines.
_MAX_STATEMENT_CHARS = 160
_AFTER_OPENING, _BEFORE_CLOSING = re.compile(r"([(\[]) "), re.compile(r",? ([)\]])")


class PlaceParams(ListParams):
    """Which places, and how much of their code."""

    scope: ScopeChoice = "all"
    """Which code; production comes first."""
    budget: Rare[Annotated[int, Field(ge=0, le=MAX_BUDGET)]] = DEFAULT_BUDGET
    """Maximum number of tokens of code; the remaining places have one line each."""


class RarelyPlaceParams(PlaceParams):
    """The same, where few callers narrow the list."""

    scope: Rare[ScopeChoice] = "all"
    """Which code; production comes first."""


class Placed(Protocol):
    """A row that names a place and has its code: a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, DataclassField[Any]]]

    @property
    def file(self) -> str:
        """The path."""

    @property
    def line(self) -> int:
        """From 1."""

    @property
    def scope(self) -> CodeScope:
        """What kind of code it is in."""

    @property
    def text(self) -> str:
        """Its statement, or one line."""

    @property
    def text_line(self) -> int:
        """The first line of the text."""


P = TypeVar("P", bound=Placed)


def by_scope(index: CodeIndex, rows: Iterable[P], wanted: ScopeChoice) -> list[P]:
    """Return rows with the kind of code that they are in: production first, else as they were."""
    found = (replace(it, scope=scope_of(index, it.file, it.line)) for it in rows)
    near = [it for it in found if wanted in {"all", it.scope}]
    return sorted(near, key=lambda it: SCOPES.index(it.scope))


def with_excerpts(rows: Iterable[P], code: CodeBudget) -> list[P]:
    """Return rows with the statements of their places."""
    shown = ((it, code.excerpt(it.file, it.line)) for it in rows)
    return [replace(it, text=one.text, text_line=one.line) for it, one in shown]


def shown_places(
    rows: Sequence[P], label: Callable[[P], str], totals: Counter[CodeScope]
) -> Iterator[str]:
    """Yield the lines of places: a heading for each kind of code, then files, then code.

    Of tests beside other code only the names are shown: their calls look alike.
    """
    is_mixed = len(+totals) > 1
    for scope, within in groupby(rows, lambda it: it.scope):
        yield from ("", f"{scope}, {totals[scope]:,}")
        for file, places in groupby(within, lambda it: it.file):
            yield plain(file)
            if scope == "tests" and is_mixed:
                yield from dict.fromkeys(
                    f"  {it.text_line or it.line}: {plain(label(it)) or plain(it.text)}"
                    for it in places
                )
                continue
            shown: set[tuple[int, str]] = set()  # two uses may be in one statement
            for named, same in groupby(places, label):
                uses: dict[tuple[int, str], list[int]] = {}
                for place in same:
                    statement = place.text_line or place.line, place.text
                    uses.setdefault(statement, []).append(place.line)
                again = "" if uses.keys() - shown else f", line {min(uses)[0]} too"
                if named or again:
                    yield f"  {plain(named)}{again}"
                for statement, lines in uses.items():
                    if statement not in shown:
                        numbers = ", ".join(map(str, sorted(set(lines))))
                        yield f"  {numbers}: {plain(_on_one_line(*statement, lines[0]))}"
                shown |= uses.keys()


def _on_one_line(first: int, text: str, line: int) -> str:
    """Return a statement on one line; of a long one what is near the line that it is shown for.

    A call with one argument on each line takes a third more tokens, and says no more.
    """
    lines = [it.strip() for it in text.split("\n")]
    if len(lines) == 1:
        return text
    top = end = min(max(line - first, 0), len(lines) - 1)
    room = _MAX_STATEMENT_CHARS - len(lines[end])
    while True:
        if end + 1 < len(lines) and len(lines[end + 1]) < room:
            end += 1
            room -= len(lines[end]) + 1
        elif top and len(lines[top - 1]) < room:
            top -= 1
            room -= len(lines[top]) + 1
        else:
            break
    shown = " ".join(lines[top : end + 1])
    shown = _BEFORE_CLOSING.sub(r"\1", _AFTER_OPENING.sub(r"\1", shown))
    return f"{'… ' if top else ''}{shown}{' …' if end + 1 < len(lines) else ''}"


def places_text(
    report: Report, rows: Sequence[P], label: Callable[[P], str], totals: Counter[CodeScope]
) -> str:
    """Return a report as text whose page is places with their code."""
    lines = [*report.view.headline(report), *shown_places(rows, label, totals)]
    lines += filter(None, [report.footer(), *report.view.notes(report), report.assurance_line()])
    return "\n".join(lines)


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def scopes_of(rows: Iterable[Placed]) -> Counter[CodeScope]:
    return Counter(it.scope for it in rows)


def unresolved(index: CodeIndex, written: str, bench: Bench) -> NameAccount:
    """Return the account of a name that no symbol has: whether it occurs at all, and where."""
    name = written.rpartition("::")[2].rpartition(".")[2] or written
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    return account_of_name(index, find_lines(selection, [name])[0])


def reconciled(
    index: CodeIndex, symbols: Sequence[Symbol], text: SourceText, bench: Bench
) -> list[tuple[NameAccount, Uses]]:
    """Return the accounts of the names of symbols, and their uses with mentions.

    The files with mentions are those that the plain search found: nothing else is looked through.
    """
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    searched = find_lines(selection, [it.name for it in symbols])
    found = []
    for symbol, hits in zip(symbols, searched, strict=True):
        uses = find_uses(index, symbol, bench.job, mentioning=hits.found)
        found.append((account_for(index, symbol, uses, hits, text), uses))
    return found


# Symbols with an account each; those of a file or a large change share one. Beyond the second
# number names are counted as missing: each takes some milliseconds.
_MAX_ACCOUNTS, _MAX_NAMES = 2, 40


def accounts_of(
    index: CodeIndex,
    symbols: Sequence[Symbol],
    text: SourceText,
    bench: Bench,
    files: Sequence[str] = (),
) -> list[NameAccount]:
    """Return the accounts of the symbols of a change, or of those that files define.

    Of a file those at its top count: a member has the name of many others.
    """
    if files:
        symbols = [it for it in symbols if "." not in it.qualified and it.kind != "closure"]
        symbols.sort(key=lambda it: SCOPES.index(scope_of(index, it.file, it.line)))
    unique = list({it.name: it for it in reversed(symbols)}.values())[::-1]
    asked, left = unique[:_MAX_NAMES], len(unique) - _MAX_NAMES
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    hits = find_lines(selection, [it.name for it in asked]) if asked else []
    found = []
    for symbol, lines in zip(asked, hits, strict=True):
        uses = find_uses(index, symbol, bench.job, mentioning=lines.found)
        found.append(account_for(index, symbol, uses, lines, text))
    if len(found) <= _MAX_ACCOUNTS:
        return found
    whole = summed_up(found, hits)
    if left > 0:
        missing = (*whole.missing, f"{left:,} further names")
        whole = replace(whole, missing=missing, is_whole=False)
    return [whole]


def accounts_of_change(
    index: CodeIndex, changes: Iterable[SymbolChange], params: ChangeParams, bench: Bench
) -> list[NameAccount]:
    """Return the accounts of what changed outside of tests; a patch is not what is searched.

    Of a function that changed inside only, no other line has to change. A sum over many says
    nothing; for `get` and `filter` of Django it took three quarters of a review.
    """
    if params.patch is not None:
        return []
    found = [it for it in changes if it.after]
    if len(found) > _MAX_ACCOUNTS:
        found = [it for it in found if it.status != "changed" or it.is_signature_changed]
    known = (index.symbol(f"{it.now.path}::{it.now.name}") for it in found)
    changed = [it for it in known if it is not None and it.kind != "closure"]
    symbols = [it for it in changed if scope_of(index, it.file, it.line) == "production"]
    if bench.job.is_expired:
        bench.job.leave_out("a plain search for the names of what changed")
        return []
    return accounts_of(index, symbols, SourceText(bench.workspace.root), bench)
