"""What a question is about: a symbol, a file or folder, or a change."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import not_
from typing import TYPE_CHECKING, Annotated, Self, TypeVar, cast

from pydantic import BeforeValidator, Field, SerializeAsAny

from benchpin.code import CodeIndex, SourceText, index_for, index_of, one_symbol
from benchpin.code.changes import (
    STAGED,
    UNCOMMITTED,
    FileDelta,
    SymbolChange,
    SymbolState,
    files_after,
    files_before,
)
from benchpin.code.names import Module, Symbol
from benchpin.code.references import variable_at
from benchpin.comments.shown import CommentReader, OpenComments, comments_within, shown
from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.text import TextStyle, counted, plain
from benchpin.core.tools import AlsoNamed, Rare
from benchpin.facts import FileSelection
from benchpin.facts.store import Section
from benchpin.present import ListParams, Report
from benchpin.workspace.diffs import changed_hunks

if TYPE_CHECKING:  # it imports every measure, and a question about a name needs none
    from benchpin.project import RemovedSymbols

from ._changes import ChangeParams, Diff, Patch, ReadChange, read_change

_NAME = r"[^\s,<>(){}\[\]`'\"]+"
_SEVERAL = re.compile(rf"\s*{_NAME}(?:\s*,\s*{_NAME})+[\s,]*")
# Symbols of one call, and symbols of one name that are all answered instead of being named.
_MAX_SYMBOLS, _MAX_NAMESAKES = 10, 4
_FORMATS_OF_SEVERAL = frozenset({"summary", "full", "detailed", "markdown", "json"})


def _joined(symbols: object) -> object:
    """Return a list of names as one text."""
    if isinstance(symbols, list) and symbols and all(isinstance(it, str) for it in symbols):
        return ", ".join(symbols)
    return symbols


# Symbols, separated by commas; a JSON list is accepted, too.
Symbols = Annotated[str, Field(min_length=1, max_length=2_000), BeforeValidator(_joined)]


class SymbolParams(ListParams):
    """Which symbol, or which ones."""

    symbol: Annotated[Symbols, AlsoNamed(("symbols", "subject", "query", "name"))]
    """Name, Class.method, path::name or path:line; several with commas."""


class PerSymbolReport(Report):
    """A report about one symbol, with the reports about the others that were asked for."""

    further: list[SerializeAsAny[Report]] = Field(default_factory=list, exclude_if=not_)
    """The answers for the other symbols."""
    refused: list[str] = Field(default_factory=list, exclude_if=not_)
    """Symbols without an answer, and why."""
    namesakes: str = Field(default="", exclude_if=not_)
    """The name that several symbols have, each of which is answered."""

    def to_text(self) -> str:
        """Return the answers one below the other."""
        found = [self.own_text(), *(it.to_text() for it in self.further), *self.refused]
        if self.namesakes:
            count = counted(1 + len(self.further), "symbol")
            found.insert(0, f"{count} called {plain(self.namesakes)}; each is answered:")
        return "\n\n".join(found)

    def own_text(self) -> str:
        """Return the answer for the first symbol."""
        return super().to_text()

    def in_style(self, style: TextStyle) -> Self:
        """Return the same reports with texts in another style."""
        styled = super().in_style(style)
        return styled.model_copy(update={"further": [it.in_style(style) for it in self.further]})

    def has_more(self) -> bool:
        """Whether one of them has a next page."""
        return super().has_more() or any(it.has_more() for it in self.further)


P = TypeVar("P", bound=ListParams)
R = TypeVar("R", bound=PerSymbolReport)


def answer_each(
    params: P, bench: Bench, answer: Callable[[P, Bench], R], *, most: int = _MAX_NAMESAKES
) -> R:
    """Answer for each symbol that is named, and for each of a few that share the name.

    `most` is how many may share it: of more, the error that lists them says more.

    Raises:
        InvalidParams: when none has an answer, or there are too many for one call.
    """
    written = getattr(params, "symbol", None) or ""
    names = _names(written)
    if len(names) == 1 or (bench.workspace.root / written).exists():  # a path may have a comma
        try:
            return answer(params, bench)
        except InvalidParams as error:
            names = _namesakes(error)
            if not 1 < len(names) <= most or params.format not in _FORMATS_OF_SEVERAL:
                raise
            return _joint(names, params, bench, answer, namesakes=written)
    if len(names) > _MAX_SYMBOLS:
        raise InvalidParams(
            f"{len(names):,} symbols are asked for, of at most {_MAX_SYMBOLS}",
            suggestion="Split them over several calls.",
        )
    if params.format not in _FORMATS_OF_SEVERAL or params.cursor is not None:
        what = f"format={params.format}" if params.cursor is None else "a cursor"
        raise InvalidParams(
            f"{what} goes with one symbol, and {len(names)} are asked for",
            suggestion="Name one symbol, or leave it out.",
        )
    return _joint(names, params, bench, answer)


def _names(written: str) -> list[str]:
    if not _SEVERAL.fullmatch(written):
        return [written]
    return list(dict.fromkeys(it.strip() for it in written.split(",") if it.strip()))


def _namesakes(error: InvalidParams) -> list[str]:
    """Return the ids of the symbols among which an ambiguous name does not choose."""
    choices = cast("list[str]", (error.data or {}).get("choices", []))
    return list(dict.fromkeys(it.rpartition(":")[0] for it in choices))


def _joint(
    names: Iterable[str],
    params: P,
    bench: Bench,
    answer: Callable[[P, Bench], R],
    namesakes: str = "",
) -> R:
    found: list[R] = []
    errors: list[InvalidParams] = []
    for name in names:
        try:
            found.append(answer(params.model_copy(update={"symbol": name}), bench))
        except InvalidParams as error:
            errors.append(error)
    if not found:
        raise errors[0]
    refused = [" ".join(filter(None, [f"{it}.", it.suggestion])) for it in errors]
    first, *rest = found
    return first.model_copy(update={"further": rest, "refused": refused, "namesakes": namesakes})


def open_code(bench: Bench, *names: str) -> tuple[CodeIndex, SourceText]:
    """Return the index of the whole workspace, and the text of its files.

    For a question about `names`, the files that it does not lead to need not be parsed yet.
    """
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    index = index_for(selection, names) if names else index_of(selection)
    return index, SourceText(bench.workspace.root)


_SECTIONS: tuple[Section, ...] = ("outline", "links", "comments", "tokens")


class SubjectParams(ListParams):
    """What a question is about."""

    symbol: Annotated[Symbols | None, AlsoNamed(("symbols", "subject", "path"))] = None
    """Symbol or file, several with commas; leave it out to give a change."""
    diff: Diff = UNCOMMITTED
    """Or: uncommitted, staged, a revision, A..B."""
    patch: Rare[Patch] = None
    """Or a unified diff that is not applied yet."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The symbols and files that a question is about."""

    title: str
    symbols: tuple[Symbol, ...]
    """As they are after a change; what it removed is not among them."""
    files: tuple[str, ...]
    index: CodeIndex
    """The symbols of the workspace, after the change if there is one."""
    change: ReadChange | None = None
    """The change, if the question is about one."""
    lines: tuple[str, int, int] | None = None
    """The file and lines of the symbol, if the question is about one."""
    removed: "RemovedSymbols | None" = None
    """What a change removed."""

    def changes(self) -> Sequence[SymbolChange]:
        """Return what a change did to each symbol."""
        return () if self.change is None else self.change.symbols

    def comments(self, bench: Bench) -> OpenComments:
        """Return the open comments on it."""
        if self.change is not None:
            return self.change.comments(bench)
        if self.lines is not None:
            return comments_within(bench, [self.lines])
        reader = CommentReader(bench)
        return shown(it for path in self.files for it in reader.comments_in(path))


