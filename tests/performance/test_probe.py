"""The collector's probe, against servers of our own that answer well and badly."""

import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.performance.collector import _exchange as exchanges
from benchpin.performance.collector._probe import (
    ProbePlan,
    RedactionRules,
    TimedRequest,
    describe_problems,
    probe,
)
from loopback import Answer, Loopback, drip, flood, raw, silence, whole
from probe_plans import planned
from waiting import WAIT_S


def one(plan: ProbePlan) -> TimedRequest:
    (sample,) = probe(plan, Job())
    return sample


def ask(answer: Answer, *, path: str = "/", timeout_ms: int = 5000) -> TimedRequest:
    with Loopback(answer) as server:
        return one(planned(server.url, [path], sample_count=1, timeout_ms=timeout_ms))


def code(sample: TimedRequest) -> str | None:
    return sample.error.code if sample.error else None


def cancel_when_asked(server: Loopback, job: Job) -> threading.Thread:
    def wait_and_cancel() -> None:
        server.asked.wait(WAIT_S)
        job.cancel()

    canceller = threading.Thread(target=wait_and_cancel)
    canceller.start()
    return canceller


def test_every_phase_of_a_request_is_timed_in_its_order() -> None:
    sample = ask(whole(b"x" * 100_000))
    assert (sample.status, sample.error, sample.body_bytes) == (200, None, 100_000)
    raw_timings = sample.raw_timings
    marks = [
        raw_timings.namelookup_ms,
        raw_timings.connect_ms,
        raw_timings.pretransfer_ms,
        raw_timings.starttransfer_ms,
        raw_timings.total_ms,
    ]
    known = [it for it in marks if it is not None]
    assert len(known) == 5
    assert known == sorted(known)
    assert raw_timings.appconnect_ms is None
    assert (sample.ttfb_ms, sample.wall_ms) == (marks[3], marks[4])


def test_a_request_is_a_plain_get_with_the_allowed_headers_only() -> None:
    with Loopback(whole()) as server:
        plan = planned(
            f"http://bob:s3cret@127.0.0.1:{server.port}/app/",
            ["/health?token=abc"],
            headers={"X-Request-Id": "demo-1", "Cookie": "sid=1", "Host": "evil.example"},
            headers_allowlist=["x-request-id", "host"],
            sample_count=1,
        )
        sample = one(plan)
    lines = server.requests[0].decode().split("\r\n")
    assert lines[0] == "GET /app/health?token=abc HTTP/1.1"
    fields = dict(it.split(": ", 1) for it in lines[1:] if it)
    assert fields["Host"] == f"127.0.0.1:{server.port}"
    assert fields["X-Request-Id"] == "demo-1"
    assert fields["Authorization"] == "Basic Ym9iOnMzY3JldA=="
    assert "Cookie" not in fields
    assert plan.notes == (
        "header Cookie was not sent: not in headers_allowlist",
        "header Host was not sent: callers may not set it",
    )
    assert (sample.route, sample.url) == (
        "/app/health?token",
        f"http://127.0.0.1:{server.port}/app/health?token",
    )


def test_values_stay_in_urls_when_the_rules_say_so() -> None:
    with Loopback(whole()) as server:
        rules = RedactionRules(strip_query_params=False)
        sample = one(planned(server.url, ["/?p=50"], sample_count=1, redaction_rules=rules))
    assert sample.route == "/?p=50"


def test_warm_ups_are_asked_first_and_not_reported() -> None:
    with Loopback(whole()) as server:
        plan = planned(server.url, ["/a", "/b"], sample_count=2, warmup_count=1)
        samples = probe(plan, Job())
    assert server.paths() == ["/a", "/a", "/a", "/b", "/b", "/b"]
    assert [(it.sample_id, it.route) for it in samples] == [
        ("timing-000001", "/a"),
        ("timing-000002", "/a"),
        ("timing-000003", "/b"),
        ("timing-000004", "/b"),
    ]


