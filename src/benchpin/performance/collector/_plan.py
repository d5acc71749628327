"""Plan a probe, and check everything before a request is sent."""

import base64
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, NoReturn
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field

from benchpin.core.errors import InvalidParams
from benchpin.core.results import Item
from benchpin.core.tools import Rare
from benchpin.performance.reading import redact_url

_BOUNDS = {
    "sample_count": (1, 20),
    "concurrency": (1, 4),
    "timeout_ms": (200, 15_000),
    "warmup_count": (0, 5),
}
MAX_PATH_CHARS = 2048
_PORTS = {"http": 80, "https": 443}
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HOST = re.compile(r"[0-9A-Za-z_][0-9A-Za-z._\-]*|(?=[^:]*+:)[0-9A-Fa-f:.]++")
# They decide where a request goes and where it ends; callers may not change that.
_FRAMING = frozenset(
    ("connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding")
)


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


class ProbeRequest(Item):
    """Which requests to send, how often and how."""

    base_url: Annotated[str, Field(min_length=1, max_length=2000)]
    """Such as https://staging.example.org; no other host gets a request."""
    url_paths: Annotated[tuple[str, ...], Field(min_length=1, max_length=100)]
    """Paths to GET, such as ["/", "/search?q=x"]."""
    headers: Rare[dict[str, str]] = Field(default_factory=dict)
    """Headers to send, if headers_allowlist has their names."""
    headers_allowlist: Rare[Annotated[tuple[str, ...], Field(max_length=50)]] = ()
    """Names of headers that may be sent."""
    sample_count: Rare[int] = 3
    """Requests to each path, 1 to 20; other values are clamped, with a notice."""
    concurrency: Rare[int] = 1
    """Concurrent requests, 1 to 4."""
    timeout_ms: Rare[int] = 3000
    """Time limit of each request, 200 to 15000."""
    warmup_count: Rare[int] = 0
    """Unrecorded requests to each path before the others, 0 to 5."""
    redaction_rules: Rare[RedactionRules] = Field(default_factory=RedactionRules)


class ProbePlan(ProbeRequest):
    """A request that was checked: numbers are in range, and headers are allowed."""

    target: Target
    paths: tuple[str, ...]
    """As they are sent, with the path of the base URL."""
    notes: tuple[str, ...]
    """What was clamped or refused."""
    allows_private: bool = False
    """Whether requests may go to private addresses."""


def plan_probe(wanted: ProbeRequest, *, allows_private: bool = False) -> ProbePlan:
    """Check a request; numbers out of range are clamped, and the notes say so."""
    target = target_of(wanted.base_url)
    notes: list[str] = []
    checked: dict[str, object] = {
        "paths": [target.prefix + checked_path(it) for it in wanted.url_paths],
        "headers": _sendable(wanted.headers, wanted.headers_allowlist, notes),
    }
    for name, (low, high) in _BOUNDS.items():
        given = getattr(wanted, name)
        checked[name] = min(max(given, low), high)
        if checked[name] != given:
            notes.append(f"{name} {given} was clamped to {checked[name]}")
    fields = {name: getattr(wanted, name) for name in ProbeRequest.model_fields}
    return ProbePlan.model_validate(
        {
            **fields,
            **checked,
            "target": target,
            "notes": notes,
            "allows_private": allows_private,
        }
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
    if len(path) > MAX_PATH_CHARS:
        _refuse(f"A path has {len(path)} characters", f"Use at most {MAX_PATH_CHARS}.")
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


def _basic(user: str | None, password: str | None) -> str | None:
    if user is None:
        return None
    pair = f"{unquote(user)}:{unquote(password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")


def _refuse(message: str, suggestion: str) -> NoReturn:
    raise InvalidParams(message, suggestion=suggestion)