def find_subject(params: SubjectParams, index: CodeIndex, bench: Bench) -> Subject:
    """Return what a caller means: a change, a path in the workspace, or else a symbol.

    Raises:
        InvalidParams: when there is no such symbol or revision, or the patch does not fit.
        NotARepository: when a change is asked for, and the folder is not under version control.
    """
    written, is_change = params.symbol, params.patch is not None or params.diff != UNCOMMITTED
    if written is None:
        given = params.model_fields_set & ChangeParams.model_fields.keys()
        change = ChangeParams.model_validate({it: getattr(params, it) for it in given})
        return _of_change(change, index, bench)
    if is_change:
        raise InvalidParams(
            f"Both the symbol {written[:100]!r} and a change are given",
            suggestion="Give `symbol`, `diff` or `patch`: one of them.",
        )
    if written in {UNCOMMITTED, STAGED} or (".." in written and "/.." not in written):
        return _of_change(ChangeParams(diff=written), index, bench)
    inside = _files(written, index, bench)
    if inside:
        defined = (it for path in inside for it in index.symbols.modules[path].symbols.values())
        return Subject(written, tuple(defined), tuple(inside), index)
    try:
        symbol, _ = one_symbol(index, written, bench.job)
    except BenchpinError as error:
        try:
            return _of_change(ChangeParams(diff=written), index, bench)
        except BenchpinError:
            raise error from None
    lines = (symbol.file, symbol.line, symbol.end_line)
    symbols = (symbol, *_members(index, symbol))
    return Subject(symbol.id, symbols, (symbol.file,), index, lines=lines)


