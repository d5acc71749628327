"""How an error looks on the wire.

What a toolset's protocol gives a number is a JSON-RPC error for clients of 2024-11-05 and for lines
without a handshake; newer clients get an `isError` result, because models only see results. Dotted
methods are of the performance protocol: a string code, the correlation id, details.
"""

from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchpin.core import (
    BenchpinError,
    InternalError,
    InvalidParams,
    PromptNotFound,
    ResourceNotFound,
    Toolset,
    UnknownTool,
)

from .encoding import to_json
from .jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Fault,
    Json,
    Request,
    is_dotted,
    refusal,
)
from .request_log import ERROR_META, correlate

NUMBERED_ERRORS_VERSION = "2024-11-05"
STRING_CODE = "benchpin/string_code"
_SHOWN_CHARS = 80
_TOOL_FAILED = -32000
_RESOURCE_NOT_FOUND = -32002
_STANDARD: dict[type[BenchpinError], int] = {
    InvalidParams: INVALID_PARAMS,
    UnknownTool: INVALID_PARAMS,
    PromptNotFound: INVALID_PARAMS,
    ResourceNotFound: _RESOURCE_NOT_FOUND,
}


def code_of(error: BenchpinError, toolset: Toolset | None = None) -> int | None:
    """Return the number of an error: the toolset's own, else JSON-RPC's, else none."""
    if toolset is not None and error.kind in toolset.codes:
        return toolset.codes[error.kind]
    return next((code for kind, code in _STANDARD.items() if isinstance(error, kind)), None)


def details_of(error: BenchpinError) -> Json:
    """Return what every error carries in `data`."""
    return {"kind": error.kind, "suggestion": error.suggestion, **error.data}


def protocol_error(
    error: BenchpinError, toolset: Toolset | None = None, protocol_version: str = ""
) -> MCPError:
    """Return the error as JSON-RPC has it."""
    fallback = INTERNAL_ERROR if isinstance(error, InternalError) else _TOOL_FAILED
    code = code_of(error, toolset)
    if code == _RESOURCE_NOT_FOUND and protocol_version in MODERN_PROTOCOL_VERSIONS:
        code = INVALID_PARAMS  # the stateless era retired -32002
    return MCPError(fallback if code is None else code, error.message, details_of(error))


def tool_failure(error: BenchpinError, toolset: Toolset, protocol_version: str) -> Json:
    """Return the failed result of a `tools/call`.

    Raises:
        MCPError: instead, where the client expects a number.
    """
    code = code_of(error, toolset)
    if code is not None and protocol_version == NUMBERED_ERRORS_VERSION:
        raise protocol_error(error, toolset)
    details = {"code": code, "kind": error.kind, "suggestion": error.suggestion, "data": error.data}
    facts = [f"kind: {error.kind}"]
    if code is not None:
        facts.append(f"code: {code}")
    # The problems stand in the message already.
    data = {key: value for key, value in error.data.items() if key != "problems"}
    if data:
        facts.append(f"data: {to_json(data, fallback=str).decode()}")
    lines = (f"Error: {error.message}", error.suggestion, f"({'; '.join(facts)})")
    return {
        "content": [{"type": "text", "text": "\n".join(lines)}],
        "isError": True,
        "_meta": {ERROR_META: details},
    }


def dotted_error(error: BenchpinError) -> MCPError:
    """Return an error of a dotted method; the edge writes its string code into the envelope."""
    code = "INTERNAL_ERROR"
    if isinstance(error, UnknownTool):
        code = "METHOD_NOT_FOUND"
    elif not isinstance(error, InternalError):
        code = "VALIDATION_ERROR"
    failure = protocol_error(error)
    return MCPError(failure.code, failure.message, {STRING_CODE: code, **details_of(error)})


def fault_envelope(fault: Fault) -> Json:
    """Refuse a message that was never served."""
    if is_dotted(fault.method):
        request = Request(fault.id, fault.method, None)
        return _dotted_envelope(request, "INVALID_REQUEST", fault.message, fault.details())
    return refusal(fault.id, fault.code, fault.message, fault.details())


def error_envelope(request: Request, error: MCPError) -> Json:
    """Answer with an error that a handler or the SDK raised."""
    if not is_dotted(request.method):
        return refusal(request.id, error.code, error.message, error.data)
    if error.code == METHOD_NOT_FOUND:
        message = f'Tool "{request.method}" is not registered.'
        return _dotted_envelope(request, "METHOD_NOT_FOUND", message, {"tool": request.method})
    data = error.data if isinstance(error.data, dict) else {}
    details = {key: value for key, value in data.items() if key != STRING_CODE}
    code = str(data.get(STRING_CODE, "INVALID_REQUEST"))
    return _dotted_envelope(request, code, error.message, details)


def invalid_params(error: ValidationError) -> MCPError:
    """Name everything that is wrong with the params of a standard method."""
    problems = "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}{_found(problem)}"
        for problem in error.errors(include_url=False)
    )
    message = f"Invalid params: {problems}"
    hint = "Correct the params; docs/protocol.md and the MCP specification say what they are."
    return MCPError(INVALID_PARAMS, message, {"kind": "invalid_params", "suggestion": hint})


def _found(problem: ErrorDetails) -> str:
    """Name a value that does not fit, if it is a plain one."""
    value = problem["input"]
    if problem["type"] == "missing" or not isinstance(value, str | int | float | None):
        return ""
    return f", not {repr(value)[:_SHOWN_CHARS]}"


def invalid_request(request: Request, problem: str, suggestion: str) -> Fault:
    """Say why a request cannot be taken now."""
    message = f"Invalid request: {problem}"
    return Fault(
        request.id, INVALID_REQUEST, message, "invalid_request", suggestion, method=request.method
    )


def shutting_down(request: Request) -> Fault:
    """Say that the time for finishing is over."""
    message = "The server shut down before this request was done"
    hint = "Start it again and repeat the request; limits.shutdown_s sets how long it waits."
    return Fault(request.id, INTERNAL_ERROR, message, "shutting_down", hint, method=request.method)


def internal_error(request: Request) -> Fault:
    """Admit a defect of ours."""
    reference = f"the log line of correlation_id {correlate(request.method, request.params)}"
    error = InternalError(reference)
    return Fault(
        request.id,
        INTERNAL_ERROR,
        error.message,
        error.kind,
        error.suggestion,
        error.data,
        method=request.method,
    )


def _dotted_envelope(request: Request, code: str, message: str, details: Json) -> Json:
    error = {
        "code": code,
        "message": message,
        "correlation_id": correlate(request.method, request.params),
        "details": details,
    }
    return {"jsonrpc": "2.0", "id": request.id, "error": error}
