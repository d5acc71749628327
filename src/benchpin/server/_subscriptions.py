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
from hashlib import blake2b
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

from benchpin.app import Workbench, watch
from benchpin.core.calls import Bench, Permissions, Workspace
from benchpin.core.errors import BenchpinError, FileMissing
from benchpin.server.wire import resource_errors

from ._peer import Context, Peer, peer_of


class Subscriptions:
    """Keeps the subscriptions of all connections and notifies them of changes."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        self._streamed: Counter[str] = Counter()
        self._sessions: dict[Peer, ServerSession] = {}
        self._seen: dict[str, bytes] = {}
        """A digest of what each subscriber was last notified of, by URI."""
        self._watchers: list[asyncio.Task[None]] = []
        self._stop = asyncio.Event()

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Answer `resources/subscribe`."""
        uri = str(params.uri)
        await asyncio.to_thread(self._read_first, [uri], ctx.protocol_version)
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
        await asyncio.to_thread(self._read_first, uris, ctx.protocol_version)
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

    def _read_first(self, uris: Iterable[str], protocol_version: str) -> None:
        """Read what is subscribed to; refuse what reading refuses, except a missing file.

        Raises:
            BenchpinError, MCPError: the error of `resources/read`.
        """
        catalogue = self._workbench.catalogue
        for uri in uris:
            resource, variables = catalogue.find_resource(uri)
            with resource_errors(catalogue.owner_of(resource), protocol_version):
                try:
                    digest = _digest(resource.read(variables, self._workbench.bench).body)
                except FileMissing:
                    digest = b""
            self._seen.setdefault(uri, digest)

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
        # Beside the watch, which must not miss what changes meanwhile: a big list takes a while.
        listing = asyncio.ensure_future(asyncio.to_thread(self._list_digest))
        async for changes in watch(bench, self._stop):
            paths = [root / change.path for change in changes]
            for uri in await asyncio.to_thread(self._changed, self._wanted(), paths):
                await self.publish_updated(uri)
            # Most editors replace a file, which looks like a new one; so look at the list itself.
            if any(change.is_listing for change in changes):
                before = await listing
                listing = asyncio.ensure_future(asyncio.to_thread(self._list_digest))
                if await listing != before:
                    await self.publish_list_changed()

    def _wanted(self) -> set[str]:
        """Return what anybody is subscribed to, and forget the rest."""
        wanted = {uri for peer in self._sessions for uri in peer.subscriptions}
        wanted.update(uri for uri, count in self._streamed.items() if count > 0)
        self._seen = {uri: digest for uri, digest in self._seen.items() if uri in wanted}
        return wanted

    def _changed(self, wanted: Iterable[str], paths: list[PurePosixPath]) -> list[str]:
        """Return the resources that are not what their subscribers were last notified of."""
        return [uri for uri in sorted(wanted) if self._has_changed(uri, paths)]

    def _has_changed(self, uri: str, paths: list[PurePosixPath]) -> bool:
        bench = self._workbench.bench
        digest = b""
        with suppress(BenchpinError):  # it is gone
            resource, variables = self._workbench.catalogue.find_resource(uri)
            concerns = resource.concerns
            if concerns is None or not any(concerns(variables, path, bench) for path in paths):
                return False
            digest = _digest(resource.read(variables, bench).body)
        is_new = self._seen.get(uri) != digest
        self._seen[uri] = digest
        return is_new

    def _list_digest(self) -> bytes:
        """Return a digest of the listed resources that depend on files."""
        digest = blake2b(digest_size=16)
        for resource in self._workbench.catalogue.resources:
            if resource.entries is not None and resource.concerns is not None:
                for entry in resource.entries(self._workbench.bench, ""):
                    digest.update(entry.uri.encode("utf-8", "surrogateescape") + b"\n")
        return digest.digest()


def _digest(body: str | bytes) -> bytes:
    content = body if isinstance(body, bytes) else body.encode("utf-8", "surrogateescape")
    return blake2b(content, digest_size=16).digest()
