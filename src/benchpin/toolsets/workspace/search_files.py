"""Search the files of the workspace."""

from itertools import groupby
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, Params, Result, plain, sendable, tool, utf8
from benchpin.engines.files.search import (
    Found,
    Match,
    compile_pattern,
    search_content,
    search_names,
)
from benchpin.engines.source.walk import WalkOptions

from ._tree import readable_paths


class SearchParams(Params):
    """What to look for, and where."""

    pattern: Annotated[str, Field(min_length=1, max_length=10_000)]
    """Search pattern (regex); RE2 syntax, so no pattern can hang."""
    search_type: Literal["content", "filename"] = "content"
    """content looks at lines, filename at names (at whole paths when the pattern has a slash)."""
    file_types: tuple[str, ...] = ()
    """File extensions to search, such as py or .py; all by default."""
    max_results: Annotated[int, Field(ge=1, le=10_000)] = 50
    """How many matches to return."""
    ignore_case: bool = True
    """Whether capital and small letters are one."""
    search_path: str = "."
    """Directory to search in."""
    context_lines: Annotated[int, Field(ge=0, le=50)] = 0
    """How many lines to show before and after each match."""
    include_hidden: bool = False
    """Also look at hidden files."""
    include_ignored: bool = False
    """Also look at what .gitignore leaves out."""


class SearchMatch(Item):
    """A line that matches, or a file whose name does."""

    path: str
    line: int | None
    text: str
    before: list[str]
    after: list[str]


class SearchResults(Result):
    """Matches by path, then by line."""

    matches: list[SearchMatch]
    is_cut: bool
    """Whether there are more matches than were returned."""
    files_searched: int
    skipped: dict[str, int]
    """Files that were not looked into, by reason."""

    def to_text(self) -> str:
        """Return the matches as grep shows them, a heading for each file."""
        lines: list[str] = []
        for path, group in groupby(self.matches, lambda it: it.path):
            members = list(group)
            lines.append(plain(path))
            lines += [line for it in members if it.line is not None for line in _lines(it)]
        if not lines:
            return f"No match in {self.files_searched:,} files."
        if self.is_cut:
            lines.append(f"[only the first {len(self.matches)} matches; narrow the search]")
        return "\n".join(lines)


@tool(title="Search files", effect=Effect.READ)
def search_files(params: SearchParams, bench: Bench) -> SearchResults:
    """Search the content or the names of files in the workspace with a regular expression.

    Binary files, hidden files and what .gitignore leaves out are not searched.
    """
    pattern = compile_pattern(params.pattern, ignore_case=params.ignore_case)
    paths = _paths(params, bench)
    if params.search_type == "filename":
        is_path = "/" in params.pattern
        found = search_names(paths, pattern, most=params.max_results, whole=is_path)
    else:
        root = bench.workspace.root
        found = search_content(
            root,
            paths,
            pattern,
            bench.job,
            most=params.max_results,
            context=params.context_lines,
        )
    return _results(found)


def _paths(params: SearchParams, bench: Bench) -> list[str]:
    place = bench.existing(params.search_path)
    options = WalkOptions(
        include_ignored=params.include_ignored,
        include_hidden=params.include_hidden,
        include_vendored=True,
    )
    start = str(bench.workspace.relative(place))
    paths = readable_paths(bench, options, start)
    endings = tuple(f".{ending.lstrip('*').lstrip('.')}" for ending in params.file_types)
    return [path for path in paths if path.endswith(endings)] if endings else paths


def _results(found: Found) -> SearchResults:
    return SearchResults(
        matches=[_match(it) for it in found.matches],
        is_cut=found.is_cut,
        files_searched=found.files_searched,
        skipped=dict(sorted(found.skipped.items())),
    )


def _match(it: Match) -> SearchMatch:
    return SearchMatch(
        path=sendable(it.path),
        line=it.line,
        text=utf8(it.text),
        before=list(it.before),
        after=list(it.after),
    )


def _lines(it: SearchMatch) -> list[str]:
    line = it.line or 0
    before = [f"  {line - len(it.before) + at}- {text}" for at, text in enumerate(it.before)]
    after = [f"  {line + at}- {text}" for at, text in enumerate(it.after, start=1)]
    return [*before, f"  {line}: {it.text}", *after]
