"""Plan a probe, and check everything before a request is sent."""

import base64
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn
from urllib.parse import quote, unquote, urlsplit

from benchpin.core import InvalidParams, Item
from benchpin.engines.profiles.redaction import redact_headers, redact_url

SAMPLES = (1, 20)
CONCURRENCY = (1, 4)
TIMEOUT_MS = (200, 15_000)
WARMUPS = (0, 5)
MOST_PATHS = 100
LONGEST_PATH = 2048
_PORTS = {"http": 80, "https": 443}
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HOST = re.compile(r"[0-9A-Za-z_][0-9A-Za-z._\-]*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_FRAMING = frozenset(
    ("connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding")
)
"""They decide where a request goes and where it ends; callers may not change that."""


class RedactionRules(Item):
    """What is taken out of URLs before they are written."""

    strip_query_params: bool = True
    """Drop the values of query parameters; their names stay."""
    redact_url_userinfo: bool = True

    def url(self, url: str) -> str:
        """Return a redacted URL."""
        return redact_url(
            url,
            strip_query=self.strip_query_params,
            strip_userinfo=self.redact_url_userinfo,
        )


@dataclass(frozen=True, slots=True)
class Target:
    """The host that is probed."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    prefix: str
    """The path of the base URL, which every path begins with."""
    authorization: str | None = None

    @property
    def authority(self) -> str:
        """Host, and the port unless it is the default one of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Which requests to send, how often and how."""

    target: Target
    base_url: str
    """As the caller gave it; redacted before it is written."""
    paths: tuple[str, ...]
    headers: Mapping[str, str]
    sample_count: int
    concurrency: int
    timeout_ms: int
    warmup_count: int
    rules: RedactionRules
    notes: tuple[str, ...] = ()

    @property
    def shown_headers(self) -> dict[str, str]:
        """The headers that are sent, redacted."""
        return redact_headers(self.headers)


def plan_probe(
    base_url: str,
    url_paths: Sequence[str],
    *,
    headers: Mapping[str, str] | None = None,
    headers_allowlist: Collection[str] = (),
    sample_count: int = 3,
    concurrency: int = 1,
    timeout_ms: int = 3000,
    warmup_count: int = 0,
    rules: RedactionRules | None = None,
) -> ProbePlan:
    """Check the arguments; numbers out of range are clamped, and the notes say so."""
    if not 1 <= len(url_paths) <= MOST_PATHS:
        _refuse(f"url_paths has {len(url_paths)} paths", f'Give 1 to {MOST_PATHS}, such as ["/"].')
    target = target_of(base_url)
    notes: list[str] = []
    return ProbePlan(
        target=target,
        base_url=base_url,
        paths=tuple(target.prefix + checked_path(it) for it in url_paths),
        headers=_sendable(headers or {}, headers_allowlist, notes),
        sample_count=_clamped("sample_count", sample_count, SAMPLES, notes),
        concurrency=_clamped("concurrency", concurrency, CONCURRENCY, notes),
        timeout_ms=_clamped("timeout_ms", timeout_ms, TIMEOUT_MS, notes),
        warmup_count=_clamped("warmup_count", warmup_count, WARMUPS, notes),
        rules=rules or RedactionRules(),
        notes=tuple(notes),
    )


def target_of(base_url: str) -> Target:
    """Return the host of a base URL."""
    shown = redact_url(base_url)
    hint = "Give a URL such as https://staging.example.org or http://127.0.0.1:8080/app."
    if not base_url.isprintable() or " " in base_url or "\\" in base_url:
        _refuse("base_url contains blanks, backslashes or control characters", hint)
    try:
        parts = urlsplit(base_url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except ValueError as error:  # UnicodeError is one
        raise InvalidParams(f"base_url {shown!r} is no URL", suggestion=hint) from error
    if parts.scheme not in {"http", "https"}:
        _refuse(f"base_url {shown!r} is no http or https URL", hint)
    if not _HOST.fullmatch(host) or port == 0:
        _refuse(f"base_url {shown!r} has no valid host", hint)
    if parts.query or parts.fragment:
        _refuse(f"base_url {shown!r} has a query or a fragment", "Put queries into url_paths.")
    scheme: Literal["http", "https"] = "https" if parts.scheme == "https" else "http"
    prefix = parts.path.rstrip("/")
    return Target(
        scheme=scheme,
        host=host,
        port=port or _PORTS[scheme],
        prefix=checked_path(prefix) if prefix else "",
        authorization=_basic(parts.username, parts.password),
    )


def checked_path(path: str) -> str:
    """Return a path with non-ASCII characters percent-encoded, if it cannot leave the host."""
    shown = redact_url(path[:100])
    hint = "Give a path that begins with one slash, such as /health or /search?q=lorem."
    if len(path) > LONGEST_PATH:
        _refuse(f"A path has {len(path)} characters", f"Use at most {LONGEST_PATH}.")
    if not path.startswith("/") or path.startswith(("//", "/\\")):
        _refuse(f"{shown!r} is no path on the host of base_url", hint)
    if not path.isprintable() or " " in path or "\\" in path or "#" in path:
        _refuse(
            f"{shown!r} contains blanks, backslashes, control characters or a fragment",
            "Percent-encode them.",
        )
    if {".", ".."} & set(unquote(path.partition("?")[0]).replace("\\", "/").split("/")):
        _refuse(f"{shown!r} contains a segment . or ..", "Give the resolved path.")
    return quote(path, safe="!$%&'()*+,/:;=?@[]~-._")


def _sendable(
    headers: Mapping[str, str], allowed: Collection[str], notes: list[str]
) -> dict[str, str]:
    permitted = {it.lower() for it in allowed} - _FRAMING
    chosen: dict[str, str] = {}
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not _FIELD.fullmatch(value):
            _refuse(
                f"The header {name[:40]!r} contains invalid characters",
                "Use a plain name and a value on one line, without control characters.",
            )
        if name.lower() in permitted:
            chosen[name] = value
        else:
            why = (
                "callers may not set it" if name.lower() in _FRAMING else "not in headers_allowlist"
            )
            notes.append(f"header {name} was not sent: {why}")
    return chosen


def _clamped(name: str, value: int, bounds: tuple[int, int], notes: list[str]) -> int:
    low, high = bounds
    clamped = min(max(value, low), high)
    if clamped != value:
        notes.append(f"{name} {value} was clamped to {clamped}")
    return clamped


def _basic(user: str | None, password: str | None) -> str | None:
    if user is None:
        return None
    pair = f"{unquote(user)}:{unquote(password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")


def _refuse(message: str, suggestion: str) -> NoReturn:
    raise InvalidParams(message, suggestion=suggestion)
