"""Errors in the envelope that a method's protocol has.

Dotted methods are of the performance protocol: a string code, the correlation id, details.
"""

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from benchpin.core import InternalError

from .failures import STRING_CODE
from .messages import (
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
from .observing import correlate


def fault_envelope(fault: Fault) -> Json:
    """Refuse a message that was never served."""
    if is_dotted(fault.method):
        request = Request(fault.id, fault.method, None)
        return _dotted(request, "INVALID_REQUEST", fault.message, fault.details())
    return refusal(fault.id, fault.code, fault.message, fault.details())


def error_envelope(request: Request, error: MCPError) -> Json:
    """Answer with an error that a handler or the SDK raised."""
    if not is_dotted(request.method):
        return refusal(request.id, error.code, error.message, error.data)
    if error.code == METHOD_NOT_FOUND:
        message = f'Tool "{request.method}" is not registered.'
        return _dotted(request, "METHOD_NOT_FOUND", message, {"tool": request.method})
    data = error.data if isinstance(error.data, dict) else {}
    details = {key: value for key, value in data.items() if key != STRING_CODE}
    return _dotted(request, str(data.get(STRING_CODE, "INVALID_REQUEST")), error.message, details)


def invalid_params(request: Request, error: ValidationError) -> Fault:
    """Name everything that is wrong with the params of a standard method."""
    problems = "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    )
    return Fault(
        request.id,
        INVALID_PARAMS,
        f"Invalid params: {problems}",
        "invalid_params",
        "Correct the params.",
        method=request.method,
    )


def invalid_request(request: Request, problem: str) -> Fault:
    """Say why a request cannot be taken now."""
    message = f"Invalid request: {problem}"
    return Fault(request.id, INVALID_REQUEST, message, "invalid_request", method=request.method)


def shutting_down(request: Request) -> Fault:
    """Say that the time for finishing is over."""
    message = "The server shut down before this request was done"
    return Fault(request.id, INTERNAL_ERROR, message, "shutting_down", method=request.method)


def internal_error(request: Request) -> Fault:
    """Admit a defect of ours."""
    correlation = correlate(request.method, request.params)
    error = InternalError(f"the log line of correlation_id {correlation}")
    return Fault(
        request.id,
        INTERNAL_ERROR,
        error.message,
        error.kind,
        error.suggestion,
        error.data,
        method=request.method,
    )


def _dotted(request: Request, code: str, message: str, details: Json) -> Json:
    error = {
        "code": code,
        "message": message,
        "correlation_id": correlate(request.method, request.params),
        "details": details,
    }
    return {"jsonrpc": "2.0", "id": request.id, "error": error}
