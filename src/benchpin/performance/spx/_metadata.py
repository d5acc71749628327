"""Read the JSON that SPX writes beside a profile, without what may be secret."""

import re
from dataclasses import dataclass

import msgspec

from benchpin.performance.reading import FaultLog, redact_command, redact_url
from benchpin.performance.values import ProfiledRequest

_ABSENT = "n/a"
_US_PER_S = 1_000_000
_NS_PER_US = 1_000
_MAX_TEXT_CHARS = 2_000
_METRIC = re.compile(r"[A-Za-z0-9_]{1,32}")


@dataclass(frozen=True, slots=True)
class SpxMetadata:
    """The request and the metrics of a profile."""

    request: ProfiledRequest
    metrics: tuple[str, ...]


class _Written(msgspec.Struct):
    """SPX's JSON; every field may be missing or null."""

    key: str | None = None
    exec_ts: int | None = None
    process_pid: int | None = None
    cli_command_line: str | None = None
    http_request_uri: str | None = None
    http_method: str | None = None
    http_request_method: str | None = None
    http_host: str | None = None
    wall_time_ms: int | None = None
    peak_memory_usage: int | None = None
    recorded_call_count: int | None = None
    enabled_metrics: list[str] = []


def read_metadata(text: bytes | None, faults: FaultLog) -> SpxMetadata | None:
    """Decode the JSON beside a profile; None, and a fault, where that is not possible."""
    if text is None:
        faults.add("metadata", "missing: metrics are named by their order")
        return None
    try:
        written = msgspec.json.decode(text.decode("utf-8", "replace"), type=_Written)
    except msgspec.DecodeError as error:
        faults.add("metadata", f"not SPX's JSON: {error}")
        return None
    metrics = [
        name if _METRIC.fullmatch(name) else f"metric_{place}"
        for place, name in enumerate(written.enabled_metrics, start=1)
    ]
    return SpxMetadata(_request(written), tuple(metrics))


def _request(written: _Written) -> ProfiledRequest:
    uri = _text(written.http_request_uri)
    command = _text(written.cli_command_line)
    host = _text(written.http_host)
    return ProfiledRequest(
        key=_text(written.key) or "",
        started_at_us=_scaled(written.exec_ts, _US_PER_S),
        method=_text(written.http_method) or _text(written.http_request_method),
        uri=None if uri is None else redact_url(uri),
        host=None if host is None else redact_url(host),
        command=None if command is None else redact_command(command),
        process_id=written.process_pid,
        # The field's name says milliseconds; SPX divides nanoseconds by a thousand.
        wall_time_ns=_scaled(written.wall_time_ms, _NS_PER_US),
        peak_memory_bytes=written.peak_memory_usage,
        recorded_calls=written.recorded_call_count,
    )


def _text(text: str | None) -> str | None:
    return None if text is None or text == _ABSENT else text[:_MAX_TEXT_CHARS]


def _scaled(number: int | None, factor: int) -> int | None:
    return None if number is None else number * factor
