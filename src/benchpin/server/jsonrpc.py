"""JSON-RPC 2.0: decode messages, name what is wrong with them, encode answers.

pydantic-core decodes: strict UTF-8, no NaN, no lone surrogates, at most 200 levels of nesting.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic_core import from_json

from benchpin.core.text import visible
from benchpin.server.wire import to_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RATE_LIMITED = -32003

# The limit of one batch: each may be answered with an error far longer than itself.
MAX_MESSAGES = 10_000

_LAST_ID = re.compile(rb'[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*\}\s*$')
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole pair
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_SHAPE = 'Send {"jsonrpc": "2.0", "id": 1, "method": "…", "params": {…}}.'
_JSON_NAMES = {str: "a string", int: "a number", float: "a number", bool: "true or false"} | {
    list: "an array",
    type(None): "null",
}

RequestId = int | str | None
Json = dict[str, object]

# Where a result holds fields that are already encoded: one JSON object, as chunks of bytes.
ENCODED = "benchpin/encoded"


@dataclass(frozen=True, slots=True)
class Request:
    """A message that expects an answer."""

    id: RequestId
    method: str
    params: Json | None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message without an answer."""

    method: str
    params: Json | None


@dataclass(frozen=True, slots=True)
class Response:
    """The client's answer to our request."""

    id: RequestId
    result: Json | None
    error: Json | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A message that cannot be served, and why."""

    id: RequestId
    code: int
    message: str
    kind: str
    suggestion: str
    data: Mapping[str, object] | None = None
    method: str = ""
    params: Json | None = None
    """What was asked for, as far as that is known; dotted methods have errors of their own."""

    def about(self, request: "Request | Fault") -> "Fault":
        """Return the fault of a request whose method and params are known."""
        return replace(self, method=request.method, params=request.params)

    def details(self) -> Json:
        """Return the `data` of the error."""
        return {"kind": self.kind, "suggestion": self.suggestion, **(self.data or {})}


Message = Request | Notification | Response | Fault


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that arrived, and are answered, as one array."""

    messages: tuple[Message, ...]


def is_dotted(method: str) -> bool:
    """Whether a method has a dotted name: those use the error format of the performance tools."""
    return "." in method and "/" not in method


def request_within(head: bytes, tail: bytes) -> Request:
    """Return what the two ends of a request contain: the id, the method, some params."""
    try:
        beginning = from_json(head, allow_partial=True)
    except ValueError:
        beginning = None
    known: Json = beginning if isinstance(beginning, dict) else {}
    found, method = known.get("id"), known.get("method")
    if found is None and (last := _LAST_ID.search(tail)) is not None:
        found = from_json(last[1])
    return Request(
        cast("RequestId", found) if _is_id(found) else None,
        method if isinstance(method, str) else "",
        _object(known.get("params")),
    )


def decode(raw: bytes | str) -> Message | Batch:
    """Decode one line or frame."""
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        return _decode_lone_surrogates(raw) or Fault(
            None,
            PARSE_ERROR,
            f"Parse error: {error}",
            "parse_error",
            "Send one complete JSON value per line, in UTF-8 without a byte order mark.",
        )
    if not isinstance(value, list):
        return _classify(value)
    if not value:
        return _invalid(None, "an empty batch", "Put at least one request into the array.")
    if len(value) > MAX_MESSAGES:
        problem = f"a batch of {len(value):,} messages; the limit is {MAX_MESSAGES:,}"
        return _invalid(None, problem, "Send them in several batches.")
    return Batch(tuple(_classify(item) for item in value))


def _decode_lone_surrogates(raw: bytes | str) -> Message | Batch | None:
    r"""Decode a message with half a surrogate pair; None if that is not what is wrong with it.

    JavaScript writes a string that was cut inside a character as `"\ud83d"`. A request is refused
    under its id rather than served with another text than was sent. Other messages only inform us
    (a cancellation, an answer), so U+FFFD replaces the half.
    """
    found: list[str] = []

    def replace(escape: re.Match[bytes]) -> bytes:
        if escape["lone"] is None:
            return escape[0]
        found.append(escape[0].decode())
        return b"\\ufffd"

    repaired = _ESCAPE.sub(replace, raw if isinstance(raw, bytes) else raw.encode())
    if not found:
        return None
    message = decode(repaired)
    if isinstance(message, Batch):
        return Batch(tuple(_refuse_half(it, found[0]) for it in message.messages))
    return _refuse_half(message, found[0])


