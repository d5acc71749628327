"""`resources/*`: listing, templates, reading and writing."""

import asyncio
import base64
import binascii
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
)
from pydantic import AliasChoices, BaseModel, Field

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.content import ResourceContents, ResourceEntry
from benchpin.core.errors import InvalidParams, ResponseTooLarge
from benchpin.core.results import decode_cursor, encode_cursor, paginate
from benchpin.core.tools import Effect
from benchpin.server.apps import MIME_TYPE, resource_meta, tool_at
from benchpin.server.wire import ENVELOPE_BYTES, resource_contents, resource_errors, to_json

from ._peer import Context, peer_of
from ._scheduler import Lane, Scheduler, Task
from ._subscriptions import Subscriptions
from .jsonrpc import Json

# The templates, comments and stored results of most workspaces.
_PAGE = 250
# What an entry of `resources/list` needs until it is encoded.
_ENTRY_BYTES = 1_000


class NewContents(BaseModel):
    """The new contents of a resource."""

    uri: str | None = None
    text: str | None = None
    blob: str | None = None

    def body(self) -> str | bytes:
        """Return the text, or the decoded bytes.

        Raises:
            InvalidParams: when neither or both are given, or the blob is not base64.
        """
        if (self.text is None) == (self.blob is None):
            hint = "Give text, or blob in base64."
            raise InvalidParams("Contents have either text or blob", suggestion=hint)
        if self.text is not None:
            return self.text
        try:
            return base64.b64decode(self.blob or "", validate=True)
        except binascii.Error as error:
            hint = "Encode the bytes as standard base64."
            raise InvalidParams(f"The blob is not base64: {error}", suggestion=hint) from error


class WriteResourceParams(RequestParams):
    """The params of `resources/write`."""

    uri: str
    contents: list[NewContents]
    expected_sha256: str | None = Field(
        None,
        pattern=r"^[0-9a-fA-F]{64}$",
        validation_alias=AliasChoices("expected_sha256", "expectedSha256"),
    )


