"""Requests from a tool to the client: sampling, elicitation and roots."""

from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    ListRootsRequest,
    ListRootsResult,
    ServerRequest,
)
from pydantic import BaseModel

from benchpin.core.errors import ClientRefused, InvalidParams

from ._sdk_adapter import CallContext

_REQUESTS: dict[str, tuple[type[ServerRequest], type[BaseModel]]] = {
    "sampling/createMessage": (CreateMessageRequest, CreateMessageResult),
    "elicitation/create": (ElicitRequest, ElicitResult),
    "roots/list": (ListRootsRequest, ListRootsResult),
}


class RequestClient:
    """The client that sent a request, as its tool sees it."""

    def __init__(self, ctx: CallContext) -> None:
        self._ctx = ctx

    async def request(self, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
        """Send a request to the client and return its answer.

        Raises:
            InvalidParams: when MCP has no such request.
            ClientRefused: when the client refuses, or this connection cannot carry the request.
        """
        if method not in _REQUESTS:
            known = ", ".join(_REQUESTS)
            raise InvalidParams(f"Clients do not answer {method!r}", suggestion=f"Use {known}.")
        request_type, result_type = _REQUESTS[method]
        request = request_type.model_validate({"method": method, "params": dict(params)})
        metadata = ServerMessageMetadata(related_request_id=self._ctx.request_id)
        try:
            answer = await self._ctx.session.send_request(request, result_type, metadata=metadata)
        except MCPError as error:
            raise ClientRefused(
                f"The client did not answer {method}: {error.message}",
                suggestion="Use a client that supports it, on a connection with a handshake.",
                data={"method": method},
            ) from error
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def release_stream(self) -> None:
        """Close the HTTP stream of this request; the client reconnects for the answer."""
        if self._ctx.close_sse_stream is not None:
            await self._ctx.close_sse_stream()