def _refuse_half(message: Message, escape: str) -> Message:
    if not isinstance(message, Request):
        return message
    problem = f"{escape} is half of a surrogate pair, which is no character"
    hint = "Send whole characters; a text that was cut may end inside one."
    return _invalid(message.id, problem, hint).about(message)


def _classify(value: object) -> Message:
    if not isinstance(value, dict):
        return _invalid(None, f"expected an object, found {_JSON_NAMES[type(value)]}", _SHAPE)
    envelope = cast("Json", value)
    request_id = envelope.get("id")
    method, params = envelope.get("method"), envelope.get("params")
    # Every request comes through here, so it calls nothing that it need not.
    usable_id = cast("RequestId", request_id) if type(request_id) in {int, str} else None
    named = method if isinstance(method, str) else ""
    asked = Request(usable_id, named, cast("Json", params) if isinstance(params, dict) else None)
    if envelope.get("jsonrpc") != "2.0":
        return _invalid(usable_id, 'jsonrpc must be "2.0"', _SHAPE).about(asked)
    if method is None and ("result" in envelope or "error" in envelope):
        return Response(usable_id, _object(envelope.get("result")), _object(envelope.get("error")))
    if not isinstance(method, str) or not method:
        return _invalid(usable_id, "method must be a non-empty string", _SHAPE)
    if request_id is not None and usable_id is None:
        return _invalid(None, "id must be a string or an integer", _SHAPE).about(asked)
    if params is not None and not isinstance(params, dict):
        hint = "Send the arguments by name, as an object."
        fault = _invalid(usable_id, "params must be an object", hint, INVALID_PARAMS)
        return fault.about(asked)
    if "id" not in envelope and not is_dotted(method):
        return Notification(method, params)
    if usable_id is None and not is_dotted(method):
        return _invalid(None, "id must not be null", _SHAPE)
    return asked


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _object(value: object) -> Json | None:
    return cast("Json", value) if isinstance(value, dict) else None


def _invalid(
    request_id: RequestId, problem: str, suggestion: str, code: int = INVALID_REQUEST
) -> Fault:
    kind = "invalid_params" if code == INVALID_PARAMS else "invalid_request"
    label = "Invalid params" if code == INVALID_PARAMS else "Invalid request"
    return Fault(request_id, code, f"{label}: {problem}", kind, suggestion)


def rate_limited(request_id: RequestId, wait_ms: int) -> Fault:
    """Refuse a request beyond the rate limit."""
    return Fault(
        request_id,
        RATE_LIMITED,
        "Rate limit exceeded",
        "rate_limited",
        f"Try again in {wait_ms} ms; limits.burst and limits.per_second set the rate.",
        {"retry_after_ms": wait_ms},
    )


def encode_answer(request_id: RequestId, result: Json) -> bytes:
    """Encode the answer to a request; the chunks in `ENCODED` are copied unchanged."""
    chunks = cast("Sequence[bytes] | None", result.pop(ENCODED, None))
    if chunks is None:
        return to_json({"jsonrpc": "2.0", "id": request_id, "result": result})
    body = [b'{"jsonrpc":"2.0","id":', to_json(request_id), b',"result":', *chunks]
    if result:
        body[-1:] = [chunks[-1][:-1], b"" if chunks[-1] == b"{}" else b",", to_json(result)[1:]]
    body.append(b"}")
    # Joined in one step: each copy of a big result costs as much as encoding it.
    return b"".join(body)


def encoded_bytes(result: Json) -> int:
    """Return the size of the chunks in `ENCODED`."""
    return sum(map(len, cast("Sequence[bytes]", result.get(ENCODED, ()))))


def parsed(result: Json) -> Json:
    """Return a result with the fields in `ENCODED` decoded."""
    chunks = cast("Sequence[bytes] | None", result.pop(ENCODED, None))
    return result if chunks is None else {**from_json(b"".join(chunks)), **result}


def refusal(request_id: RequestId, code: int, message: str, data: object = None) -> Json:
    """Return the envelope of an error."""
    error: Json = {"code": code, "message": visible(message)}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def encode(envelope: object) -> bytes:
    """Encode one message, without the line end."""
    return to_json(envelope)
