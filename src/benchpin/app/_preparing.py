"""The index of names, made ready by a process of its own when a server starts.

It runs at idle priority, so that it takes only time that nobody else wants, and ends with the
server. It hands its result over through the cache: a question that comes before is answered from
what is there (`searched_index`), and one that comes after finds the index. A small workspace is
left alone: it is parsed within a second when a question comes.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer

from benchpin.core.calls import Job

from ._workbench import Workbench

# A client first asks for the handshake and the list of tools: they come before.
_DELAY_S = 1.0
_MANY_FILES = 1_000
_LIMIT_S = 600.0
_TOOL = "find_references"


@contextmanager
def prepared(workbench: Workbench) -> Iterator[None]:
    """Have the index made ready while a workbench is served."""
    with ExitStack() as stack:
        timer = Timer(_DELAY_S, _prepare, (workbench, stack))
        timer.daemon = True
        enabled = (it.name for it in workbench.catalogue.enabled)
        if workbench.configuration.settings.index_ahead and _TOOL in enabled:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _prepare(workbench: Workbench, stack: ExitStack) -> None:
    bench = workbench.bench
    if not has_many_files(bench.workspace.root, _MANY_FILES):
        return
    # Here, because they take longer than the start of a server may.
    from benchpin.facts import FileSelection  # noqa: PLC0415
    from benchpin.project.side_process import CODE_INDEX, SideMeasures  # noqa: PLC0415

    selection = FileSelection(bench.session, bench.permissions, Job(time_limit_s=_LIMIT_S))
    stack.enter_context(SideMeasures(selection, [CODE_INDEX], is_idle=True))


def has_many_files(root: Path, most: int) -> bool:
    """Whether there are many files; hidden folders do not count, and no link is followed."""
    seen = 0
    for _folder, folders, files in os.walk(root):
        folders[:] = [it for it in folders if not it.startswith(".")]
        seen += len(files)
        if seen >= most:
            return True
    return False