def test_as_many_requests_run_at_once_as_the_plan_says() -> None:
    together = threading.Barrier(4, timeout=WAIT_S)

    def meet(connection: socket.socket, server: Loopback) -> None:
        together.wait()
        whole()(connection, server)

    with Loopback(meet) as server:
        plan = planned(server.url, ["/"], sample_count=8, concurrency=4, timeout_ms=15_000)
        samples = probe(plan, Job())
    assert [it.status for it in samples] == [200] * 8


@pytest.mark.parametrize(
    "answer",
    [
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        drip(b"HTTP/1.1 103 Early Hints\r\n\r\n", b"H"),
        drip(b"H", b""),
        silence,
    ],
)
def test_a_server_that_never_comes_to_an_end_is_given_up(answer: Answer) -> None:
    sample = ask(answer, timeout_ms=250)
    assert code(sample) == "timeout"
    assert sample.wall_ms is not None
    assert sample.wall_ms >= 249


def test_a_timeout_keeps_what_was_measured_until_then() -> None:
    begun = ask(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x"), timeout_ms=250)
    assert (begun.status, begun.ttfb_ms is None) == (200, False)
    silent = ask(silence, timeout_ms=250)
    assert (silent.status, silent.ttfb_ms, silent.raw_timings.connect_ms is None) == (
        None,
        None,
        False,
    )


def test_a_refused_connection_is_a_sample_with_its_error() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        sample = one(planned(f"http://127.0.0.1:{port}", ["/"], sample_count=1))
    assert (code(sample), sample.status, sample.ttfb_ms) == ("refused", None, None)


def test_a_name_without_an_address_is_a_sample_with_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    sample = one(planned("http://nowhere.invalid", ["/"], sample_count=1))
    assert (code(sample), sample.raw_timings.namelookup_ms) == ("unknown_host", None)


def test_a_lookup_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hung = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: hung.wait(WAIT_S) and [])
    samples = probe(planned("http://slow.invalid", ["/"], sample_count=6, timeout_ms=200), Job())
    hung.set()
    assert [code(it) for it in samples] == ["timeout"] * 6


def test_a_redirect_is_noted_and_not_followed() -> None:
    with Loopback(whole()) as elsewhere:
        where = f"Location: http://u:p@127.0.0.1:{elsewhere.port}/login?next=secret#top\r\n"
        sample = ask(whole(status="302 Found", headers=where))
    assert elsewhere.requests == []
    assert sample.status == 302
    assert sample.redirected_to == f"http://127.0.0.1:{elsewhere.port}/login?next"


def test_an_error_of_http_is_a_sample_with_its_status() -> None:
    sample = ask(whole(status="500 Internal Server Error"))
    assert (sample.status, sample.error) == (500, None)


def test_a_chunked_body_is_read_to_its_end() -> None:
    body = b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: yes\r\n\r\n"
    sample = ask(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body))
    assert (sample.error, sample.body_bytes) == (None, 11)


def test_interim_responses_are_passed_over() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    final = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
    sample = ask(raw(b"HTTP/1.1 100 Continue\r\n\r\n" + hints * 2 + final))
    assert (sample.status, sample.error, sample.body_bytes) == (404, None, 2)
    assert code(ask(raw(hints * 50 + final))) == "bad_response"


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    ],
)
def test_a_huge_body_is_not_read_to_its_end(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "MAX_RESPONSE_BYTES", 1 << 20)
    sample = ask(flood(start))
    assert (code(sample), sample.status) == ("body_too_large", 200)
    assert sample.body_bytes <= 1 << 20


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "bad_response"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "bad_response"),
        (b"HTTP/1.1 abc\r\n\r\n", "bad_response"),
        (b"HTTP/9.9 200 OK\r\n\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nshort", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "cut"),
    ],
)
def test_a_response_that_is_none_is_a_sample_with_its_error(content: bytes, expected: str) -> None:
    assert code(ask(raw(content))) == expected


