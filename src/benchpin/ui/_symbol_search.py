"""Symbols for the list below the search field, from the index of the last known state of files.

A tool checks at every call whether a file changed: of 18,000 files that takes several times as long
as the search itself. Here the watcher says when there is something to read again.
"""

import asyncio
import logging
from collections.abc import Sequence

from benchpin.app import Workbench
from benchpin.code import CodeIndex, find_symbols, index_of
from benchpin.code.names import Symbol
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileSelection

from ._analyses import PATIENCE_S, Analyses
from ._events import EventHub

logger = logging.getLogger(__name__)


class SymbolSearch:
    """The index of a workspace, read again after a change; use it on the event loop only."""

    def __init__(self, workbench: Workbench, analyses: Analyses, events: EventHub) -> None:
        self._workbench = workbench
        self._analyses = analyses
        self._events = events
        self._index: CodeIndex | None = None
        self._generation = -1
        """The state of the files that the index, or the one that is being read, is about."""
        self._reading: asyncio.Task[None] | None = None

    async def find(self, written: str, most: int) -> Sequence[Symbol]:
        """Return the symbols with a name, best first; none until the index is read.

        The index from before the last change is used while a new one is read; then `ready` is sent.
        """
        if self._generation != self._analyses.generation and self._reading is None:
            self._generation = self._analyses.generation
            self._reading = asyncio.create_task(self._read())
        if self._index is None and self._reading is not None:
            await asyncio.wait({self._reading}, timeout=PATIENCE_S)
        index = self._index
        if index is None:
            return ()
        return await self._analyses.aside(lambda: find_symbols(index, written, Job())[:most])

    async def _read(self) -> None:
        bench = self._workbench.bench
        selection = FileSelection(bench.session, bench.permissions, Job())
        try:
            self._index = await self._analyses.aside(lambda: index_of(selection))
        except BenchpinError:
            logger.exception("The index for the search could not be read")
        finally:
            self._reading = None
        self._events.send("ready", {"tool": "find_symbol"})
