"""What a client asks first, answered before the SDK is imported.

Importing the SDK takes longer than everything else that a first answer needs. So the handshake and
the tool list are answered here, from prepared data. The first message that is anything else, or
that has an unusual shape, goes to the kernel, after those that it must know about.
"""

from typing import cast

from benchpin.app import Workbench
from benchpin.server import LIST_TTL_MS, capabilities, instructions, server_info, tool_definitions
from benchpin.server.jsonrpc import Batch, Json, Message, Notification, Request, encode_answer

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSION = "2026-07-28"
_META = "io.modelcontextprotocol/"
# Messages that are answered here; the kernel takes those of a client that only ever lists.
_MAX_LINES = 20


class Welcome:
    """Answers the first messages of one connection, in either protocol era."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._is_open = False
        self._client = ""
        self.heard: list[Request | Notification] = []
        """What was answered here: the kernel must know about it, and logs it."""

    def answer(self, message: Message | Batch) -> bytes | None:
        """Return the answer, empty for a notification; None if the kernel must serve it."""
        if len(self.heard) >= _MAX_LINES:
            return None
        if self._is_open and message == Notification("notifications/initialized", None):
            self.heard.append(message)
            return b""
        if not isinstance(message, Request) or message.id is None:
            return None
        result = self._result(message)
        if result is None:
            return None
        self.heard.append(message)
        return encode_answer(message.id, result)

    def _result(self, request: Request) -> Json | None:
        if _has_plain_envelope(request):
            return self._stateless(request)
        if request.method == "initialize":
            return self._handshake(request)
        if not self._is_open or request.params is not None:
            return None
        if request.method == "tools/list":
            return {"tools": tool_definitions(self._workbench, self._client)}
        return {} if request.method == "ping" else None

    def _handshake(self, request: Request) -> Json | None:
        params = request.params or {}
        if self.heard or not _is_plain_client(params):
            return None
        self._is_open = True
        self._client = _name_in(params["clientInfo"])
        asked = params["protocolVersion"]
        return {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": capabilities(self._workbench),
            "serverInfo": server_info(),
            "instructions": instructions(self._workbench, self._client),
        }

    def _stateless(self, request: Request) -> Json | None:
        if self._is_open:
            return None
        meta = cast("Json", (request.params or {})["_meta"])
        client = _name_in(meta[f"{_META}clientInfo"])
        if request.method == "server/discover":
            found: Json = {
                "supportedVersions": [STATELESS_VERSION],
                "capabilities": capabilities(self._workbench),
                "instructions": instructions(self._workbench, client),
                "ttlMs": 0,
            }
        elif request.method == "tools/list":
            found = {"tools": tool_definitions(self._workbench, client), "ttlMs": LIST_TTL_MS}
        else:
            return None
        ours = {f"{_META}serverInfo": server_info()}
        return {**found, "cacheScope": "private", "resultType": "complete", "_meta": ours}


def _is_plain_client(params: Json) -> bool:
    """Whether a handshake has the usual shape; the SDK checks all others."""
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _is_info(params["clientInfo"])
        and _is_plain(params["capabilities"])
    )


def _has_plain_envelope(request: Request) -> bool:
    """Whether a request has the usual envelope of the stateless era, and nothing else."""
    params = request.params or {}
    meta = params.get("_meta")
    if params.keys() != {"_meta"} or not isinstance(meta, dict):
        return False
    given = cast("Json", meta)
    names = {f"{_META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")}
    return (
        given.keys() == names
        and given[f"{_META}protocolVersion"] == STATELESS_VERSION
        and _is_info(given[f"{_META}clientInfo"])
        and _is_plain(given[f"{_META}clientCapabilities"])
    )


def _is_info(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"name", "version", "title"}
        and {"name", "version"} <= value.keys()
        and all(isinstance(it, str) for it in value.values())
    )


def _name_in(info: object) -> str:
    return str(cast("Json", info)["name"])


def _is_plain(capabilities_: object) -> bool:
    """Whether the client's capabilities are objects of flags, as clients send them."""
    return isinstance(capabilities_, dict) and all(
        isinstance(it, dict) and all(flag is True or flag is False for flag in it.values())
        for it in capabilities_.values()
    )
