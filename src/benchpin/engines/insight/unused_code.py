"""Find the code that nothing uses: neither code of its own language nor of another one."""

import sys
from collections.abc import Iterator, Sequence

from benchpin.engines.metrics import dead_code
from benchpin.engines.source.index import FileFacts, Sources
from benchpin.engines.source.program import ForeignUse
from benchpin.engines.source.selection import FileSelection

from .bridges import find_bridges


def find_unused_code(
    selection: FileSelection,
    sources: Sources,
    others: Sequence[str],
    chosen: frozenset[str],
    *,
    include_tests: bool,
    include_public: bool,
) -> dead_code.DeadCode:
    """Find what nothing in the workspace uses, in the chosen files.

    `sources` is the whole workspace with links and tokens, `others` are its other files.

    Raises:
        TimeLimitExceeded: when there is no time to read everything.
    """
    job = selection.job
    words = dead_code.find_names_outside_code(
        job.each([*others, *sources.unmeasured], "text files"),
        dead_code.names_in(sources.files),
        dead_code.reader_of(selection.root),
        sources.unmeasured,
    )
    return dead_code.find_dead_code(
        sources.files,
        words,
        chosen=chosen,
        include_tests=include_tests,
        include_public=include_public,
        foreign_uses=_foreign_uses(selection, sources.files),
        job=job,
    )


def _foreign_uses(selection: FileSelection, files: Sequence[FileFacts]) -> Iterator[ForeignUse]:
    """Yield the definitions that code in another language references."""
    found = find_bridges(files, selection.read_manifest, selection.job, most=sys.maxsize)
    for it in found.references:
        if it.to_file is not None and it.to_line is not None:
            yield ForeignUse(it.to_file, it.to_line, it.symbol)