class ResourceHandlers:
    """Serves the resources of the catalogue; they are read on threads."""

    def __init__(
        self, workbench: Workbench, subscriptions: Subscriptions, scheduler: Scheduler
    ) -> None:
        self._workbench = workbench
        self._scheduler = scheduler
        self._subscriptions = subscriptions

    async def list_resources(
        self, ctx: Context, params: PaginatedRequestParams
    ) -> ListResourcesResult:
        """Answer `resources/list`: single resources, then the entries of each template."""
        self._subscriptions.remember(ctx)
        task = _short("resources/list")
        work = partial(self._list, params.cursor)
        return await self._scheduler.run(peer_of(ctx), task, work, _listed_bytes)

    async def list_templates(
        self, _ctx: Context, params: PaginatedRequestParams
    ) -> ListResourceTemplatesResult:
        """Answer `resources/templates/list`."""
        templates = [
            ResourceTemplate(
                uri_template=resource.uri,
                name=resource.name,
                title=resource.title,
                description=resource.description,
                mime_type=resource.mime_type,
            )
            for resource in self._workbench.catalogue.resources
            if resource.is_template
        ]
        page = paginate(templates, listing="templates", cursor=params.cursor, limit=_PAGE)
        return ListResourceTemplatesResult(
            resource_templates=list(page.items), next_cursor=page.next_cursor
        )

    async def read(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Answer `resources/read`."""
        uri, catalogue = str(params.uri), self._workbench.catalogue
        if (tool := tool_at(uri)) is not None:
            return await self._read_app(ctx, uri, tool)
        resource, variables = catalogue.find_resource(uri)
        read = partial(resource.read, variables, self._workbench.bench)
        with resource_errors(catalogue.owner_of(resource), ctx.protocol_version):
            task = _short("resources/read")
            contents = await self._scheduler.run(peer_of(ctx), task, read, _contents_bytes)
        shown = resource_contents(uri, contents.mime_type, contents.body)
        limit = self._workbench.configuration.settings.limits.response_bytes
        if len(to_json(shown)) > limit - ENVELOPE_BYTES:
            raise ResponseTooLarge(limit)
        return ReadResourceResult.model_validate({"contents": [shown]})

    async def _read_app(self, ctx: Context, uri: str, tool: str) -> ReadResourceResult:
        from benchpin.server.apps import app_page  # noqa: PLC0415 - few clients show apps

        def read() -> str:
            return app_page(self._workbench.catalogue.find(tool).tool)

        text = await self._scheduler.run(peer_of(ctx), _short("resources/read"), read, len)
        shown = {**resource_contents(uri, MIME_TYPE, text), "_meta": resource_meta()}
        return ReadResourceResult.model_validate({"contents": [shown]})

    async def write(self, ctx: Context, params: WriteResourceParams) -> Json:
        """Answer `resources/write`."""
        resource, variables = self._workbench.catalogue.find_resource(params.uri)
        if resource.write is None:
            raise InvalidParams(
                f"{params.uri} cannot be written",
                suggestion=f"Write one of: {', '.join(self._writable()) or 'nothing here'}.",
            )
        if len(params.contents) != 1:
            raise InvalidParams(
                "contents must have exactly one item", suggestion="Write one resource at a time."
            )
        [contents] = params.contents
        if contents.uri not in {None, params.uri}:
            raise InvalidParams(
                f"The uri of contents is {contents.uri!r}, that of the request {params.uri!r}",
                suggestion="Give the same uri in both places, or none in contents.",
            )
        self._workbench.bench.require(Effect.WRITE, f"Writing {params.uri}")
        limit_s = self._workbench.configuration.settings.tool_timeout
        job = Job(time_limit_s=limit_s)
        bench = replace(self._workbench.bench, job=job)
        write = partial(resource.write, variables, contents.body(), bench, params.expected_sha256)
        task = Task("resources/write", Lane.SHORT, job, is_ordered=True, time_limit_s=limit_s)
        owner = self._workbench.catalogue.owner_of(resource)
        try:
            with resource_errors(owner, ctx.protocol_version):
                await self._scheduler.run(peer_of(ctx), task, write)
        except asyncio.CancelledError:
            job.cancel()
            raise
        return {}

    def _writable(self) -> list[str]:
        resources = self._workbench.catalogue.resources
        return [resource.uri for resource in resources if resource.write is not None]

    def _list(self, cursor: str | None) -> ListResourcesResult:
        after = "" if cursor is None else str(decode_cursor("resources", cursor))
        found = list(islice(self._after(after), _PAGE + 1))
        more = encode_cursor("resources", found[_PAGE - 1][0]) if len(found) > _PAGE else None
        listed = [_listed(entry) for _, entry in found[:_PAGE]]
        return ListResourcesResult(resources=listed, next_cursor=more)

    def _after(self, position: str) -> Iterator[tuple[str, ResourceEntry]]:
        """Yield the entries after a position: the rank of a resource, `|` and a URI."""
        rank_reached, _, uri_reached = position.partition("|")
        resources = self._workbench.catalogue.resources
        in_order = sorted(resources, key=lambda it: it.list_order)
        for rank, resource in enumerate(in_order):
            label = f"{rank:04}"
            if label < rank_reached:
                continue
            after = uri_reached if label == rank_reached else ""
            if resource.entries is not None:
                for entry in resource.entries(self._workbench.bench, after):
                    yield f"{label}|{entry.uri}", entry
            elif not resource.is_template and resource.uri > after:
                yield (
                    f"{label}|{resource.uri}",
                    ResourceEntry(
                        uri=resource.uri,
                        name=resource.name,
                        mime_type=resource.mime_type,
                        title=resource.title,
                        description=resource.description,
                    ),
                )


def _short(method: str) -> Task:
    return Task(method, Lane.SHORT, Job())


def _listed_bytes(listed: ListResourcesResult) -> int:
    return len(listed.resources) * _ENTRY_BYTES


def _contents_bytes(contents: ResourceContents) -> int:
    return len(contents.body)


def _listed(entry: ResourceEntry) -> Resource:
    return Resource(
        uri=entry.uri,
        name=entry.name,
        title=entry.title or None,
        description=entry.description or None,
        mime_type=entry.mime_type,
        size=entry.size_bytes,
    )
