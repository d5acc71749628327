"""Search code by its structure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from benchpin.code import SourceText
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, Report, Table, View, location
from benchpin.workspace.walking import SCOPES, CodeScope, scope_of_path

from ._patterns import PatternParams, PatternScope, PatternSearch
from ._places import RarelyPlaceParams, places_text

_CHARS_PER_TOKEN, _MAX_LINES = 4, 8


class StructureSearchParams(PatternParams, RarelyPlaceParams):
    """What to look for, and where."""


@dataclass(frozen=True, slots=True)
class StructureMatch:
    """One place that the pattern fits."""

    file: str
    line: int
    column: int
    end_line: int
    scope: CodeScope
    """What kind of code the file has, by its path."""
    text: str
    """Its lines, eight at most; one where the budget is used up."""
    variables: dict[str, str]
    """What each metavariable matched."""
    text_line: int = 0
    """The first line of the text."""


class StructureMatches(Report):
    """Matches by path, then by line."""

    matches: list[StructureMatch]
    total: int
    files: int
    """Files with a match."""
    scopes: dict[CodeScope, int]
    """How many matches are in each kind of code."""
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

    def to_text(self) -> str:
        """Return the matches by file, with their code; other formats have a table."""
        if self.format not in {"summary", "full", "detailed"} or not self.matches:
            return super().to_text()
        return places_text(self, self.matches, lambda _: "", Counter(self.scopes))

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
            scope=scope_of_path(it.path),
            text=match.text,
            text_line=match.line,
            variables=match.variables,
        )
        for it in found
        for match in it.matches
    ]
    matches.sort(key=lambda it: SCOPES.index(it.scope))
    page = params.page([it for it in matches if params.scope in {"all", it.scope}])
    counts = {it.path: it.count for it in found}
    wanted = {it for it in counts if params.scope in {"all", scope_of_path(it)}}
    scopes = Counter[CodeScope]()
    for path in wanted:
        scopes[scope_of_path(path)] += counts[path]
    return StructureMatches(
        matches=_with_code(page.items, SourceText(bench.workspace.root), params.budget),
        total=sum(counts[it] for it in wanted),
        files=len(wanted),
        scopes=dict(scopes),
        next_cursor=page.next_cursor,
        looked_at=search.scope(),
        format=params.format,
    )


def _with_code(
    matches: Sequence[StructureMatch], text: SourceText, budget: int
) -> list[StructureMatch]:
    """Return matches with all of their lines, until the budget is used up."""
    found, left = list[StructureMatch](), budget * _CHARS_PER_TOKEN
    for match in matches:
        last = min(match.end_line, match.line + _MAX_LINES - 1)
        lines = dedent("\n".join(text.lines(match.file)[match.line - 1 : last]))
        left -= len(lines)
        is_whole = left >= 0 and lines
        found.append(replace(match, text=lines) if is_whole else match)
    return found


def _shown(variables: dict[str, str]) -> str:
    return ", ".join(f"{name} = {text}" for name, text in variables.items())
