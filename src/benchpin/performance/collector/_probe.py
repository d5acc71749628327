"""Time GET requests to one host; redirects are reported and never followed."""

import ssl
import threading
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied
from benchpin.performance.reading import redact_text
from benchpin.performance.values import FIRST_ERROR_STATUS, Value

from ._exchange import AddressRefused, HostResolver, HttpExchange, OpenSockets, exchange
from ._plan import ProbePlan

PROBE_METHOD = "GET over a new HTTP/1.1 connection for each sample, monotonic clock"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ProbeError(Value, frozen=True):
    """Why a sample has no whole response."""

    code: str
    message: str


class RawTimings(Value, frozen=True):
    """When each phase ended, in milliseconds from the start; null for a phase that was skipped."""

    namelookup_ms: float | None
    connect_ms: float | None
    appconnect_ms: float | None
    pretransfer_ms: float | None
    starttransfer_ms: float | None
    redirect_ms: float | None
    total_ms: float | None


class TimedRequest(Value, frozen=True):
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
    """Describe the routes that failed, redirected or returned an error."""
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
