"""Calls of tools for pages: run aside, with events about them, and kept until a file changes."""

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from benchpin.app import Workbench
from benchpin.core.calls import Caller, Job, Progress
from benchpin.core.errors import BenchpinError, InternalError
from benchpin.core.results import Result
from benchpin.core.text import json_text

# A page that reads so slowly loses events; the next one makes it look again.
_MAX_WAITING_EVENTS = 100
# How often an idle stream sends a comment, so that a browser that has gone is noticed.
_HEARTBEAT_S = 15.0
logger = logging.getLogger(__name__)
T = TypeVar("T")
CALLER = Caller(agent_id="operator", from_agent="ui", session_id="ui")
# How long a page waits for a result before it shows the progress, or the result before.
PATIENCE_S = 0.4
_ROOM = 100
# What a page cannot do without has threads of its own: it does not wait for measures.
_THREADS, _MEASURE_THREADS = 4, 3


class EventHub:
    """Passes events to all open pages; use it on the event loop only."""

    def __init__(self) -> None:
        self._readers: set[asyncio.Queue[str | None]] = set()

    def close(self) -> None:
        """End the streams of all pages, so that nothing holds up the end of the server."""
        for reader in self._readers:
            while not reader.empty():
                reader.get_nowait()
            reader.put_nowait(None)

    def send(self, name: str, content: Mapping[str, object]) -> None:
        """Send an event to every open page."""
        text = f"event: {name}\ndata: {json_text(content, ensure_ascii=True)}\n\n"
        for reader in self._readers:
            if not reader.full():
                reader.put_nowait(text)

    async def stream(self) -> AsyncIterator[str]:
        """Yield the events for one page, in the format of server-sent events."""
        reader: asyncio.Queue[str | None] = asyncio.Queue(_MAX_WAITING_EVENTS)
        self._readers.add(reader)
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(reader.get(), _HEARTBEAT_S)
                except TimeoutError:
                    event = ": still here\n\n"
                if event is None:
                    return
                yield event
        finally:
            self._readers.discard(reader)


@dataclass(slots=True, eq=False)
class PageAnalysis:
    """One call of a tool with its arguments, and the newest result."""

    tool: str
    title: str
    arguments: Mapping[str, object]
    result: Result | None = None
    error: BenchpinError | None = None
    progress: Progress | None = None
    generation: int = -1
    """The state of the files that the result, or the call that runs, is about."""
    running: "asyncio.Task[Result] | None" = None
    job: Job = field(default_factory=Job)

    @property
    def is_current(self) -> bool:
        """Whether nothing newer is being computed."""
        return self.running is None


class PageAnalyses:
    """The calls that pages show; use it on the event loop only."""

    def __init__(self, workbench: Workbench, events: EventHub) -> None:
        self._workbench = workbench
        self._events = events
        self._known: OrderedDict[str, PageAnalysis] = OrderedDict()
        self._generation = 0
        self._threads = ThreadPoolExecutor(_THREADS, "benchpin-ui")
        self._measuring = ThreadPoolExecutor(_MEASURE_THREADS, "benchpin-ui-measures")

    @property
    def generation(self) -> int:
        """The state of the files: a number that grows with every change."""
        return self._generation

    def files_changed(self) -> None:
        """Have every call run again when a page asks for it next."""
        self._generation += 1

    async def ask(self, tool: str, **arguments: object) -> PageAnalysis:
        """Return a call, with its result if that comes soon; later, `ready` is sent.

        A result from before the last change is shown while the new one is computed.

        Raises:
            UnknownTool, ToolDisabled: when the tool cannot be called.
        """
        found = self.start(tool, **arguments)
        if found.running is not None:
            await asyncio.wait({found.running}, timeout=PATIENCE_S)
        return found

    def start(self, tool: str, **arguments: object) -> PageAnalysis:
        """Return a call without waiting for it.

        Raises:
            UnknownTool, ToolDisabled: when the tool cannot be called.
        """
        key = _key(tool, arguments)
        found = self._known.get(key)
        if found is None:
            listing = self._workbench.catalogue.find(tool)
            found = self._known[key] = PageAnalysis(tool, listing.tool.title, arguments)
        self._known.move_to_end(key)
        self._drop_old()
        if found.generation != self._generation and found.running is None:
            found.generation = self._generation
            found.running = asyncio.create_task(self._run(found))
            found.running.add_done_callback(partial(self._finished, found))
        return found

    def known(self, tool: str, **arguments: object) -> PageAnalysis | None:
        """Return a call if it was started before; it is not run again."""
        return self._known.get(_key(tool, arguments))

    async def call(self, tool: str, **arguments: object) -> Result:
        """Call a tool now, and wait for it: for what is brief, or changes something.

        Raises:
            BenchpinError: when the call fails.
        """
        return await self._called(tool, arguments, Job(), self._threads)

    async def aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        for analysis in self._known.values():
            analysis.job.cancel()
        for threads in (self._threads, self._measuring):
            threads.shutdown(wait=False, cancel_futures=True)

    def _drop_old(self) -> None:
        idle = [key for key, it in self._known.items() if it.running is None]
        for key in idle[: max(0, len(self._known) - _ROOM)]:
            del self._known[key]

    async def _run(self, found: PageAnalysis) -> Result:
        loop = asyncio.get_running_loop()

        def report(progress: Progress) -> None:
            loop.call_soon_threadsafe(self._progressed, found, progress)

        limit_s = self._workbench.configuration.settings.chosen_timeout_of(found.tool)
        found.job = Job(time_limit_s=limit_s, on_progress=report)
        return await self._called(found.tool, found.arguments, found.job, self._measuring)

    def _finished(self, found: PageAnalysis, task: "asyncio.Task[Result]") -> None:
        found.running, found.progress = None, None
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            found.result, found.error = task.result(), None
        elif isinstance(error, BenchpinError):
            found.error = error
        else:
            logger.error("%s failed", found.tool, exc_info=error)
            found.error = InternalError("the log of `benchpin ui`")
        self._events.send("ready", {"tool": found.tool})

    def _progressed(self, found: PageAnalysis, progress: Progress) -> None:
        found.progress = progress
        self._events.send(
            "progress",
            {
                "title": found.title,
                "done": progress.done,
                "total": progress.total,
                "message": progress.message,
            },
        )

    async def _called(
        self, tool: str, arguments: Mapping[str, object], job: Job, threads: ThreadPoolExecutor
    ) -> Result:
        listing = self._workbench.catalogue.find(tool)
        call = self._workbench.prepare(listing, arguments, job=job, caller=CALLER)
        if listing.tool.is_async:
            return await call.run_on_loop()
        return await asyncio.get_running_loop().run_in_executor(threads, call.run)


def _key(tool: str, arguments: Mapping[str, object]) -> str:
    return json.dumps([tool, arguments], sort_keys=True)
