"""Take measures of a project as a second process, for `side_measures`.

`python -m benchpin.project.side_process._side_worker` reads one order, says of each measure when it
begins and when its result is in the cache, and ends. Messages after the order name measures that it
need not take any more; the end of the pipe means that the other process has ended.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from threading import Thread

import msgspec

from benchpin.code import index_of
from benchpin.core.errors import BenchpinError
from benchpin.project import Project
from benchpin.system.processes import READY, be_idle, gc_off, read_message, write_message

from ._side_measures import CODE_INDEX, SideAnswer, SideOrder

# What can be taken, by name; each keeps its result in the cache.
_MEASURES: dict[str, Callable[[Project], object]] = {
    "duplicates": Project.duplicates,
    "debt": Project.debt,
    "import-graph": Project.graph,
    CODE_INDEX: lambda it: index_of(it.selection),
}


def main() -> None:
    """Take the measures of one order."""
    write = partial(write_message, sys.stdout.buffer)
    write(READY)
    order = msgspec.msgpack.decode(read_message(sys.stdin.buffer), type=SideOrder)
    if order.is_idle:
        be_idle()
    unwanted: set[str] = set()
    Thread(target=_listen, args=(unwanted,), daemon=True).start()
    selection = order.selection()
    project = Project(selection, datetime.now(UTC), skip_when_late=True)
    for name in order.measures:
        if name not in unwanted:
            write(msgspec.msgpack.encode(SideAnswer(name)))
            with (
                suppress(BenchpinError),
                gc_off(),
            ):  # it is taken again, and reported, where it is needed
                _MEASURES[name](project)
            how, manifests = selection.job.measures, selection.manifests
            write(msgspec.msgpack.encode(SideAnswer(name, True, how, manifests)))
    selection.session.close()


def _listen(unwanted: set[str]) -> None:
    """Note what is not wanted any more; end with the program that ordered it."""
    while message := read_message(sys.stdin.buffer):
        unwanted.add(message.decode())
    os._exit(0)


if __name__ == "__main__":
    main()
