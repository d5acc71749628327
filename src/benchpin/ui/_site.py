"""What all pages of `benchpin ui` share: the workspace, its analyses, and how a page is made."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from starlette.responses import HTMLResponse  # noqa: TID253 - imported only to serve pages

from benchpin.app import Workbench
from benchpin.code import CodeIndex, find_symbols, index_of
from benchpin.code.changes import UNCOMMITTED
from benchpin.code.names import Symbol
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from benchpin.core.text import counted, plain
from benchpin.facts import FileSelection
from benchpin.present import Report
from benchpin.toolsets.analysis.analyze_duplicates import DuplicatesReport
from benchpin.workspace.git import git_user

from ._analyses import PATIENCE_S, EventHub, PageAnalyses, PageAnalysis
from ._pages import PageLinks, Pages
from ._source_text import KnownLinks

logger = logging.getLogger(__name__)
# The tools that say something of a line, and the word for it. Their rows are findings in this
# format, and none is left out.
_WORDS = {
    "review_change": "review",
    "analyze_complexity": "complex",
    "analyze_dead_code": "unused",
    "analyze_duplicates": "copy",
    "analyze_debt_comments": "debt",
}
_FORMAT = "sarif"
_LEVELS = {"error": "bad", "warning": "fair"}
_MAX_PLACES = 10


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
        """Return the symbols with a name, best first; none until the index is read."""
        index = await self.index()
        if index is None:
            return ()
        return await self._analyses.aside(lambda: find_symbols(index, written, Job())[:most])

    async def index(self, patience_s: float = PATIENCE_S) -> CodeIndex | None:
        """Return the index, if it is read soon.

        The one from before the last change is used while a new one is read; then `ready` is sent.
        """
        if self._generation != self._analyses.generation and self._reading is None:
            self._generation = self._analyses.generation
            self._reading = asyncio.create_task(self._read())
        if self._index is None and self._reading is not None:
            await asyncio.wait({self._reading}, timeout=patience_s)
        return self._index

    @property
    def is_current(self) -> bool:
        """Whether no newer index is being read."""
        return self._reading is None

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


@dataclass(slots=True)
class LineMark:
    """What one tool says of one line."""

    word: str
    tool: str
    level: str
    messages: list[str] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)
    """Where the same code is."""


Marks = Mapping[int, Sequence[LineMark]]


class WorkspaceMarks:
    """The findings of the whole workspace by file; asked for again when a file changes."""

    def __init__(self, analyses: PageAnalyses) -> None:
        self._analyses = analyses
        self._by_file: dict[str, tuple[Result, Mapping[str, Marks]]] = {}

    async def of(self, path: str, compared: str) -> tuple[Marks, bool]:
        """Return the findings in a file by line, and whether more are being looked for."""
        asked = list(self._asked(compared))
        running = {it.running for it in asked if it.running is not None}
        if running:
            await asyncio.wait(running, timeout=PATIENCE_S / 4)
        found = defaultdict[int, list[LineMark]](list)
        for analysis in asked:
            if analysis.result is not None:
                for line, marks in (
                    self._of_tool(analysis.tool, analysis.result).get(path, {}).items()
                ):
                    found[line] += marks
        return found, any(it.result is None and it.error is None for it in asked)

    def _asked(self, compared: str) -> Iterator[PageAnalysis]:
        for tool in _WORDS:
            change = {"diff": compared} if tool == "review_change" else {}
            try:
                yield self._analyses.start(tool, format=_FORMAT, **change)
            except BenchpinError:  # it is turned off here
                continue

    def _of_tool(self, tool: str, result: Result) -> Mapping[str, Marks]:
        known = self._by_file.get(tool)
        if known is None or known[0] is not result:
            known = self._by_file[tool] = result, _sorted(tool, cast("Report", result))
        return known[1]


def _sorted(tool: str, report: Report) -> Mapping[str, Marks]:
    """Return the findings of a tool by file and line; one mark for each line."""
    marks: defaultdict[str, dict[int, LineMark]] = defaultdict(dict)
    for found in report.view.findings(report):
        if tool != "analyze_duplicates":
            level = _LEVELS.get(found.level, "")
            mark = marks[found.path].setdefault(found.line, LineMark(_WORDS[tool], tool, level))
            mark.messages.append(found.message)
            mark.level = level if level == "bad" else mark.level
    for group in report.groups if isinstance(report, DuplicatesReport) else ():
        places = [(it.file, it.line) for it in group.fragments]
        for file, line in places if group.type != "semantic" else ():  # not copied, but alike
            mark = marks[file].setdefault(line, LineMark(_WORDS[tool], tool, "fair"))
            others = [it for it in places if it != (file, line)]
            said = "the same" if group.type == "exact" else "nearly the same"
            mark.messages.append(
                f"{counted(group.lines, 'line')}, {said} in {others[0][0]}:{others[0][1]}"
            )
            mark.places += [it for it in others if it not in mark.places][:_MAX_PLACES]
    return {file: {line: [it] for line, it in found.items()} for file, found in marks.items()}


class Site:
    def __init__(self, workbench: Workbench, compared: str = UNCOMMITTED) -> None:
        """Take the workspace, and the change that its pages are about."""
        root = workbench.bench.workspace.root
        self.workbench = workbench
        self.compared = compared
        self.links = PageLinks()
        self.events = EventHub()
        self.analyses = PageAnalyses(workbench, self.events)
        self.symbols = SymbolSearch(workbench, self.analyses, self.events)
        self.marks = WorkspaceMarks(self.analyses)
        self.name_links = KnownLinks()
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

    def failed(self, error: BenchpinError, asked: str = "", status: int = 400) -> HTMLResponse:
        """Return a page that says what went wrong; `asked` is what the address named."""
        name = asked.rstrip("/").rpartition("/")[2]
        return self.page(
            "error.html", error.message, {"error": error, "asked": name}, status=status
        )

    def is_enabled(self, tool: str) -> bool:
        """Whether a tool can be called here."""
        try:
            self.workbench.catalogue.find(tool)
        except BenchpinError:
            return False
        return True