@settings(max_examples=60)
@given(st.binary(max_size=300), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 "]))
def test_no_bytes_of_a_server_break_the_probe(content: bytes, start: bytes) -> None:
    sample = ask(raw(start + content), timeout_ms=2000)
    assert sample.status is not None or sample.error is not None


def test_a_connection_that_is_reset_is_a_sample_with_its_error() -> None:
    def reset(connection: socket.socket, _server: Loopback) -> None:
        linger = (1).to_bytes(4, "little") + bytes(4)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    assert code(ask(reset)) == "reset"


def test_a_host_can_be_an_address_of_ipv6() -> None:
    try:
        server = Loopback(whole(), family=socket.AF_INET6)
    except OSError as error:
        pytest.skip(f"there is no IPv6 on loopback: {error}")
    with server:
        sample = one(planned(f"http://[::1]:{server.port}", ["/x"], sample_count=1))
    assert (sample.status, sample.url) == (200, f"http://[::1]:{server.port}/x")
    assert f"Host: [::1]:{server.port}".encode() in server.requests[0]


def test_the_second_address_of_a_name_is_tried_when_the_first_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Loopback(whole()) as server, socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", unused.getsockname()),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port)),
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert one(planned("http://two.invalid", ["/"], sample_count=1)).status == 200


def test_what_the_time_of_the_job_does_not_allow_is_left_out_and_named() -> None:
    job = Job(time_limit_s=0.3)
    with Loopback(silence) as server:
        plan = planned(server.url, ["/"], sample_count=3, timeout_ms=15_000)
        assert probe(plan, job) == []
    assert job.missing == ["3 of 3 timing samples"]


def test_cancelling_cuts_requests_under_way() -> None:
    job = Job()
    with Loopback(silence) as server:
        plan = planned(server.url, ["/"], sample_count=20, timeout_ms=15_000)
        canceller = cancel_when_asked(server, job)
        with pytest.raises(Cancelled):
            probe(plan, job)
        canceller.join()
        assert len(server.requests) == 1


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Make a certificate for 127.0.0.1, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed, and makes the certificate")
    place = tmp_path / "server.pem"
    order = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=benchpin"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([openssl, *order.split(), *names], cwd=tmp_path, check=True, capture_output=True)
    key = (tmp_path / "key.pem").read_bytes()
    place.write_bytes(key + (tmp_path / "cert.pem").read_bytes())
    return place


def secure(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.mark.slow
def test_tls_is_a_phase_of_its_own(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Loopback(whole(), tls=secure(certificate)) as server:
        sample = one(planned(f"https://127.0.0.1:{server.port}", ["/"], sample_count=1))
    assert (sample.status, sample.error) == (200, None)
    timed = sample.raw_timings
    assert timed.connect_ms is not None
    assert timed.appconnect_ms is not None
    assert timed.connect_ms < timed.appconnect_ms


@pytest.mark.slow
def test_an_untrusted_certificate_is_refused(certificate: Path) -> None:
    with Loopback(whole(), tls=secure(certificate)) as server:
        sample = one(planned(f"https://127.0.0.1:{server.port}", ["/"], sample_count=1))
    assert (code(sample), sample.raw_timings.appconnect_ms) == ("certificate", None)


def test_a_handshake_that_hangs_is_given_up() -> None:
    with Loopback(silence) as server:
        plan = planned(f"https://127.0.0.1:{server.port}", ["/"], sample_count=1, timeout_ms=250)
        sample = one(plan)
    assert code(sample) == "timeout"
    assert sample.error is not None
    assert sample.error.message.endswith("the TLS handshake was not finished")


@pytest.mark.slow
def test_cancelling_cuts_requests_under_tls(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    job = Job()
    with Loopback(silence, tls=secure(certificate)) as server:
        plan = planned(f"https://127.0.0.1:{server.port}", ["/"], timeout_ms=15_000)
        canceller = cancel_when_asked(server, job)
        with pytest.raises(Cancelled):
            probe(plan, job)
        canceller.join()
        assert len(server.requests) == 1


def test_problems_are_described_by_route() -> None:
    plan = planned("http://127.0.0.1:1", ["/a", "/b?q=1"], sample_count=2)
    assert describe_problems(probe(plan, Job())) == [
        "2 of 2 requests to /a failed: refused",
        "2 of 2 requests to /b?q failed: refused",
    ]