def _files(written: str, index: CodeIndex, bench: Bench) -> list[str]:
    path = written.removeprefix("./").rstrip("/")
    found = [it for it in index.symbols.modules if it == path or it.startswith(f"{path}/")]
    return [it for it in found if bench.permissions.may(it, Operation.READ)]


def _members(index: CodeIndex, symbol: Symbol) -> list[Symbol]:
    """Return what is defined inside a type: to change it is to change them."""
    if not symbol.is_type:
        return []
    inside = f"{symbol.qualified}."
    module = index.symbols.modules[symbol.file]
    return [it for it in module.symbols.values() if it.qualified.startswith(inside)]


def _of_change(params: ChangeParams, index: CodeIndex, bench: Bench) -> Subject:
    from benchpin.project import RemovedSymbols  # noqa: PLC0415 - as above

    change = read_change(params, bench, _SECTIONS)
    read = FileSelection(bench.session, bench.permissions, bench.job).read_manifest
    after = index.with_files(files_after(change.files), read, bench.job)
    gone = [it.before for it in change.symbols if it.before is not None and _is_gone(it)]
    before = index.with_files(files_before(change.files), read, bench.job) if gone else index
    changed = (it.after for it in change.symbols if it.after is not None)
    symbols = list(_symbols(after, changed))
    for delta in change.deltas.files:
        module = after.symbols.modules.get(delta.path)
        if module is not None:
            lines = _changed_lines(delta)
            variables = (variable_at(module, it) for it in lines)
            symbols += dict.fromkeys(it for it in variables if it is not None)
            # A type differs if one of its functions does; its users are not those of the function.
            symbols = [
                it for it in symbols if it.file != delta.path or _is_touched(it, module, lines)
            ]
    return Subject(
        change.deltas.title,
        tuple(symbols),
        tuple(it.path for it in change.deltas.files),
        after,
        change,
        removed=RemovedSymbols(before, _symbols(before, gone)),
    )


def _is_gone(change: SymbolChange) -> bool:
    return change.status in {"removed", "renamed", "moved"}


def _symbols(index: CodeIndex, wanted: Iterable[SymbolState]) -> tuple[Symbol, ...]:
    modules = index.symbols.modules
    found = (modules[it.path].symbols.get(it.name) for it in wanted if it.path in modules)
    return tuple(dict.fromkeys(it for it in found if it is not None))


def _changed_lines(delta: FileDelta) -> list[int]:
    """Return the lines of a file that a change wrote; what it deleted counts as the line after."""
    found: list[int] = []
    for hunk in changed_hunks(delta.before or b"", delta.after or b""):
        found += range(hunk.new_start + 1, max(hunk.new_end, hunk.new_start + 1) + 1)
    return found


def _is_touched(symbol: Symbol, module: Module, lines: list[int]) -> bool:
    """Whether a change is in a symbol itself, not only in functions that are inside a type."""
    if not symbol.is_type:
        return True
    inner = [
        range(it.line, it.end_line + 1)
        for it in module.symbols.values()
        if it.qualified.startswith(f"{symbol.qualified}.")
    ]
    own = (it for it in lines if symbol.line <= it <= symbol.end_line)
    return any(not any(line in it for it in inner) for line in own)
