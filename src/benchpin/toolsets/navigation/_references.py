"""What find_references and find_implementations report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated, get_args

from pydantic import Field

from benchpin.code import CodeIndex, SourceText, scope_of
from benchpin.code.accounting import NameAccount
from benchpin.code.names import CONSTRUCTORS, Symbol
from benchpin.code.references import Certainty, Use, Uses, find_uses
from benchpin.code.subtypes import Implementation
from benchpin.core.calls import Job
from benchpin.core.text import counted, plain
from benchpin.present import Column, Table, View, location
from benchpin.workspace.walking import SCOPES, CodeScope

from ._places import first_of, places_text
from ._subjects import PerSymbolReport

# More possible uses than this say too little to be listed unasked.
_MAX_LISTED = 10
_MAX_RECEIVERS, _MAX_NAMESAKES, _MAX_THROUGH = 4, 5, 10
_DOTS = frozenset({".", "?.", "->", "::", "?->"})


@dataclass(frozen=True, slots=True)
class UnlistedUses:
    """Possible uses that are not listed."""

    count: int
    files: int
    receivers: Mapping[str, int]
    """What is written before the name, the most frequent first; empty where nothing is."""

    def sentence(self) -> str:
        """Return how many there are, where, and of what kind of receiver."""
        said = f"{counted(self.count, 'possible use')} in {counted(self.files, 'file')}"
        named = [f"{it} {times:,}" for it, times in self.receivers.items() if it]
        if not named:
            return said
        more = len(named) - _MAX_RECEIVERS
        rest = f" and {more:,} others" if more > 0 else ""
        shown = ", ".join(named[:_MAX_RECEIVERS])
        return f"{said}, on receivers of uncertain type: {shown}{rest}"


@dataclass(frozen=True, slots=True)
class OverrideUse:
    """A call of a method that overrides another and calls that itself."""

    override: str
    """The path, `::` and the qualified name."""
    file: str
    line: int
    inside: str
    """The qualified name of the enclosing function or type."""
    scope: CodeScope
    text: str
    """The line of code."""


class ReferenceReport(PerSymbolReport):
    """The uses of one symbol, those in production code first."""

    symbol: str
    """The path, `::` and the qualified name."""
    line: int
    certain: int
    possible: int
    mentions: int
    others: int
    """How often the name occurs and is something else."""
    account: NameAccount
    """Every line that has the name, by what it is."""
    scopes: dict[CodeScope, int]
    """How many uses of the list are in each kind of code."""
    uses: list[Use]
    total: int
    next_cursor: str | None
    through_overrides: Annotated[list[OverrideUse], Field(exclude_if=lambda it: not it)]
    """Calls of methods that override it and call it themselves."""
    same_name: list[str]
    """Other symbols of this name, whose uses are not listed."""
    unlisted_possible: Annotated[UnlistedUses | None, Field(exclude_if=lambda it: not it)] = None
    """Possible uses that fit the question, and are too many to list unasked."""
    unlisted: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Mentions that fit the question otherwise, and were not asked for."""
    cut_code: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Places that have one line of a longer statement."""

    view = View["ReferenceReport"](
        title="References",
        headline=lambda it: [_headline(it), *it.account.sentences()],
        tables=(
            Table(
                rows=lambda it: it.uses,
                columns=(
                    Column("scope"),
                    Column("certainty", heading="sure"),
                    Column("kind"),
                    location(),
                    Column("inside", heading="in"),
                    Column("text"),
                ),
            ),
            Table(
                rows=lambda it: it.through_overrides,
                columns=(
                    Column("override"),
                    Column("scope"),
                    location(),
                    Column("inside", heading="in"),
                    Column("text", is_code=True),
                ),
                title="Through overrides",
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )

    def own_text(self) -> str:
        """Return the uses by file, with their code; other formats have a table."""
        if self.format not in {"summary", "full", "detailed"}:
            return super().own_text()
        return places_text(self, self.uses, _label, Counter(self.scopes))


def _label(use: Use) -> str:
    sure = "possible " if use.certainty == "possible" else ""
    return f"{sure}{use.kind}" + (f" in {use.inside}" if use.inside else "")


def _headline(report: ReferenceReport) -> str:
    mentions = counted(report.mentions, "mention")
    counts = f"{report.certain:,} certain, {report.possible:,} possible, {mentions}"
    return f"{report.symbol}:{report.line}: {counts}"


def _notes(report: ReferenceReport) -> Iterator[str]:
    for override, calls in groupby(report.through_overrides, lambda it: it.override):
        listed = list(calls)
        times = counted(len(listed), "time")
        yield f"through overrides, {override} calls it, and is called {times}:"
        for call in listed[:_MAX_THROUGH]:
            inside = f" in {call.inside}" if call.inside else ""
            yield f"  {call.file}:{call.line}{inside}: {plain(call.text)}"
        if len(listed) > _MAX_THROUGH:
            rest = counted(len(listed) - _MAX_THROUGH, "more use")
            yield f"  and {rest}: name the override"
    if report.same_name:
        yield f"other symbols of this name: {first_of(report.same_name, _MAX_NAMESAKES)}"
    if report.unlisted_possible:
        how = report.text_style.hint("certainty=possible")
        yield f"not listed: {report.unlisted_possible.sentence()} ({how})"
    if report.unlisted:
        mentions = counted(report.unlisted, "mention")
        how = report.text_style.hint("certainty=mention")
        yield f"not listed: {mentions} in strings and comments ({how})"
    if report.cut_code:
        yield f"{report.cut_code:,} statements are cut to one line; a larger budget shows them"


def without_many(
    index: CodeIndex, symbol: Symbol, found: Sequence[Use], uses: Uses
) -> tuple[list[Use], UnlistedUses | None]:
    """Return uses without the possible ones where those are many, and what was left out."""
    possible = [it for it in found if it.certainty == "possible"]
    if len(possible) <= _MAX_LISTED:
        return _likeliest_first(index, symbol, found), None
    receivers = Counter(_receiver(index, it, uses) for it in possible)
    ordered = dict(sorted(receivers.items(), key=lambda it: (-it[1], it[0])))
    left = UnlistedUses(len(possible), len({it.file for it in possible}), ordered)
    return [it for it in found if it.certainty != "possible"], left


def _receiver(index: CodeIndex, use: Use, uses: Uses) -> str:
    """Return the last name before the dot, or what is there instead."""
    at = uses.tokens.get(replace(use, scope="production"))
    code = index.symbols.modules[use.file].code
    words = () if code is None else code.stream.words
    if at is None or at < 2 or words[at - 1] not in _DOTS:  # noqa: PLR2004 - the name, the dot
        return ""
    before = words[at - 2]
    return {")": "results of calls", "]": "items"}.get(before, f"`{before}`")


def _likeliest_first(index: CodeIndex, symbol: Symbol, listed: Sequence[Use]) -> list[Use]:
    """Return uses with those possible ones first whose file names the type of the symbol."""
    owner = index.owner_of(symbol)
    modules = index.symbols.modules

    def far(use: Use) -> bool:
        is_named = use.file == symbol.file or (
            owner is not None and owner.name in modules[use.file].facts.links.references
        )
        return use.certainty == "possible" and not is_named

    return sorted(
        listed,
        key=lambda it: (SCOPES.index(it.scope), get_args(Certainty).index(it.certainty), far(it)),
    )


def through_overrides(
    index: CodeIndex, symbol: Symbol, uses: Uses, text: SourceText, job: Job
) -> list[OverrideUse]:
    """Return the certain calls of the methods that override a method and call it."""
    if index.owner_of(symbol) is None or not symbol.is_function or symbol.name in CONSTRUCTORS:
        return []
    calling = {
        (it.file, it.inside) for it in uses.found if it.certainty == "certain" and it.kind == "call"
    }
    found = [
        OverrideUse(
            override.id,
            use.file,
            use.line,
            use.inside,
            scope_of(index, use.file),
            text.line(use.file, use.line),
        )
        for override in index.types.overrides(symbol)
        if (override.file, override.qualified) in calling
        for use in find_uses(index, override, job, mentions=False).found
        if use.certainty == "certain" and use.kind == "call"
    ]
    direct = {(it.file, it.line) for it in uses.found if it.certainty == "certain"}
    unseen = (it for it in found if (it.file, it.line) not in direct)
    return sorted(unseen, key=lambda it: (it.override, SCOPES.index(it.scope)))


_MAX_REQUIRED = 12
MAX_ABOVE = 50
_MAX_NAMES = 6
_HOW = {"declared": "says so", "inherited": "inherits it", "members": "has its members"}


def _how(row: Implementation) -> str:
    return _HOW[row.how] + (" as a pointer" if row.is_by_reference else "")


def _unless(usual: str, said: str) -> str | None:
    return None if said == usual else said


def _names(names: Sequence[str]) -> str:
    return first_of(names, _MAX_NAMES)


_COLUMNS: tuple[Column[Implementation], ...] = (  # what is the same in all rows is left out
    Column("certainty", lambda it: _unless("certain", it.certainty), parts=(Column("certainty"),)),
    Column(
        "how",
        lambda it: _unless(_HOW["declared"], _how(it)),
        parts=(Column("how", _how),),
    ),
    Column("kind", is_detail=True),
    Column("id", lambda it: it.id.rpartition("::")[2] if it.file in it.id else it.id),
    location(),
    Column("defines", lambda it: _names(it.defines) or None),
    Column("text", is_code=True),
)


class ImplementationReport(PerSymbolReport):
    """Implementations, those in production code first, and what the symbol implements itself."""

    symbol: str
    line: int
    is_type: bool
    is_member: bool
    """Whether it is in a type; else nothing can implement or override it."""
    requires: list[str]
    """The members that a type needs that does not name the interface."""
    certain: int
    possible: int
    in_tests: int
    implementations: list[Implementation]
    total: int
    next_cursor: str | None
    implements: list[Implementation]
    """What it implements, inherits from or overrides itself."""
    implements_total: int
    inherited: dict[str, list[str]]
    """The types that inherit the method, by the type that they have it from."""

    view = View["ImplementationReport"](
        title="Implementations",
        headline=lambda it: [_implemented(it)],
        tables=(
            Table(rows=lambda it: it.implementations, columns=_COLUMNS, is_page=True),
            Table(
                rows=lambda it: it.implements,
                columns=_COLUMNS,
                title=lambda it: f"{'Implements' if it.is_type else 'Overrides'} itself",
            ),
        ),
        notes=lambda it: list(_further(it)),
    )


def _implemented(report: ImplementationReport) -> str:
    if not report.is_type and not report.is_member:
        return f"{report.symbol}:{report.line} is neither a type nor a method of one."
    if report.is_type:
        said = counted(report.total, "type implements it", "types implement it")
    else:
        said = counted(report.total, "method overrides it", "methods override it")
    tests = f", {report.in_tests:,} in tests" if report.in_tests else ""
    counts = f"{report.certain:,} certain, {report.possible:,} possible{tests}"
    return f"{report.symbol}:{report.line}: {said}" + (f" ({counts})" if report.total else "")


def _further(report: ImplementationReport) -> Iterator[str]:
    if report.requires:
        yield f"it requires {first_of(report.requires, _MAX_REQUIRED)}"
    if report.inherited:
        said = (f"{_names(heirs)} from {base}" for base, heirs in report.inherited.items())
        yield f"inherit it: {'; '.join(said)}"
    if report.implements_total > len(report.implements):
        yield f"it implements {report.implements_total:,}, of which {MAX_ABOVE} are listed"
