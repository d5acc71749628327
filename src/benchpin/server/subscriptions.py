"""Subscriptions to resources, in both protocol eras.

Clients with a handshake subscribe to single resources, and get list changes after they have listed
resources. Stateless clients open a `subscriptions/listen` stream. Watching starts with the first
subscriber.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp_types import (
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from benchpin.app import Workbench
from benchpin.core import Bench, BenchpinError, FileMissing, Permissions, Workspace

from .peer import Context, Peer, peer_of
from .watching import watch


class Subscriptions:
    """Keeps the subscriptions of all connections and notifies them of changes."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        self._streamed: Counter[str] = Counter()
        self._sessions: dict[Peer, ServerSession] = {}
        self._watchers: list[asyncio.Task[None]] = []
        self._stop = asyncio.Event()

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Answer `resources/subscribe`."""
        uri = str(params.uri)
        await asyncio.to_thread(self._require_readable, [uri])
        peer_of(ctx).subscriptions.add(uri)
        self.remember(ctx)
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Answer `resources/unsubscribe`."""
        peer_of(ctx).subscriptions.discard(str(params.uri))
        return EmptyResult()

    async def listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve `subscriptions/listen` until the client disconnects or the server ends."""
        uris = [str(uri) for uri in params.notifications.resource_subscriptions or ()]
        await asyncio.to_thread(self._require_readable, uris)
        self._streamed.update(uris)
        self._watch()
        try:
            return await self._streams(ctx, params)
        finally:
            self._streamed.subtract(uris)

    def remember(self, ctx: Context) -> None:
        """Notify this connection of changes from now on."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._sessions[peer_of(ctx)] = ctx.session
        self._watch()

    def forget(self, peer: Peer) -> None:
        """Remove a closed connection."""
        self._sessions.pop(peer, None)

    async def publish_updated(self, uri: str) -> None:
        """Notify subscribers that a resource changed."""
        await self._bus.publish(ResourceUpdated(uri))
        for peer, session in list(self._sessions.items()):
            if uri in peer.subscriptions:
                await session.send_resource_updated(uri)

    async def publish_list_changed(self) -> None:
        """Notify clients that resources were added or removed."""
        await self._bus.publish(ResourcesListChanged())
        for session in list(self._sessions.values()):
            await session.send_resource_list_changed()

    async def close(self) -> None:
        """End every stream and stop watching."""
        self._streams.close()
        self._stop.set()
        for watcher in self._watchers:
            with suppress(asyncio.CancelledError):
                await watcher

    def _require_readable(self, uris: Iterable[str]) -> None:
        """Refuse what reading refuses, except a file that does not exist yet.

        Raises:
            BenchpinError: the error of `resources/read`.
        """
        for uri in uris:
            resource, variables = self._workbench.catalogue.find_resource(uri)
            with suppress(FileMissing):
                resource.read(variables, self._workbench.bench)

    def _watch(self) -> None:
        resources = self._workbench.catalogue.resources
        if not self._watchers and any(it.concerns is not None for it in resources):
            loop = asyncio.get_running_loop()
            self._watchers = [loop.create_task(self._relay(bench)) for bench in self._watched()]

    def _watched(self) -> Iterator[Bench]:
        """Yield the workspace, and the data folder if it is outside."""
        bench = self._workbench.bench
        yield bench
        records = bench.data_dir
        if records is not None and not records.is_relative_to(bench.workspace.root):
            with suppress(OSError):
                records.mkdir(parents=True, exist_ok=True)
                yield replace(bench, workspace=Workspace(records), permissions=Permissions())

    async def _relay(self, bench: Bench) -> None:
        is_workspace = bench is self._workbench.bench
        root = PurePosixPath() if is_workspace else PurePosixPath(bench.workspace.root)
        async for changes in watch(bench, self._stop):
            for uri in self._affected(root / change.path for change in changes):
                await self.publish_updated(uri)
            if any(change.is_listing for change in changes) and self._lists_files():
                await self.publish_list_changed()

    def _affected(self, paths: Iterable[PurePosixPath]) -> list[str]:
        changed = list(paths)
        wanted = {uri for peer in self._sessions for uri in peer.subscriptions}
        wanted.update(uri for uri, count in self._streamed.items() if count > 0)
        return sorted(uri for uri in wanted if self._is_affected(uri, changed))

    def _is_affected(self, uri: str, changed: list[PurePosixPath]) -> bool:
        with suppress(BenchpinError):
            resource, variables = self._workbench.catalogue.find_resource(uri)
            concerns, bench = resource.concerns, self._workbench.bench
            return concerns is not None and any(
                concerns(variables, path, bench) for path in changed
            )
        return False

    def _lists_files(self) -> bool:
        resources = self._workbench.catalogue.resources
        return any(it.entries is not None and it.concerns is not None for it in resources)
