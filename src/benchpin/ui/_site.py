"""What all pages of `benchpin ui` share: the workspace, its analyses, and how a page is made."""

from collections.abc import Mapping

from starlette.responses import HTMLResponse  # noqa: TID253 - imported only to serve pages

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError
from benchpin.core.text import plain

from ._analyses import Analyses, Analysis
from ._events import EventHub
from ._links import Links
from ._pages import Pages
from ._symbol_search import SymbolSearch


class Site:
    """The pages of one workspace."""

    def __init__(self, workbench: Workbench) -> None:
        root = workbench.bench.workspace.root
        self.workbench = workbench
        self.links = Links()
        self.events = EventHub()
        self.analyses = Analyses(workbench, self.events)
        self.symbols = SymbolSearch(workbench, self.analyses, self.events)
        self._pages = Pages(root.name or str(root), self.links)

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

    def waiting(self, title: str, here: str, *analyses: Analysis) -> HTMLResponse:
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
