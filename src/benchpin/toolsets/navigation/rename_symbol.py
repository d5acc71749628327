"""Rename a symbol and its certain uses."""

from typing import Annotated

from pydantic import Field

from benchpin.code import one_symbol
from benchpin.code.accounting import NameAccount
from benchpin.code.references import plan_rename
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Item, Result
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Params, tool
from benchpin.workspace.writing import diff_of

from ._patterns import last_line, write_previewed
from ._places import reconciled
from ._subjects import open_code

_MAX_UNDECIDED_USES = 20
_MAX_NAMESAKES = 5


class RenameParams(Params):
    """What to rename, and to what."""

    symbol: Annotated[str, Field(min_length=1, max_length=500)]
    """Name, Class.method, path::name or path:line."""
    new_name: Annotated[str, Field(min_length=1, max_length=200)]
    """The new name, without Class. or path::."""
    apply: str | None = None
    """The digest of a preview, to write exactly that."""


class UndecidedUse(Item):
    """A place that may mean the symbol, and was not changed."""

    certainty: str
    kind: str
    file: str
    line: int
    text: str


class SymbolRename(Result):
    """What changes, what is left to decide, and whether it was written."""

    symbol: str
    digest: str
    """Names this very change; give it as apply."""
    is_written: bool
    places: int
    files: list[str]
    undecided: list[UndecidedUse]
    """The first places that were left as they are."""
    undecided_total: int
    diff: str
    """Unified diff of all files."""
    account: NameAccount
    """Every line that had the name before, by what it was."""
    note: str = ""
    """What else has to be done by hand."""

    def to_text(self) -> str:
        """Return the diff, what is left to decide, and what to do next."""
        lines = [self.diff, *self.account.sentences()]
        if self.undecided:
            lines.append(f"left to decide: {self.undecided_total:,}")
            for use in self.undecided:
                place = f"{plain(use.file)}:{use.line}"
                lines.append(f"  {use.certainty} {use.kind} {place}  {plain(use.text)}")
        if self.note:
            lines.append(plain(self.note))
        done = f"{counted(self.places, 'place')} in {counted(len(self.files), 'file')}"
        lines.append(last_line(self, self.digest, done, is_written=self.is_written))
        return "\n".join(lines)


@tool(
    title="Rename a symbol",
    effect=Effect.WRITE,
    is_heavy=True,
    also=(
        "rename a function, class, method or variable everywhere, refactor a name, change the "
        "name of, safe rename"
    ),
)
def rename_symbol(params: RenameParams, bench: Bench) -> SymbolRename:
    """Rename a symbol where it is certain, and list what may mean it: first a preview.

    Then again with apply: all files or none.
    """
    index, text = open_code(bench)
    symbol, others = one_symbol(index, params.symbol, bench.job)
    if others and symbol.id != params.symbol:
        named = ", ".join(it.id for it in (symbol, *others[:_MAX_NAMESAKES]))
        raise InvalidParams(
            f"{len(others) + 1} symbols are called {symbol.name}",
            suggestion=f"Name one of them: {named}.",
        )
    [(account, _)] = reconciled(index, [symbol], text, bench)
    plan = plan_rename(index, symbol, params.new_name, text, bench.job)
    digest = write_previewed(plan.changes, params.apply, bench)
    return SymbolRename(
        symbol=symbol.id,
        digest=digest,
        is_written=params.apply is not None,
        places=plan.places,
        files=[it.path for it in plan.changes],
        undecided=[
            UndecidedUse(
                certainty=it.certainty, kind=it.kind, file=it.file, line=it.line, text=it.text
            )
            for it in plan.undecided[:_MAX_UNDECIDED_USES]
        ],
        undecided_total=len(plan.undecided),
        diff=diff_of(plan.changes),
        account=account,
        note=plan.note,
    )
