"""Find a tool, check its arguments, run it, and mark an incomplete result."""

import hashlib
import logging
import os
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Self, TypeVar, cast, get_args
from weakref import finalize

from benchpin._version import __version__
from benchpin.core.calls import (
    Bench,
    Caller,
    Client,
    Installation,
    Job,
    Workspace,
    WorkspaceSession,
    utc_now,
)
from benchpin.core.errors import BenchpinError, InvalidParams, TimeLimitExceeded, ToolDisabled
from benchpin.core.results import Result, ResultStore
from benchpin.core.tools import Effect, Params, Schema, Tool, ToolDefinition, Toolset
from benchpin.present import Image as ImageFormat
from benchpin.toolsets import load_toolsets

from ._catalogue import Catalogue, Listing
from ._config import Configuration, load

P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)

LOCAL_CALLER = Caller(agent_id="local", from_agent="python", session_id="local")


_MAX_MISSING_NAMES = 10
# How often a call that waits for its turn looks whether it may still run.
_TURN_CHECK_S = 0.1
# How long a start waits for somebody who writes in the folders of a change that was cut off.
_MAX_SETTLING_S = 5.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with checked arguments, ready to run."""

    listing: Listing
    params: Params
    bench: Bench

    def run(self) -> Result:
        """Run the tool on this thread; an async tool gets its own event loop."""
        outcome = self.listing.tool.function(self.params, self.bench)
        return self._finished(outcome if isinstance(outcome, Result) else _run(outcome))

    async def run_on_loop(self) -> Result:
        """Run the tool on the current event loop; for async tools."""
        outcome = self.listing.tool.function(self.params, self.bench)
        return self._finished(outcome if isinstance(outcome, Result) else await outcome)

    def _finished(self, result: Result) -> Result:
        missing, measures = self.bench.job.missing, self.bench.job.measures
        if measures:
            result = result.made_from(measures)
        if not missing:
            return result
        omissions = [*result.missing, *missing]
        shown = omissions[:_MAX_MISSING_NAMES]
        if len(omissions) > _MAX_MISSING_NAMES:
            shown.append(f"{len(omissions) - _MAX_MISSING_NAMES:,} more")
        return result.model_copy(update={"partial": True, "missing": shown})


def _settle(cache_dir: Path, root: Path) -> None:
    """Finish or take back changes to several files whose writer was killed."""
    from benchpin.workspace.writing import settle_abandoned  # noqa: PLC0415 - seldom needed

    try:
        settle_abandoned(cache_dir, root, Job(time_limit_s=_MAX_SETTLING_S))
    except (BenchpinError, OSError) as error:
        logger.warning("changes that were cut off are not settled yet: %s", error)


def _run(outcome: object) -> Result:
    import asyncio  # noqa: PLC0415 - few tools need it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(outcome))
    # This thread's loop is already running, as in a notebook.
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, _awaited(outcome)).result()


async def _awaited(outcome: object) -> Result:
    return await cast("Awaitable[Result]", outcome)


class Workbench:
    """The Python API of Benchpin: the enabled tools on one workspace."""

    def __init__(
        self, configuration: Configuration, toolsets: Sequence[Toolset] | None = None
    ) -> None:
        """Prepare everything; tools are imported when they are first used.

        Raises:
            ConfigError: when the configuration names an unknown toolset or tool.
            InvalidPath: when the root is not a folder.
        """
        settings = configuration.settings
        self.configuration = configuration
        self.catalogue = Catalogue(load_toolsets() if toolsets is None else toolsets, configuration)
        workspace = Workspace.at(settings.root)
        session = WorkspaceSession(
            workspace.root,
            settings.cache_dir,
            tuple(folder.expanduser().resolve() for folder in settings.git_folders),
        )
        # Also called when the workbench is collected, and when Python exits.
        self.close = finalize(self, session.close)
        if Effect.RECORD in configuration.effects and (settings.cache_dir / "journal").is_dir():
            _settle(settings.cache_dir, workspace.root)
        self.bench = Bench(
            workspace=workspace,
            cache_dir=settings.cache_dir,
            session=session,
            results=ResultStore(
                settings.cache_dir
                / "results"
                / hashlib.blake2b(os.fsencode(workspace.root), digest_size=8).hexdigest(),
                settings.limits.response_bytes,
            ),
            installation=Installation(__version__, EnabledTools(self), utc_now()),
            caller=LOCAL_CALLER,
            permissions=configuration.permissions,
            effects=configuration.effects,
            limits=settings.limits,
            artifact_dirs=tuple(folder.expanduser().resolve() for folder in settings.artifacts),
            data_dir=None if settings.data_dir is None else settings.data_dir.resolve(),
            template_folders=settings.template_folders,
            toolset_settings=tuple(settings.of_toolsets.values()),
            toolchains=tuple(workspace.root / folder for folder in settings.toolchains),
            is_unconfined=settings.unconfined,
        )

    @classmethod
    def open(cls, root: str | Path = ".", **settings: object) -> Self:
        """Return a workbench on a folder; other settings come from files and the environment.

        To read neither files nor environment, use `Workbench(configure(root=…))`.
        """
        return cls(load({"root": Path(root), **settings}))

    @property
    def started_at(self) -> datetime:
        """When this workbench was created."""
        return self.bench.installation.started_at

    def prepare(
        self,
        listing: Listing,
        arguments: Mapping[str, object] | Params,
        *,
        job: Job | None = None,
        caller: Caller = LOCAL_CALLER,
        client: Client | None = None,
        is_typed: bool = False,
    ) -> Call:
        """Check the arguments of a tool and return a call that is ready to run.

        The effect of the tool is always allowed. `is_typed` says that a person typed the
        arguments: they allow what they ask for.

        Raises:
            InvalidParams: when the arguments are wrong.
        """
        if isinstance(arguments, Params):
            params = arguments
        else:
            try:
                params = listing.tool.params_type.parse(arguments)
            except InvalidParams as error:
                raise self._explained(error, arguments.get("format")) from error
        if job is None:
            job = Job(time_limit_s=self.configuration.settings.chosen_timeout_of(listing.name))
        bench = self.bench.for_call(
            job=job,
            caller=caller,
            client=client,
            effects=self.bench.effects | {listing.definition.effect},
            typed_effects=self.configuration.typed_effects if is_typed else frozenset(),
        )
        return Call(listing, params, bench)

    def _explained(self, error: InvalidParams, form: object) -> InvalidParams:
        """Return an error that names the tools with pictures, if the caller wanted one."""
        problems = cast("list[dict[str, str]]", error.data.get("problems") or [])
        if form in get_args(ImageFormat) and any(it["path"] == "format" for it in problems):
            drawing = (it.name for it in self.catalogue.enabled if _draws(it))
            error.suggestion = (
                f"Use format=html for a page. Tools with pictures: {', '.join(drawing)}."
            )
        return error

    def call(self, name: str, /, **arguments: object) -> Result:
        """Call a tool by name.

        Raises:
            BenchpinError: when the call fails.
        """
        return self.prepare(self.catalogue.find(name), arguments).run()

    def run(self, tool: Tool[P, R], params: P) -> R:
        """Call an imported tool, with typed arguments and a typed result.

        Raises:
            BenchpinError: when the call fails.
        """
        return cast("R", self.prepare(self.catalogue.find(tool.name), params).run())


def _draws(listing: Listing) -> bool:
    """Whether a tool has pictures."""
    properties = cast("Mapping[str, Schema]", listing.tool.input_schema["properties"])
    formats = cast("Sequence[str]", properties.get("format", {}).get("enum", ()))
    return "svg" in formats


def _require_time(listing: Listing, job: Job) -> None:
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded(
            f"{listing.name} was not started: no time is left",
            suggestion="Ask for less in one call, or raise --tool-timeout.",
            data={"limit_s": job.time_limit_s},
        )


class EnabledTools:
    """The enabled tools of a workbench, for tools that find or call others."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._heavy = Lock()

    def definitions(self) -> list[ToolDefinition]:
        """Return what is known about each without importing it."""
        return [listing.definition for listing in self._workbench.catalogue.enabled]

    def every_definition(self) -> list[ToolDefinition]:
        """Return what is known about all tools, also those that are disabled."""
        return [listing.definition for listing in self._workbench.catalogue.listings()]

    def way_in(self, name: str) -> str:
        """Return how to enable a disabled tool."""
        try:
            self._workbench.catalogue.find(name)
        except ToolDisabled as error:
            return error.suggestion
        return ""

    def input_schema(self, name: str) -> Schema:
        """Return all arguments of a tool."""
        return self._workbench.catalogue.find(name).tool.input_schema

    def call(self, name: str, arguments: Mapping[str, object], bench: Bench) -> Result:
        """Call a tool for the caller of another: with the same rights, and in the time left.

        Heavy tools take turns, as those that clients call do: many scripts may run at a time.

        Raises:
            TimeLimitExceeded: when no time is left; nothing was started.
        """
        listing = self._workbench.catalogue.find(name)
        _require_time(listing, bench.job)
        if not listing.tool.is_heavy:
            return self._call(listing, arguments, bench)
        while not self._heavy.acquire(timeout=_TURN_CHECK_S):
            _require_time(listing, bench.job)
        try:
            return self._call(listing, arguments, bench)
        finally:
            self._heavy.release()

    def _call(self, listing: Listing, arguments: Mapping[str, object], bench: Bench) -> Result:
        limits = (
            self._workbench.configuration.settings.timeout_of(listing.name),
            bench.job.time_left_s(),
        )
        job = Job(time_limit_s=min(it for it in limits if it is not None))
        call = self._workbench.prepare(
            listing, arguments, job=job, caller=bench.caller, client=bench.client
        )
        with bench.job.stopping(job.cancel):
            return call.run()
