"""Read what SPX notes beside a profile, without what may be secret in it."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from benchpin.engines.profiles.model import Fault, Request

_ABSENT = "n/a"
_US_PER_S = 1_000_000
_NS_PER_US = 1_000
_LONGEST_TEXT = 2_000
_LONGEST_NAME = 64
"""What is longer is no name of a parameter, but a value without one."""
_HIDDEN = "[REDACTED]"
_SECRET = re.compile(
    r"auth|cookie|credential|key|passw|pwd|secret|session|sign|token", re.IGNORECASE
)
_METRIC = re.compile(r"[A-Za-z0-9_]{1,32}")
_OPTION = re.compile(r"--?[A-Za-z]|[A-Za-z_][A-Za-z0-9_.-]*=")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the metadata of a profile tells."""

    request: Request
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


def read_metadata(text: bytes) -> Metadata | Fault:
    """Return what the JSON beside a profile tells, or why it cannot be read."""
    try:
        written = msgspec.json.decode(text.decode("utf-8", "replace"), type=_Written)
    except msgspec.DecodeError as error:
        return Fault(place="metadata", problem=f"not SPX's JSON: {error}")
    metrics = [
        name if _METRIC.fullmatch(name) else f"metric_{place}"
        for place, name in enumerate(written.enabled_metrics, start=1)
    ]
    return Metadata(_request(written), tuple(metrics))


def redact_uri(uri: str) -> str:
    """Return path and names of parameters, without values, userinfo and fragment."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return _HIDDEN
    host = parts.netloc.rpartition("@")[2]
    origin = f"{parts.scheme}://{host}" if parts.scheme and host else host and f"//{host}"
    written = (pair.partition("=")[0] for pair in parts.query.split("&") if pair)
    names = dict.fromkeys(name if len(name) <= _LONGEST_NAME else "?" for name in written)
    path = re.sub(r"(;[^/;=]*)=[^/;]*", r"\1", parts.path)
    return origin + path + ("?" + "&".join(names) if names else "")


def redact_command(command: str) -> str:
    """Return a command line without the values of options that look like secrets."""
    words: list[str] = []
    is_awaited = False
    for word in command.split():
        name, value = _option(word)
        if is_awaited and not name:
            words.append(_HIDDEN)
        elif value is None:
            words.append(_without_secrets(word))
        else:
            shown = _HIDDEN if _SECRET.search(name) else _without_secrets(value)
            words.append(f"{name}={shown}")
        is_awaited = value is None and bool(_SECRET.search(name))
    return " ".join(words)


def _option(word: str) -> tuple[str, str | None]:
    """Take apart `--name=value` and `NAME=value`; without a name it is no option."""
    if not _OPTION.match(word):
        return "", None
    name, has_value, value = word.partition("=")
    return name, value if has_value else None


def _without_secrets(word: str) -> str:
    return redact_uri(word) if "://" in word else word


def _request(written: _Written) -> Request:
    uri = _told(written.http_request_uri)
    command = _told(written.cli_command_line)
    return Request(
        key=_told(written.key) or "",
        started_at_us=_scaled(written.exec_ts, _US_PER_S),
        method=_told(written.http_method) or _told(written.http_request_method),
        uri=None if uri is None else redact_uri(uri),
        host=_told(written.http_host),
        command=None if command is None else redact_command(command),
        process_id=written.process_pid,
        # The field's name says milliseconds; SPX divides nanoseconds by a thousand.
        wall_time_ns=_scaled(written.wall_time_ms, _NS_PER_US),
        peak_memory_bytes=written.peak_memory_usage,
        recorded_calls=written.recorded_call_count,
    )


def _told(text: str | None) -> str | None:
    return None if text is None or text == _ABSENT else text[:_LONGEST_TEXT]


def _scaled(number: int | None, factor: int) -> int | None:
    return None if number is None else number * factor
