"""What all pages of `benchpin ui` share: the workspace, its analyses, and how a page is made."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property

from starlette.responses import HTMLResponse  # noqa: TID253 - imported only to serve pages

from benchpin.app import Workbench
from benchpin.code import CodeIndex, find_symbols, index_of
from benchpin.code.names import Symbol
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.core.text import plain
from benchpin.facts import FileSelection
from benchpin.workspace.git import git_user

from ._analyses import PATIENCE_S, EventHub, PageAnalyses, PageAnalysis
from ._pages import PageLinks, Pages

logger = logging.getLogger(__name__)


class SymbolSearch:
    """Symbols for the list below the search field; use it on the event loop only.

    A tool checks at every call whether a file changed: of 18,000 files that takes several times as
    long as the search itself. Here the watcher says when the index is to be read again.
    """

    def __init__(self, workbench: Workbench, analyses: PageAnalyses, events: EventHub) -> None:
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


class Site:
    def __init__(self, workbench: Workbench) -> None:
        root = workbench.bench.workspace.root
        self.workbench = workbench
        self.links = PageLinks()
        self.events = EventHub()
        self.analyses = PageAnalyses(workbench, self.events)
        self.symbols = SymbolSearch(workbench, self.analyses, self.events)
        self._pages = Pages(root.name or str(root), self.links)

    @cached_property
    def person(self) -> str:
        """The name of who looks at the pages, for the comments that are written there."""
        return git_user(self.workbench.bench.workspace.root)

    def page(
        self,
        template: str,
        title: str,
        values: Mapping[str, object],
        *,
        here: str = "",
        status: int = 200,
    ) -> HTMLResponse:
        """Return a page; `here` is the part of the site that it belongs to."""
        text = self._pages.render(template, {"title": plain(title), "here": here, **values})
        return HTMLResponse(text, status, {"cache-control": "no-store"})

    def waiting(self, title: str, here: str, *analyses: PageAnalysis) -> HTMLResponse:
        """Return a page that shows how far some analyses are, or why they failed."""
        is_waiting = any(it.error is None for it in analyses if it.result is None)
        values = {"analyses": analyses, "is_waiting": is_waiting}
        return self.page("working.html", title, values, here=here)

    def failed(self, error: BenchpinError) -> HTMLResponse:
        """Return a page that says what went wrong."""
        return self.page("error.html", "Not possible", {"error": error}, status=400)

    def is_enabled(self, tool: str) -> bool:
        """Whether a tool can be called here."""
        try:
            self.workbench.catalogue.find(tool)
        except BenchpinError:
            return False
        return True
