"""Errors as clients see them.

An error for which a toolset declares a number is a JSON-RPC error for clients of 2024-11-05 or
without a handshake. Newer clients get an `isError` result, because models only see results. Dotted
methods, of the performance tools, have a string code, the correlation id and details.

Of the codes from -32000 to -32007, which the protocols of toolsets give a meaning, the server
itself uses -32003 for the rate limit, and -32002 for a missing resource, as MCP does.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchpin.core.errors import (
    BenchpinError,
    FileMissing,
    InternalError,
    InvalidParams,
    PromptNotFound,
    ResourceNotFound,
    ToolDisabled,
    UnknownTool,
)
from benchpin.core.text import visible
from benchpin.core.tools import Toolset
from benchpin.server.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Json,
    Request,
    RequestId,
    is_dotted,
    refusal,
)

from ._encoding import correlate, to_json

NUMBERED_ERRORS_VERSION = "2024-11-05"
ERROR_META = "benchpin/error"
STRING_CODE = "benchpin/string_code"
_SHOWN_CHARS = 80
_RESOURCE_NOT_FOUND = -32002
_INVALID_REQUEST = frozenset({PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS})
_TITLES = {
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    INTERNAL_ERROR: "Internal error",
}
_STANDARD: dict[type[BenchpinError], int] = {
    InvalidParams: INVALID_PARAMS,
    UnknownTool: INVALID_PARAMS,
    PromptNotFound: INVALID_PARAMS,
    ResourceNotFound: _RESOURCE_NOT_FOUND,
}


def code_of(error: BenchpinError, toolset: Toolset | None = None) -> int | None:
    """Return the code of an error: the toolset's, else JSON-RPC's, else None."""
    if toolset is not None and error.kind in toolset.codes:
        return toolset.codes[error.kind]
    return next((code for kind, code in _STANDARD.items() if isinstance(error, kind)), None)


def details_of(error: BenchpinError) -> Json:
    """Return the `data` of an error."""
    return {"kind": error.kind, "suggestion": error.suggestion, **error.data}


def protocol_error(error: BenchpinError, toolset: Toolset | None = None) -> MCPError:
    """Return a JSON-RPC error; the message of a standard code starts with the name of the code."""
    code = code_of(error, toolset)
    if code is None:
        code = _undeclared_code(error)
    title = _TITLES.get(code, "")
    message = error.message if error.message.startswith(title) else f"{title}: {error.message}"
    return MCPError(code, message, details_of(error))


def _undeclared_code(error: BenchpinError) -> int:
    if isinstance(error, ToolDisabled):
        return METHOD_NOT_FOUND
    return INTERNAL_ERROR if error.is_server_fault else INVALID_PARAMS


def resource_error(error: BenchpinError, owner: Toolset | None, protocol_version: str) -> MCPError:
    """Return the error of reading a resource; a missing file is a missing resource."""
    is_missing = isinstance(error, ResourceNotFound | FileMissing)
    if not is_missing or (owner is not None and error.kind in owner.codes):
        return protocol_error(error, owner)
    # The stateless era has no code for it.
    is_modern = protocol_version in MODERN_PROTOCOL_VERSIONS
    code = INVALID_PARAMS if is_modern else _RESOURCE_NOT_FOUND
    return MCPError(code, error.message, details_of(error))


@contextmanager
def resource_errors(owner: Toolset, protocol_version: str) -> Iterator[None]:
    """Report what fails in a resource with the codes of its toolset."""
    try:
        yield
    except BenchpinError as error:
        raise resource_error(error, owner, protocol_version) from error


def tool_failure(error: BenchpinError, toolset: Toolset, protocol_version: str) -> Json:
    """Return the failed result of a `tools/call`.

    Raises:
        MCPError: for a client that expects a code instead.
    """
    code = code_of(error, toolset)
    if code is not None and protocol_version == NUMBERED_ERRORS_VERSION:
        raise protocol_error(error, toolset)
    details = {"code": code, "kind": error.kind, "suggestion": error.suggestion, "data": error.data}
    facts = [f"kind: {error.kind}"]
    if code is not None:
        facts.append(f"code: {code}")
    # The message lists the problems already.
    data = {key: value for key, value in error.data.items() if key != "problems"}
    if data:
        facts.append(f"data: {visible(to_json(data, fallback=str).decode())}")
    lines = (f"Error: {error.message}", error.suggestion, f"({'; '.join(facts)})")
    return {
        "content": [{"type": "text", "text": "\n".join(lines)}],
        "isError": True,
        "_meta": {ERROR_META: details},
    }


def dotted_error(error: BenchpinError) -> MCPError:
    """Return the error of a dotted method; `error_envelope` writes its string code."""
    code = "INTERNAL_ERROR" if error.is_server_fault else "VALIDATION_ERROR"
    number = protocol_error(error).code
    return MCPError(number, error.message, {STRING_CODE: code, **details_of(error)})


def fault_envelope(fault: Fault) -> Json:
    """Return the answer to a message that cannot be served."""
    if is_dotted(fault.method):
        request = Request(fault.id, fault.method, fault.params)
        return _dotted_envelope(request, _string_code(fault.code), fault.message, fault.details())
    return refusal(fault.id, fault.code, fault.message, fault.details())


def error_envelope(request: Request, error: MCPError) -> Json:
    """Return the answer for an error of a handler or of the SDK."""
    if not is_dotted(request.method):
        return refusal(request.id, error.code, error.message, error.data)
    data = error.data if isinstance(error.data, dict) else {}
    if error.code == METHOD_NOT_FOUND and STRING_CODE not in data:
        message = f'Tool "{request.method}" is not registered.'
        return _dotted_envelope(request, "METHOD_NOT_FOUND", message, {"tool": request.method})
    details = {key: value for key, value in data.items() if key != STRING_CODE}
    code = str(data.get(STRING_CODE, _string_code(error.code)))
    return _dotted_envelope(request, code, error.message, details)


def _string_code(code: int) -> str:
    return "INVALID_REQUEST" if code in _INVALID_REQUEST else "INTERNAL_ERROR"


def invalid_params(error: ValidationError) -> MCPError:
    """List what is wrong with the params of a standard method."""
    problems = "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}{_found(problem)}"
        for problem in error.errors(include_url=False)
    )
    message = f"Invalid params: {problems}"
    hint = "Correct the params; see docs/protocol.md and the MCP specification."
    return MCPError(INVALID_PARAMS, message, {"kind": "invalid_params", "suggestion": hint})


def _found(problem: ErrorDetails) -> str:
    """Return the wrong value, if it is a simple one."""
    value = problem["input"]
    if problem["type"] == "missing" or not isinstance(value, str | int | float | None):
        return ""
    return f", not {repr(value)[:_SHOWN_CHARS]}"


def invalid_request(request: Request, problem: str, suggestion: str) -> Fault:
    """Return why a request cannot be accepted now."""
    message = f"Invalid request: {problem}"
    return Fault(request.id, INVALID_REQUEST, message, "invalid_request", suggestion).about(request)


def too_large(request_id: RequestId, limit: int, size: int) -> Fault:
    """Return the error of a message that is too long."""
    return Fault(
        request_id,
        INVALID_REQUEST,
        f"Invalid request: {size:,} bytes; the limit is {limit:,}",
        "request_too_large",
        "Send less at a time, or raise limits.request_bytes.",
        {"limit_bytes": limit, "size_bytes": size, "setting": "limits.request_bytes"},
    )


def shutting_down(request: Request) -> Fault:
    """Return the error of a request that was cancelled by the shutdown."""
    message = "The server shut down before this request was finished"
    hint = "Start it again and repeat the request; limits.shutdown_s sets how long shutdown waits."
    return Fault(request.id, INTERNAL_ERROR, message, "shutting_down", hint).about(request)


def internal_error(request: Request) -> Fault:
    """Return the error for a bug in Benchpin."""
    reference = f"the log line of correlation_id {correlate(request.method, request.params)}"
    error = InternalError(reference)
    fault = Fault(
        request.id, INTERNAL_ERROR, error.message, error.kind, error.suggestion, error.data
    )
    return fault.about(request)


def _dotted_envelope(request: Request, code: str, message: str, details: Json) -> Json:
    error = {
        "code": code,
        "message": visible(message),
        "correlation_id": correlate(request.method, request.params),
        "details": details,
    }
    return {"jsonrpc": "2.0", "id": request.id, "error": error}
