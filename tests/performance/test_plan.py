"""Requests that a probe accepts and refuses."""

import pytest

from benchpin.core.errors import InvalidParams
from benchpin.performance.collector._probe import target_of
from benchpin.performance.reading import redact_headers
from benchpin.toolsets.performance.collect_artifacts import CollectParams
from probe_plans import planned


def test_numbers_out_of_range_are_clamped_with_a_note() -> None:
    plan = planned(
        "http://localhost",
        ["/"],
        sample_count=99,
        concurrency=0,
        timeout_ms=60_000,
        warmup_count=-1,
    )
    assert (plan.sample_count, plan.concurrency, plan.timeout_ms, plan.warmup_count) == (
        20,
        1,
        15_000,
        0,
    )
    assert plan.notes == (
        "sample_count 99 was clamped to 20",
        "concurrency 0 was clamped to 1",
        "timeout_ms 60000 was clamped to 15000",
        "warmup_count -1 was clamped to 0",
    )


@pytest.mark.parametrize(
    "path",
    [
        "",
        "health",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "http://other.example/",
        "@evil.example/",
        ":80@evil.example/",
        ".evil.example/",
        "/../etc",
        "/a/..",
        "/a/./b",
        "/%2e%2E/etc",
        "/a%2f..%2fb",
        "/a b",
        "/a\r\nHost: evil.example",
        "/a\nb",
        "/a\0b",
        "/a\x85b",
        "/a\u2028b",
        "/page#top",
        "/" + "a" * 3000,
    ],
)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(InvalidParams):
        planned("http://localhost", [path])


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/", "/"),
        ("/?p=50", "/?p=50"),
        ("/@user/post", "/@user/post"),
        ("/a?next=/../x", "/a?next=/../x"),
        ("/search?q=a%20b&q=c", "/search?q=a%20b&q=c"),
        ("/größe", "/gr%C3%B6%C3%9Fe"),
        ("/a..b/...", "/a..b/..."),
    ],
)
def test_a_path_is_sent_as_it_is(path: str, sent: str) -> None:
    assert planned("http://localhost", [path]).paths == (sent,)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://[::1",
        "http://host:99999",
        "http://host:0",
        "http://host:port",
        "http://good.example\\@evil.example",
        "http://a b/",
        "http://host/\r\nX: y",
        "http://host/?q=1",
        "http://host/#top",
        "http://.host/",
        "http://a..b/",
        "http://host/../x",
        "http://ho%73t/",
        "http://host,other/",
    ],
)
def test_a_base_url_that_names_no_host_is_refused(url: str) -> None:
    with pytest.raises(InvalidParams):
        target_of(url)


def test_a_refusal_does_not_repeat_secrets() -> None:
    with pytest.raises(InvalidParams) as refused:
        planned("http://bob:s3cret@host/?token=abc", ["/"])
    assert "s3cret" not in refused.value.message
    assert "abc" not in refused.value.message


def test_a_base_url_gives_host_port_and_prefix() -> None:
    secure = target_of("https://Example.org/app/")
    assert (secure.host, secure.port, secure.prefix) == ("example.org", 443, "/app")
    assert secure.authority == "example.org"
    assert target_of("http://[::1]:8080").authority == "[::1]:8080"
    assert target_of("http://bücher.example").host == "xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "one\r\nX-B: two"),
        ("X-A", "one\ntwo"),
        ("X-A", "one\0"),
        ("X-A: b\r\nX-C", "d"),
        ("X A", "b"),
        ("", "b"),
        ("X-A", "snow ☃"),
    ],
)
def test_a_header_that_breaks_the_request_is_refused_even_if_not_allowed(
    name: str, value: str
) -> None:
    with pytest.raises(InvalidParams):
        planned("http://localhost", ["/"], headers={name: value})


def test_headers_are_shown_without_their_secrets() -> None:
    plan = planned(
        "http://localhost",
        ["/"],
        headers={"X-Request-Id": "demo", "Authorization": "Bearer abc"},
        headers_allowlist=["X-Request-ID", "authorization"],
    )
    assert plan.headers["Authorization"] == "Bearer abc"
    assert redact_headers(plan.headers) == {"x-request-id": "demo", "authorization": "[REDACTED]"}


def test_there_must_be_paths_and_not_too_many() -> None:
    for paths in ([], ["/"] * 101):
        with pytest.raises(InvalidParams):
            CollectParams.parse(
                {
                    "base_url": "http://localhost",
                    "url_paths": paths,
                    "spx_dirs": [],
                    "slow_log_path": None,
                }
            )
