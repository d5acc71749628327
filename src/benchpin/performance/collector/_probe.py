"""Time GET requests to one host; redirects are reported and never followed."""

import base64
import re
import ssl
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, NoReturn
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, InvalidParams
from benchpin.core.results import Item
from benchpin.core.tools import Rare
from benchpin.performance.reading import redact_text, redact_url
from benchpin.performance.values import FIRST_ERROR_STATUS, PublishedValue

from ._exchange import (
    PORTS,
    AddressRefused,
    HostResolver,
    HttpExchange,
    OpenSockets,
    Target,
    exchange,
)

_BOUNDS = {
    "sample_count": (1, 20),
    "concurrency": (1, 4),
    "timeout_ms": (200, 15_000),
    "warmup_count": (0, 5),
}
MAX_PATH_CHARS = 2048
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
        return redact_url(
            url,
            strip_query=self.strip_query_params,
            strip_userinfo=self.redact_url_userinfo,
        )


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
    """Warm-up requests to each path, which are not recorded, 0 to 5."""
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
        port=port or PORTS[scheme],
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


PROBE_METHOD = "GET over a new HTTP/1.1 connection for each sample, monotonic clock"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ProbeError(PublishedValue, frozen=True):
    """Why a sample has no whole response."""

    code: str
    message: str


class RawTimings(PublishedValue, frozen=True):
    """When each phase ended, in milliseconds from the start; null for a phase that was skipped."""

    namelookup_ms: float | None
    connect_ms: float | None
    appconnect_ms: float | None
    pretransfer_ms: float | None
    starttransfer_ms: float | None
    redirect_ms: float | None
    total_ms: float | None


class TimedRequest(PublishedValue, frozen=True):
    """A sample in the format collector-v1, redacted."""

    sample_id: str
    route: str
    url: str
    status: int | None
    started_at: str
    ended_at: str
    ttfb_ms: float | None
    wall_ms: float | None
    raw_timings: RawTimings
    error: ProbeError | None
    redirected_to: str | None
    body_bytes: int


def describe_problems(requests: Iterable[TimedRequest]) -> list[str]:
    by_route: dict[str, list[TimedRequest]] = {}
    for request in requests:
        by_route.setdefault(request.route, []).append(request)
    return [
        f"{count} of {len(asked)} requests to {route} {problem}"
        for route, asked in by_route.items()
        for problem, count in Counter(filter(None, map(_problem, asked))).items()
    ]


def _problem(request: TimedRequest) -> str | None:
    if request.error is not None:
        return f"failed: {request.error.code}"
    if request.redirected_to is not None:
        return f"were redirected to {request.redirected_to}, which is not followed"
    if request.status is not None and request.status >= FIRST_ERROR_STATUS:
        return f"were answered with {request.status}"
    return None


def probe(plan: ProbePlan, job: Job) -> list[TimedRequest]:
    """Request every path, after its warm-ups, as often as planned; in the order of the paths.

    Raises:
        AccessDenied: when the host has only addresses to which no request is sent.
    """
    prober = _Prober(plan, job)
    prober.check_address()
    answers: list[tuple[str, HttpExchange | None]] = []
    with job.stopping(prober.sockets.cut), ThreadPoolExecutor(plan.concurrency) as pool:
        for path in plan.paths:
            list(pool.map(prober.request, [path] * plan.warmup_count))
            asked = [path] * plan.sample_count
            answers += zip(asked, pool.map(prober.request, asked), strict=True)
    job.check()
    if missing := sum(made is None for _, made in answers):
        job.leave_out(f"{missing} of {len(answers)} timing samples")
    done = [(path, made) for path, made in answers if made is not None]
    return [_timed(number, plan, path, made) for number, (path, made) in enumerate(done, 1)]


class _Prober:
    """Sends requests from several threads."""

    def __init__(self, plan: ProbePlan, job: Job) -> None:
        self._plan = plan
        self._job = job
        self.sockets = OpenSockets()
        self._resolver = HostResolver(self.sockets, allows_private=plan.allows_private)
        self._tls = _tls_context() if plan.target.scheme == "https" else None
        self._lock = threading.Lock()
        self._done = 0

    def check_address(self) -> None:
        """Refuse the host as a whole; each request checks the address that it connects to again."""
        target = self._plan.target
        try:
            self._resolver.look_up(target.host, target.port, self._plan.timeout_ms / 1000)
        except AddressRefused as error:
            raise AccessDenied(
                f"No request is sent to {target.authority}: {error}",
                suggestion="Name a public host or this machine; the operator allows private "
                "addresses with performance.collector.allow_private_addresses = true, and "
                "link-local ones never.",
                data={"host": target.authority},
            ) from error
        except OSError:  # each request says so
            return

    def request(self, path: str) -> HttpExchange | None:
        """Send one request; None where the job has too little time left."""
        plan, job = self._plan, self._job
        left = job.time_left_s()
        timeout_s = plan.timeout_ms / 1000
        limit_s = timeout_s if left is None else min(timeout_s, left)
        if limit_s <= 0 or self.sockets.is_cut:
            return None
        made = exchange(
            plan.target,
            path,
            plan.headers,
            timeout_s=limit_s,
            resolver=self._resolver,
            sockets=self.sockets,
            tls=self._tls,
        )
        with self._lock:
            self._done += 1
            total = len(plan.paths) * (plan.warmup_count + plan.sample_count)
            job.report(self._done, total, "requests")
        # a timeout that our own deadline caused says nothing about the site
        is_ours = limit_s < timeout_s and made.failure and made.failure.code == "timeout"
        return None if is_ours else made


def _tls_context() -> ssl.SSLContext:
    """Trust the certificates of the system; `SSL_CERT_FILE` names others."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _timed(number: int, plan: ProbePlan, path: str, made: HttpExchange) -> TimedRequest:
    failure = made.failure
    total = made.elapsed_us(made.end)
    rules = plan.redaction_rules
    shown = rules.url(path)
    return TimedRequest(
        sample_id=f"timing-{number:06}",
        route=shown,
        url=rules.url(f"{plan.target.scheme}://{plan.target.authority}") + shown,
        status=made.status,
        started_at=_moment(made.started_at_us),
        ended_at=_moment(made.started_at_us + (total or 0)),
        ttfb_ms=_ms(made, made.first_byte),
        wall_ms=_ms(made, made.end),
        raw_timings=RawTimings(
            namelookup_ms=_ms(made, made.looked_up),
            connect_ms=_ms(made, made.connected),
            appconnect_ms=_ms(made, made.secured),
            pretransfer_ms=_ms(made, made.ready),
            starttransfer_ms=_ms(made, made.first_byte),
            redirect_ms=None,
            total_ms=_ms(made, made.end),
        ),
        error=None if failure is None else ProbeError(failure.code, redact_text(failure.message)),
        redirected_to=None if made.location is None else rules.url(made.location),
        body_bytes=made.body_bytes,
    )


def _ms(made: HttpExchange, moment: int | None) -> float | None:
    elapsed = made.elapsed_us(moment)
    return None if elapsed is None else elapsed / 1000


def _moment(us: int) -> str:
    return (
        (_EPOCH + timedelta(microseconds=us))
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )
