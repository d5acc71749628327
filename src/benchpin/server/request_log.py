"""One log line per request, with a correlation id."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from benchpin.toolsets.server.call_tool import NAME as CALL_TOOL

from .encoding import to_json
from .jsonrpc import INVALID_PARAMS, is_dotted
from .logs import correlation_id, log_fields
from .peer import Context, peer_of

logger = logging.getLogger("benchpin.requests")

ERROR_META = "benchpin/error"
_LENGTH = 32


def correlate(method: str, params: Mapping[str, object] | None) -> str:
    """Return the id that the client chose, or a hash of the request."""
    chosen = (params or {}).get("correlation_id")
    if isinstance(chosen, str) and chosen:
        return chosen
    return hashlib.sha256(to_json([method, params], fallback=str)).hexdigest()[:_LENGTH]


async def observe(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Log the tool or method, the duration and the error code of each request."""
    if ctx.request_id is None and not is_dotted(ctx.method):
        return await call_next(ctx)
    started = time.perf_counter()
    current = correlate(ctx.method, ctx.params)
    correlation_id.set(current)
    error_code: object = "aborted"
    try:
        result = await call_next(ctx)
        error_code = _tool_error(result) if isinstance(result, dict) else None
    except MCPError as error:
        error_code = error.code
        raise
    except ValidationError:
        error_code = INVALID_PARAMS
        raise
    finally:
        params = ctx.params or {}
        fields = {
            "tool_name": _tool_name(ctx.method, params),
            "correlation_id": current,
            "snapshot_id": _snapshot_id(params),
            "duration_ms": round((time.perf_counter() - started) * 1000, 3),
            "error_code": error_code,
            **peer_of(ctx).caller().context(),
        }
        level = logging.INFO if error_code is None else logging.WARNING
        # Logged after the answer is sent, so that the client does not wait for it.
        asyncio.get_running_loop().call_soon(log_fields, logger, level, fields)
    return result


def _tool_name(method: str, params: Mapping[str, Any]) -> object:
    """Return the tool that is run, also through `call_tool`."""
    name = params.get("name") if method == "tools/call" else method
    arguments = params.get("arguments") if method == "tools/call" else params
    if name == CALL_TOOL and isinstance(arguments, Mapping):
        return arguments.get("name")
    return name


def _tool_error(result: Mapping[str, Any]) -> object:
    if not result.get("isError"):
        return None
    details = (result.get("_meta") or {}).get(ERROR_META, {})
    return details.get("code") or details.get("kind", "tool_error")


def _snapshot_id(params: Mapping[str, Any]) -> object:
    arguments = params.get("arguments")
    for source in (params, arguments if isinstance(arguments, Mapping) else {}):
        found = source.get("normalized_snapshot_id") or source.get("snapshot_id")
        if found is not None:
            return found
    return None
