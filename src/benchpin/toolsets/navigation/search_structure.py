"""Search code by its structure."""

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, ListParams, Report, Table, View, location

from ._patterns import PatternParams, PatternScope, PatternSearch


class StructureSearchParams(ListParams, PatternParams):
    """What to look for, and where."""


class StructureMatch(Item):
    """One place that the pattern fits."""

    file: str
    line: int
    column: int
    end_line: int
    text: str
    """Its first line."""
    variables: dict[str, str]
    """What each metavariable matched."""


class StructureMatches(Report):
    """Matches by path, then by line."""

    matches: list[StructureMatch]
    total: int
    files: int
    """Files with a match."""
    next_cursor: str | None
    looked_at: PatternScope

    view = View["StructureMatches"](
        title="Matches",
        headline=lambda it: [it.headline()],
        tables=(
            Table(
                rows=lambda it: it.matches,
                columns=(
                    location(),
                    Column("text"),
                    Column("variables", lambda it: _shown(it.variables), is_detail=True),
                ),
            ),
        ),
        notes=lambda it: it.looked_at.to_lines(),
    )

    def headline(self) -> str:
        """Return how many matches there are, or what was looked at in vain."""
        if not self.total:
            return f"No match in {self.looked_at}."
        matches = counted(self.total, "match", "matches")
        return f"{matches} in {counted(self.files, 'file')} of {self.looked_at}"


@tool(
    title="Search code by structure",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "ast-grep, semgrep, pattern, find calls with these arguments, syntax tree query, code "
        "shape, structural grep, every place that does this, empty except blocks, all loops or "
        "calls of some form, code that looks like this"
    ),
)
def search_structure(params: StructureSearchParams, bench: Bench) -> StructureMatches:
    """Find code by its shape: print($X) finds calls, not strings.

    Example: pattern "if not $X: return None".
    """
    search = PatternSearch(params, bench)
    found = sorted(search.run(), key=lambda it: it.path)
    matches = [
        StructureMatch(
            file=it.path,
            line=match.line,
            column=match.column,
            end_line=match.end_line,
            text=match.text,
            variables=match.variables,
        )
        for it in found
        for match in it.matches
    ]
    page = params.page(matches)
    return StructureMatches(
        matches=page.items,
        total=sum(it.count for it in found),
        files=len(found),
        next_cursor=page.next_cursor,
        looked_at=search.scope(),
        format=params.format,
    )


def _shown(variables: dict[str, str]) -> str:
    return ", ".join(f"{name} = {text}" for name, text in variables.items())
