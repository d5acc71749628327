"""Timings of five formats, complete or damaged."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifact_kit import read_timings, version_of
from benchpin.performance.formats import _timings as _reading
from benchpin.performance.values import Sample, Timings

FIXTURES = Path(__file__).parents[1] / "fixtures" / "performance" / "timings"
CURL = {"time_total": 0.5, "http_code": 200, "url": "http://h/"}

TIMINGS_JSON = b'{"format": "ttfb_timings", "requests": ['


def read(content: str | bytes) -> Timings:
    written = content.encode() if isinstance(content, str) else content
    return read_timings(written)


def read_file(name: str) -> Timings:
    return read_timings((FIXTURES / name).read_bytes())


def faults(timings: Timings) -> list[tuple[str, str]]:
    return [(it.place, it.problem) for it in timings.faults]


def collector(*requests: object, indent: int | None = 0) -> str:
    return json.dumps({"format": "ttfb_timings", "requests": list(requests)}, indent=indent)


def test_collector_v1_is_read_to_the_microsecond() -> None:
    timings = read_file("collector_v1.json")
    assert (timings.version, len(timings.samples), timings.is_complete) == (
        "collector-v1",
        15,
        True,
    )
    assert timings.samples[0] == Sample(
        route="/",
        url="http://127.0.0.1:8099/",
        method="GET",
        status=200,
        started_at_us=1_794_725_163_634_413,
        dns_us=19,
        connect_us=109,
        tls_us=None,
        ttfb_us=44_453,
        wall_us=46_005,
        error=None,
    )
    assert [it.route for it in timings.samples] == ["/"] * 5 + ["/?p"] * 5 + ["/?s"] * 5


def test_csv_v1_has_the_times_of_the_collector() -> None:
    timings = read_file("csv_v1.csv")
    assert timings.version == "csv-v1"
    assert timings.is_complete
    assert [(it.route, it.ttfb_us, it.wall_us) for it in timings.samples] == [
        (it.route, it.ttfb_us, it.wall_us) for it in read_file("collector_v1.json").samples
    ]


def test_csv_v1_tells_processor_time_and_memory() -> None:
    (sample,) = read("url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb\n,/a,1.5,2,0.25,1.5\n").samples
    assert (sample.cpu_us, sample.memory_bytes, sample.url) == (250, 1_572_864, None)


def test_lines_of_curl_keep_what_failed() -> None:
    timings = read_file("curl_json.ndjson")
    assert (timings.version, len(timings.samples), timings.is_complete) == ("curl-json", 32, True)
    first, *_, timeout, refused = timings.samples
    assert (first.dns_us, first.connect_us, first.ttfb_us, first.wall_us) == (
        14,
        282,
        55_877,
        58_643,
    )
    assert (timeout.status, timeout.connect_us, timeout.ttfb_us, timeout.wall_us) == (
        None,
        116,
        None,
        20_391,
    )
    assert timeout.error == (
        "curl 28: Operation timed out after 20 milliseconds with 0 bytes received"
    )
    assert (refused.connect_us, refused.ttfb_us, refused.wall_us) == (None, None, 129)
    assert refused.error is not None
    assert refused.error.startswith("curl 7: ")


def test_har_adds_up_to_the_first_byte() -> None:
    timings = read_file("wordpress_two_pages.har")
    assert (timings.version, len(timings.samples), timings.is_complete) == ("har", 12, True)
    page, style = timings.samples[:2]
    # 2.9699999997921402 + 0.062 + 75.476, of 86.40199999990728 ms
    assert (page.route, page.dns_us, page.connect_us, page.ttfb_us, page.wall_us) == (
        "/",
        None,
        None,
        78_508,
        86_402,
    )
    # 3.906000000107102 + 0.019 + 0.714 + 0.053 + 4.818, of 11.849 ms
    assert (style.dns_us, style.connect_us, style.ttfb_us, style.wall_us) == (19, 714, 9510, 11_849)
    assert page.started_at_us == 1_794_725_079_388_000
    assert [it.route for it in timings.samples].count("/?p") == 1


def test_har_has_tls_inside_connect() -> None:
    entry = {
        "request": {"method": "GET", "url": "https://bob:pw@h/a?b=c#d"},
        "response": {"status": 200},
        "time": 100,
        "timings": {"blocked": -1, "dns": 1, "connect": 30, "ssl": 20, "send": 1, "wait": 50},
    }
    document = {"log": {"creator": {}, "pages": [], "entries": [entry]}}
    (sample,) = read(json.dumps(document)).samples
    assert (sample.connect_us, sample.tls_us, sample.ttfb_us) == (10_000, 20_000, 82_000)
    assert (sample.url, sample.route) == ("https://h/a?b", "/a?b")


def test_a_har_entry_without_a_response_is_a_failed_sample() -> None:
    entry = {
        "request": {"method": "GET", "url": "http://h/"},
        "response": {"status": 0, "_error": "net::ERR_CONNECTION_REFUSED"},
        "time": 3,
        "timings": {"send": 0, "wait": 0, "receive": 0},
    }
    (sample,) = read(json.dumps({"log": {"entries": [entry]}})).samples
    assert (sample.status, sample.ttfb_us, sample.wall_us) == (None, None, 3000)
    assert sample.error == "net::ERR_CONNECTION_REFUSED"


def test_hey_adds_up_to_the_first_byte() -> None:
    timings = read_file("hey_p50.csv")
    assert (timings.version, len(timings.samples), timings.is_complete) == ("hey-csv", 60, True)
    first = timings.samples[0]
    # 0.0004 + 0.0001 + 0.0537 of 0.0565 s
    assert (first.connect_us, first.ttfb_us, first.wall_us) == (400, 54_200, 56_500)
    assert (first.route, first.url, first.method) == ("(unknown)", None, None)


def test_a_failed_sample_of_the_collector_keeps_its_error_and_no_zero() -> None:
    failed = {
        "route": "/x?token=abc",
        "url": "http://bob:pw@h/x?token=abc",
        "status": 0,
        "ttfb_ms": 0.0,
        "wall_ms": 3000.1,
        "error": {"code": 28, "message": "timed out: http://bob:pw@h/x?token=abc"},
    }
    timings = read(collector(failed))
    assert timings.samples == (
        Sample(
            route="/x?token",
            url="http://h/x?token",
            method="GET",
            status=None,
            started_at_us=None,
            dns_us=None,
            connect_us=None,
            tls_us=None,
            ttfb_us=None,
            wall_us=3_000_100,
            error="28: timed out: http://h/x?token",
        ),
    )


def test_decimals_are_made_whole_exactly() -> None:
    # 0.0015 ms is one and a half microseconds, which floats take for 1.4999…
    rows = ["1.005", "0.0015", "0.0025", "4503599627370.497", "1e3", "0"]
    text = "route,ttfb_ms,wall_ms\n" + "".join(f"/,{it},1\n" for it in rows)
    assert [it.ttfb_us for it in read(text).samples] == [
        1005,
        2,
        2,
        4_503_599_627_370_497,
        1_000_000,
        0,
    ]


def test_damaged_rows_are_faults_with_their_line() -> None:
    rows = [
        "/,1,2",
        "/,x,2",
        "/,-1,2",
        "/,1",
        '/,"1,2',
        "/,nan,2",
        "/,1_0,2",
        "/,1e99,2",
        "/,,",
        "/,3,4",
    ]
    timings = read("route,ttfb_ms,wall_ms\r\n" + "\r\n".join(rows))
    assert [it.ttfb_us for it in timings.samples] == [1000, 3000]
    assert not timings.is_complete
    assert faults(timings) == [
        ("line 3", "ttfb_ms is no number: 'x'"),
        ("line 4", "ttfb_ms is negative: -1"),
        ("line 5", "2 fields instead of 3"),
        ("line 6", "a quote is not closed"),
        ("line 7", "ttfb_ms is no number: 'nan'"),
        ("line 8", "ttfb_ms is no number: '1_0'"),
        ("line 9", "ttfb_ms is out of range: 1e99"),
        ("line 10", "it has neither a time nor an error"),
    ]


def test_damaged_lines_of_curl_are_faults_and_the_rest_is_read() -> None:
    good = json.dumps(CURL)
    lines = [
        good,
        "<html>",
        good + good,
        '{"time_total": 1',
        "[]",
        "",
        '{"time_total": true}',
        good,
    ]
    timings = read("\n".join(lines))
    assert len(timings.samples) == 4
    assert [place for place, _ in faults(timings)] == ["line 2", "line 4", "line 5", "line 7"]


def test_a_document_that_was_cut_gives_what_comes_before() -> None:
    whole = (FIXTURES / "collector_v1.json").read_bytes()
    timings = read(whole[:4000])
    assert len(timings.samples) == 7
    assert timings.samples == read(whole).samples[:7]
    ((place, problem),) = faults(timings)
    assert place == f"line {len(whole[:4000].splitlines())}"
    assert problem.startswith("the document is damaged; read no further")


def test_damaged_requests_of_a_document_are_faults_with_their_line() -> None:
    good = {"route": "/", "ttfb_ms": 1, "wall_ms": 2}
    bad: list[object] = [
        "text",
        {"ttfb_ms": []},
        {"ttfb_ms": 1, "status": 7},
        {"error": {}, "url": 5},
    ]
    timings = read(collector(good, *bad, good))
    assert len(timings.samples) == 2
    assert faults(timings) == [
        ("line 9", "it is no JSON object"),
        ("line 10", "ttfb_ms is no number"),
        ("line 13", "status is out of range: 7"),
        ("line 17", "url is no text"),
    ]


def test_requests_that_are_no_array_are_a_fault() -> None:
    timings = read('{"format": "ttfb_timings", "requests": 5}')
    assert (timings.samples, timings.is_complete) == ((), False)


def test_a_mark_of_byte_order_is_no_matter() -> None:
    assert len(read(b"\xef\xbb\xbf" + (FIXTURES / "csv_v1.csv").read_bytes()).samples) == 15
    assert len(read(b"\xef\xbb\xbf" + collector({"ttfb_ms": 1}).encode()).samples) == 1
    assert len(read(b"\xef\xbb\xbf" + json.dumps(CURL).encode()).samples) == 1


def test_a_file_that_is_too_large_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_reading, "MAX_LINE_BYTES", 100)
    long = read("route,ttfb_ms,wall_ms\n/,1,2\n/" + "a" * 5000 + ",1,2\n/,3,4\n")
    assert [it.ttfb_us for it in long.samples] == [1000, 3000]
    assert [place for place, _ in faults(long)] == ["line 3"]

    monkeypatch.setattr(_reading, "MAX_DOCUMENT_BYTES", 4000)
    cut = read_file("collector_v1.json")
    assert len(cut.samples) == 7
    assert "larger than" in cut.faults[0].problem

    monkeypatch.setattr(_reading, "MAX_SAMPLES", 3)
    many = read("route,ttfb_ms,wall_ms\n" + "/,1,2\n" * 10)
    assert len(many.samples) == 3
    assert [place for place, _ in faults(many)] == ["line 5"]


def test_faults_past_fifty_are_counted() -> None:
    timings = read("route,ttfb_ms,wall_ms\n" + "/,x,2\n" * 150)
    assert faults(timings)[-1] == ("further on", "100 more faults")
    assert len(timings.faults) == 51


def test_what_is_no_timings_is_refused() -> None:
    for content in ("", "{}", "hello", '{"requests": []}', '{"log": 1}', "a,b\n1,2\n"):
        assert version_of(content.encode(), "ttfb_timings") is None


@given(
    st.sampled_from(sorted(it.name for it in FIXTURES.iterdir() if it.suffix != ".md")),
    st.integers(0, 50_000),
    st.binary(max_size=20),
    st.integers(0, 50_000),
)
def test_no_damage_breaks_a_reader(name: str, at: int, junk: bytes, end: int) -> None:
    whole = (FIXTURES / name).read_bytes()
    damaged = (whole[:at] + junk + whole[at + len(junk) :])[: max(end, 3000)]
    if version_of(damaged, "ttfb_timings") is None:
        return
    timings = read(damaged)
    for sample in timings.samples:
        assert sample.ttfb_us is not None or sample.wall_us is not None or sample.error


def test_the_address_of_another_format_in_a_row_changes_nothing() -> None:
    address = "https://www.speedscope.app/file-format-schema.json"
    timings = read(json.dumps({**CURL, "url": address}) + "\n")
    assert [it.url for it in timings.samples] == [address]


@given(st.binary(max_size=400))
def test_no_row_breaks_a_reader(row: bytes) -> None:
    starts = b"route,ttfb_ms,wall_ms\n", json.dumps(CURL).encode() + b"\n", TIMINGS_JSON
    for content in (start + row for start in starts):
        # A row may be the mark of another format, such as the address of speedscope's schema.
        if version_of(content, "ttfb_timings") is not None:
            read(content)
