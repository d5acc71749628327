"""Search the files of the workspace."""

from itertools import accumulate, groupby
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import not_read
from benchpin.core.text import counted, plain
from benchpin.core.tools import AlsoNamed, Effect, Params, PathArgument, Rare, tool
from benchpin.present import Column, Format, Report, Table, View, location
from benchpin.workspace.search import SearchMatch, compile_pattern, search_content, search_names
from benchpin.workspace.walking import ScopeChoice, WalkOptions, scope_of_path

from ._tree import readable_paths

_CHARS_PER_TOKEN = 4


class FileSearchParams(Params):
    """What to search for, and where."""

    pattern: Annotated[str, Field(min_length=1, max_length=10_000), AlsoNamed(("query",))]
    """Search pattern (regex); RE2 syntax."""
    search_type: Literal["content", "filename"] = "content"
    """Lines or names; filename also takes globs, and searches whole paths if there is a slash."""
    file_types: tuple[str, ...] = ()
    """Extensions, such as py; all by default."""
    max_results: Rare[Annotated[int, Field(ge=1, le=10_000), AlsoNamed(("limit",))]] = 50
    """Maximum number of matches."""
    ignore_case: Rare[bool] = True
    """Ignore case."""
    search_path: PathArgument[str] = "."
    """Directory to search in."""
    context_lines: Rare[Annotated[int, Field(ge=0, le=50)]] = 0
    """Lines to show before and after each match."""
    include_hidden: Rare[bool] = False
    """Also search hidden files."""
    include_ignored: Rare[bool] = False
    """Also search what .gitignore excludes."""
    scope: Rare[ScopeChoice] = "all"
    """Which files, by their paths."""
    budget: Rare[Annotated[int, Field(ge=100, le=100_000)]] = 6_000
    """Maximum number of tokens of matches."""
    format: Rare[Format] = "summary"
    """How to show it; csv has one record for each match."""


class SearchResults(Report):
    """Matches by path, then by line."""

    matches: list[SearchMatch]
    is_cut: bool
    """Whether there are more matches than were returned."""
    files_searched: int
    skipped: dict[str, int]
    """Files that were not searched, by reason."""

    view = View["SearchResults"](
        title="Search",
        headline=lambda it: [it.headline()],
        tables=(Table(rows=lambda it: it.matches, columns=(location("path"), Column("text"))),),
    )

    def headline(self) -> str:
        """Return how many matches there are in how many files."""
        searched = counted(self.files_searched, "file")
        if not self.matches:
            return f"No match in {searched}."
        return f"{counted(len(self.matches), 'match', 'matches')} in {searched}"

    def to_text(self) -> str:
        """Return the matches; text is grouped by file as in grep, which saves repeating paths."""
        if self.format not in {"summary", "full", "detailed"}:
            return super().to_text()
        lines = [] if self.matches else [self.headline()]
        for path, matches in groupby(self.matches, lambda it: it.path):
            lines.append(plain(path))
            lines += [line for it in matches if it.line is not None for line in _lines(it)]
        return "\n".join(filter(None, [*lines, self.assurance_line()]))

    def lacks(self) -> list[str]:
        """Return which matches may be missing."""
        first = f"matches after the first {len(self.matches):,}: narrow the search"
        return [*not_read(self.skipped), *([first] if self.is_cut else [])]


@tool(
    title="Search files",
    effect=Effect.READ,
    also=(
        "grep, find text, look for a word, where is it used, locate a string, occurrences, find "
        "files by name, glob, regex, any mention of a word, which files contain, where do we "
        "set or use a setting, files named like this, is there a file called"
    ),
)
def search_files(params: FileSearchParams, bench: Bench) -> SearchResults:
    """Search the content or the names of files with a regular expression.

    Binary files, hidden files and what .gitignore excludes are not searched.
    """
    are_names = params.search_type == "filename"
    options = {"ignore_case": params.ignore_case, "of_names": are_names}
    pattern = compile_pattern(params.pattern, **options)
    paths = _paths(params, bench)
    if are_names:
        is_path = "/" in params.pattern
        found = search_names(paths, pattern, most=params.max_results, whole=is_path)
    else:
        found = search_content(
            bench.workspace.root,
            paths,
            pattern,
            bench.job,
            most=params.max_results,
            context=params.context_lines,
        )
    sizes = accumulate(sum(map(len, (it.text, *it.before, *it.after))) for it in found.matches)
    fitting = sum(it <= params.budget * _CHARS_PER_TOKEN for it in sizes)
    return SearchResults(
        matches=found.matches[: max(fitting, 1)],
        is_cut=found.is_cut or fitting < len(found.matches),
        files_searched=found.files_searched,
        skipped=dict(sorted(found.skipped.items())),
        format=params.format,
    )


def _paths(params: FileSearchParams, bench: Bench) -> list[str]:
    options = WalkOptions(
        include_ignored=params.include_ignored,
        include_hidden=params.include_hidden,
        include_vendored=True,
    )
    start = str(bench.found(params.search_path))
    paths = readable_paths(bench, options, start)
    endings = tuple(f".{ending.lstrip('*').lstrip('.')}" for ending in params.file_types)
    if params.scope != "all":
        paths = [path for path in paths if scope_of_path(path) == params.scope]
    return [path for path in paths if path.endswith(endings)] if endings else paths


def _lines(match: SearchMatch) -> list[str]:
    line = match.line or 0
    before = [f"  {line - len(match.before) + at}- {it}" for at, it in enumerate(match.before)]
    after = [f"  {line + at}- {it}" for at, it in enumerate(match.after, start=1)]
    return [*before, f"  {line}: {match.text}", *after]
