"""One log line per request, with a correlation id; and numbers about all of them, for Prometheus.

They are written by hand, because the client library of Prometheus keeps its numbers in modules and
starts threads; the text format has four kinds of lines.
"""

import asyncio
import logging
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
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
    """Middleware that logs and counts the requests of a server."""

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

    async def __call__(self, ctx: C, call_next: Callable[[C], Awaitable[R]]) -> R:
        """Log and count a request: the tool or method, the duration and the error code."""
        if ctx.request_id is None and not is_dotted(ctx.method):
            return await call_next(ctx)
        started = time.perf_counter()
        self._in_flight += 1
        current = correlate(ctx.method, ctx.params)
        correlation_id.set(current)
        error_code: object = _BUG
        how_made: Iterable[str] = ()
        try:
            result = await call_next(ctx)
            error_code = None
            if isinstance(result, dict):
                meta = result.get("_meta") or {}
                how_made = meta.get(ASSURANCE, {}).get("measures", {}).values()
                if result.get("isError"):
                    details = meta.get(ERROR_META, {})
                    error_code = details.get("code") or details.get("kind", "tool_error")
        except asyncio.CancelledError:
            error_code = "aborted"
            raise
        except (MCPError, ValidationError) as error:
            error_code = _code_of(error, ctx)
            raise
        finally:
            if error_code is _BUG:
                error_code = _code_of(None, ctx)
            name, snapshot_id = _asked_for(ctx.method, ctx.params or {})
            seconds = time.perf_counter() - started
            self._in_flight -= 1
            self.count(name, seconds, error_code, how_made)
            fields = {
                "tool_name": name,
                "correlation_id": current[:_MAX_CHARS],
                "snapshot_id": snapshot_id,
                "duration_ms": round(seconds * 1000, 3),
                "error_code": error_code,
                **peer_of(ctx).named,
            }
            level = logging.INFO if error_code is None else logging.WARNING
            # Logged after the answer is sent, so that the client does not wait for it.
            asyncio.get_running_loop().call_soon(log_fields, logger, level, fields)
        return result

    def count(
        self, name: object, seconds: float, error_code: object, how_made: Iterable[str] = ()
    ) -> None:
        """Count a request that is answered; the error code is None where all went well.

        `how_made` is how its measures came about: recalled, updated or computed.
        """
        self._measures.update(how_made)
        # A label that is counted already is known: most requests are for few tools.
        is_known = isinstance(name, str) and (name in self._seconds or self._is_known(name))
        label = name if isinstance(name, str) and is_known else OTHER
        self._outcomes[label, _FINE if error_code is None else str(error_code)] += 1
        self._buckets[label][bisect_left(_BOUNDS_S, seconds)] += 1
        self._seconds[label] += seconds  # type: ignore[assignment]  # a sum, not a count

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


def _code_of(error: MCPError | ValidationError | None, ctx: Context | Exchange) -> object:
    """Return the code that the client gets for what was raised; None for anything else."""
    request = Request(ctx.request_id, ctx.method, dict(ctx.params or {}))
    if isinstance(error, ValidationError):
        return _answered(error_envelope(request, invalid_params(error)))
    if isinstance(error, MCPError):
        return _answered(error_envelope(request, error))
    return _answered(fault_envelope(internal_error(request)))


def _asked_for(method: str, params: Mapping[str, Any]) -> tuple[object, object]:
    """Return the tool that is run, also through `call_tool`, and the snapshot that it is about."""
    name: object = method
    arguments: object = params
    if method == "tools/call":
        name, arguments = params.get("name"), params.get("arguments")
    known = arguments if isinstance(arguments, Mapping) else {}
    for source in (params, known):
        snapshot_id = source.get("normalized_snapshot_id") or source.get("snapshot_id")
        if snapshot_id is not None:
            break
    return known.get("name") if name == CALL_TOOL and known is arguments else name, snapshot_id
