"""How an error looks on the wire.

What a toolset's protocol gives a number is a JSON-RPC error for clients of 2024-11-05 and for lines
without a handshake; newer clients get an `isError` result, because models only see results.
"""

from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import to_json

from benchpin.core import (
    BenchpinError,
    InternalError,
    InvalidParams,
    PromptNotFound,
    ResourceNotFound,
    Toolset,
    UnknownTool,
)

from .messages import INTERNAL_ERROR, INVALID_PARAMS, Json
from .observing import ERROR_META

NUMBERED_ERRORS_VERSION = "2024-11-05"
STRING_CODE = "benchpin/string_code"
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
    details: Json = {
        "code": code,
        "kind": error.kind,
        "suggestion": error.suggestion,
        "data": error.data,
    }
    facts = [f"kind: {error.kind}"]
    if code is not None:
        facts.append(f"code: {code}")
    if error.data:
        facts.append(f"data: {to_json(error.data, fallback=str).decode()}")
    lines = [f"Error: {error.message}", error.suggestion, f"({'; '.join(facts)})"]
    return {
        "content": [{"type": "text", "text": "\n".join(line for line in lines if line)}],
        "isError": True,
        "resultType": "complete",
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
