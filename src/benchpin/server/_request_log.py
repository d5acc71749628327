"""One log line per request, with a correlation id; and numbers about all of them, for Prometheus.

They are written by hand, because the client library of Prometheus keeps its numbers in modules and
starts threads; the text format has four kinds of lines.
"""

import asyncio
import logging
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from benchpin._version import __version__
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
from ._unsent import Unsent
from .jsonrpc import Fault, Json, Request, is_dotted

_BOUNDS_S = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60)
# Replaces names of unknown tools: clients choose them, and every label is kept.
OTHER = "other"
_FINE = "ok"
logger = logging.getLogger("benchpin.requests")
C = TypeVar("C", Context, Exchange)
R = TypeVar("R")
_BUG = object()
# The limit of an id of the client in the log.
_MAX_CHARS = 200


class Traffic:
    """Counts the requests of a server."""

    def __init__(
        self, is_known: Callable[[str], bool], waiting: Callable[[], int], unsent: Unsent
    ) -> None:
        """Take what says whether a name is one of ours, and how many calls wait for a thread."""
        self._is_known = is_known
        self._waiting = waiting
        self._unsent = unsent
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS_S) + 1))
        self._seconds: Counter[str] = Counter()
        self._measures: Counter[str] = Counter()
        self._in_flight = 0

    def begin(self) -> None:
        """Count a request that has come."""
        self._in_flight += 1

    def end(self, name: object, seconds: float, error_code: object) -> None:
        """Count a request that is answered; the error code is None where all went well."""
        self._in_flight -= 1
        label = name if isinstance(name, str) and self._is_known(name) else OTHER
        self._outcomes[label, _FINE if error_code is None else str(error_code)] += 1
        self._buckets[label][bisect_left(_BOUNDS_S, seconds)] += 1
        self._seconds[label] += seconds  # type: ignore[assignment]  # a sum, not a count

    def note_measures(self, measures: Mapping[str, object]) -> None:
        """Count how the measures of a result came about: recalled, updated or computed."""
        self._measures.update(str(how) for how in measures.values())

    def text(self) -> str:
        """Return everything in the format of Prometheus."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _heading("benchpin_info", "gauge", "The version that runs.")
        yield f'benchpin_info{{version="{__version__}"}} 1'
        yield from _heading("benchpin_requests_in_flight", "gauge", "Requests without an answer.")
        yield f"benchpin_requests_in_flight {self._in_flight}"
        yield from _heading("benchpin_calls_waiting", "gauge", "Calls that wait for a thread.")
        yield f"benchpin_calls_waiting {self._waiting()}"
        yield from _heading("benchpin_unsent_bytes", "gauge", "Answers that clients have not read.")
        yield f"benchpin_unsent_bytes {self._unsent.total_bytes}"
        yield from _heading("benchpin_unsent_peak_bytes", "gauge", "The most since the start.")
        yield f"benchpin_unsent_peak_bytes {self._unsent.peak_bytes}"
        yield from _heading("benchpin_requests_total", "counter", "Requests that were answered.")
        for (name, outcome), count in sorted(self._outcomes.items()):
            yield f'benchpin_requests_total{{name="{name}",outcome="{outcome}"}} {count}'
        yield from _heading("benchpin_measures_total", "counter", "How measures came about.")
        for how, count in sorted(self._measures.items()):
            yield f'benchpin_measures_total{{how="{how}"}} {count}'
        yield from _heading("benchpin_request_seconds", "histogram", "Time to the answer.")
        for name, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*_BOUNDS_S, "+Inf"), counts, strict=True):
                total += count
                yield f'benchpin_request_seconds_bucket{{name="{name}",le="{bound}"}} {total}'
            yield f'benchpin_request_seconds_sum{{name="{name}"}} {self._seconds[name]:.6f}'
            yield f'benchpin_request_seconds_count{{name="{name}"}} {total}'


def _heading(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


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
