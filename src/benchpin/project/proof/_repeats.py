"""Say before an edit which function the project has already."""

import os

from benchpin.code.changes import FileDelta, compare_symbols, read_changed
from benchpin.core.calls import Bench, Job
from benchpin.facts import FileSelection, Function
from benchpin.project.review import ReviewState, check_copies
from benchpin.workspace.files import Unreadable, read_regular

_MAX_BYTES = 1 << 20


def copies_in(bench: Bench, path: str, after: str, job: Job) -> list[str]:
    """Return which functions a text would add to a file that repeat one of the project."""
    selection = FileSelection(bench.session, bench.permissions, job)
    content = after.encode(errors="replace")
    if not selection.may_read(path) or len(content) > _MAX_BYTES:
        return []
    try:
        before = read_regular(os.fsencode(selection.root), path, _MAX_BYTES)[0]
    except Unreadable:
        before = None
    delta = FileDelta(path, before, content)
    files = read_changed(bench.session, [delta], job, ("outline", "links", "comments", "tokens"))
    symbols = compare_symbols(files)
    if not any(it.status == "added" and isinstance(it.now.fact, Function) for it in symbols):
        return []
    state = ReviewState(selection, files, symbols, bench.now())
    # A note is about a part of a function, which is no reason to write another.
    return [it.message for it in check_copies(state) if it.level == "warning"]
