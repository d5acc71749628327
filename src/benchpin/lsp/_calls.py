"""Calls of tools beside the loop that reads what the editor sends."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from benchpin.app import Workbench
from benchpin.core.calls import Job

R = TypeVar("R")
# The others wait, and can still be cancelled.
_MAX_CALLS = 2


class ToolCalls:
    """The threads for calls. Pygls reads messages on threads of its own, which stay free."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._workers = ThreadPoolExecutor(_MAX_CALLS, "benchpin-lsp")

    async def ask(self, tool: str, **arguments: object) -> Any:
        """Call a tool; the call ends when the editor cancels its request, or leaves.

        Raises:
            BenchpinError: when the call fails.
        """
        settings = self._workbench.configuration.settings
        job = Job(time_limit_s=settings.chosen_timeout_of(tool))
        listing = self._workbench.catalogue.find(tool)
        call = self._workbench.prepare(listing, arguments, job=job)
        try:
            return await self.beside(call.run)
        except asyncio.CancelledError:
            job.cancel()
            raise

    def beside(self, run: Callable[..., R], *given: object) -> "asyncio.Future[R]":
        """Run a function on one of the threads."""
        return asyncio.get_running_loop().run_in_executor(self._workers, run, *given)

    def end(self) -> None:
        """Start nothing more, and wait for nothing."""
        self._workers.shutdown(wait=False, cancel_futures=True)
