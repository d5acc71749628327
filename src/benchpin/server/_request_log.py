"""One log line per request, with a correlation id."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from benchpin.server.wire import (
    ASSURANCE,
    ERROR_META,
    correlate,
    error_envelope,
    fault_envelope,
    internal_error,
    invalid_params,
)
from benchpin.toolsets.server.call_tool import NAME as CALL_TOOL

from ._logs import correlation_id, log_fields
from ._peer import Context, peer_of
from ._sdk_adapter import Exchange
from ._traffic import Traffic
from .jsonrpc import Fault, Json, Request, is_dotted

logger = logging.getLogger("benchpin.requests")

C = TypeVar("C", Context, Exchange)
R = TypeVar("R")

_BUG = object()
# The limit of an id of the client in the log.
_MAX_CHARS = 200


class RequestLog:
    """Middleware that logs and counts requests."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic

    async def __call__(self, ctx: C, call_next: Callable[[C], Awaitable[R]]) -> R:
        """Log the tool or method, the duration and the error code of a request."""
        if ctx.request_id is None and not is_dotted(ctx.method):
            return await call_next(ctx)
        started = time.perf_counter()
        self._traffic.begin()
        current = correlate(ctx.method, ctx.params)
        correlation_id.set(current)
        request = Request(ctx.request_id, ctx.method, dict(ctx.params or {}))
        error_code: object = _BUG
        try:
            result = await call_next(ctx)
            if isinstance(result, dict):
                error_code = _tool_error(result)
                self._traffic.note_measures(_measures(result))
            else:
                error_code = None
        except asyncio.CancelledError:
            error_code = "aborted"
            raise
        except MCPError as error:
            error_code = _answered(error_envelope(request, error))
            raise
        except ValidationError as error:
            error_code = _answered(error_envelope(request, invalid_params(error)))
            raise
        finally:
            if error_code is _BUG:
                error_code = _answered(fault_envelope(internal_error(request)))
            params = ctx.params or {}
            seconds, name = time.perf_counter() - started, _tool_name(ctx.method, params)
            self._traffic.end(name, seconds, error_code)
            fields = {
                "tool_name": name,
                "correlation_id": current[:_MAX_CHARS],
                "snapshot_id": _snapshot_id(params),
                "duration_ms": round(seconds * 1000, 3),
                "error_code": error_code,
                **peer_of(ctx).caller().context(),
            }
            level = logging.INFO if error_code is None else logging.WARNING
            # Logged after the answer is sent, so that the client does not wait for it.
            asyncio.get_running_loop().call_soon(log_fields, logger, level, fields)
        return result


def log_refusal(fault: Fault, envelope: Json) -> None:
    """Log a message that was answered with an error before it became a request."""
    fields = {
        "tool_name": fault.method or None,
        "correlation_id": correlate(fault.method, fault.params or {"id": fault.id})[:_MAX_CHARS],
        "snapshot_id": None,
        "duration_ms": 0.0,
        "error_code": _answered(envelope),
        "reason": fault.kind,
    }
    asyncio.get_running_loop().call_soon(log_fields, logger, logging.WARNING, fields)


def _answered(envelope: Json) -> object:
    """Return the code that the client gets."""
    return cast("Json", envelope["error"])["code"]


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


def _measures(result: Mapping[str, Any]) -> Mapping[str, object]:
    """Return how the measures of a result came about."""
    answer = (result.get("_meta") or {}).get(ASSURANCE, {})
    found: Mapping[str, object] = answer.get("measures", {})
    return found


def _snapshot_id(params: Mapping[str, Any]) -> object:
    arguments = params.get("arguments")
    for source in (params, arguments if isinstance(arguments, Mapping) else {}):
        found = source.get("normalized_snapshot_id") or source.get("snapshot_id")
        if found is not None:
            return found
    return None
