"""What reports add up from the outline of each file, kept while the file stays the same.

To go through the functions of all files takes a large part of a second in a large project; to add
up what is known of each file takes some milliseconds.
"""

from collections.abc import Collection, Iterable
from itertools import chain

import msgspec

from benchpin.core.calls import WorkspaceSession
from benchpin.facts import FileFacts

from ._complexity import (
    Complexity,
    ComplexityViolation,
    Thresholds,
    add_up,
    find_violations,
    worst_first,
)
from ._ease import weighted_ease
from ._maintainability import measure_file

# The summaries of more files are not kept.
_MAX_KNOWN = 1 << 18


class FileSummary(msgspec.Struct, frozen=True, gc=False):
    """One file; the values of functions are in their order."""

    lines: int
    code_lines: int
    types: int
    cyclomatic: tuple[int, ...]
    cognitive: tuple[int, ...]
    outer_cognitive: int
    """Of the code outside any function."""
    function_lines: int
    """The lines of code of all functions."""
    ease: tuple[float, ...]
    """How easy each function is to follow, times its lines of code."""
    maintainability: float
    violations: tuple[ComplexityViolation, ...]
    """The functions over the usual thresholds, the worst first."""


def summarize_file(file: FileFacts) -> FileSummary:
    """Return the summary of a file."""
    outline = file.outline
    functions = outline.functions
    return FileSummary(
        outline.lines,
        outline.code_lines,
        len(outline.types),
        tuple(it.cyclomatic for it in functions),
        tuple(it.cognitive for it in functions),
        outline.cognitive,
        sum(it.code_lines for it in functions),
        tuple(map(weighted_ease, functions)),
        measure_file(outline).maintainability_index,
        tuple(find_violations([file], Thresholds())),
    )


def complexity_of(files: Collection[FileSummary]) -> Complexity:
    """Return the functions over the usual thresholds, and totals."""
    violations = worst_first(chain.from_iterable(it.violations for it in files))
    totals = add_up(
        len(files),
        chain.from_iterable(it.cyclomatic for it in files),
        chain.from_iterable(it.cognitive for it in files),
        violations,
    )
    return Complexity(violations, totals)


class FileSummaries:
    """The summaries of the files of a workspace; any thread may use it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, FileSummary]] = {}
        self.knew_some = False
        """Whether some files were known when summaries were last asked for."""

    def of(self, files: Iterable[FileFacts]) -> dict[str, FileSummary]:
        """Return the summary of each file, by path, in their order."""
        known = self._known
        self.knew_some = bool(known)
        found: dict[str, FileSummary] = {}
        for file in files:
            path = file.path
            key, summary = known.get(path, (b"", None))
            if summary is None or key != file.key:
                summary = summarize_file(file)
                known[path] = file.key, summary
            found[path] = summary
        if len(known) > _MAX_KNOWN:
            self._known = {}
        return found


def open_summaries(session: WorkspaceSession) -> FileSummaries:
    """Return the summaries of a workspace, which its session keeps from call to call."""
    return session.service(FileSummaries, FileSummaries)
