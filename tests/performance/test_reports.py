import base64
import hashlib
import json
from html.parser import HTMLParser

import msgspec
import pytest
from inline_snapshot import snapshot

from benchpin.performance.exports import make_report
from benchpin.performance.exports._report import SnapshotReport
from benchpin.performance.findings import analyze
from benchpin.performance.snapshots import Snapshot, build_snapshot
from benchpin.performance.values import ArtifactFault
from benchpin.present.formats import code, escaped
from profile_values import (
    log_reading,
    profile,
    profile_reading,
    query_class,
    sample,
    slow_log,
    timings_reading,
)

MS = 1_000_000
EVIL = '</td></details><script>alert("x")</script>|`*[a](http://evil)\n# b'


@pytest.fixture(autouse=True)
def _no_vega(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave Vega out of the pages: a program makes its script."""
    monkeypatch.setattr("benchpin.present.page.script_bundle", str)


def report_of(content: Snapshot, top_n: int = 5) -> SnapshotReport:
    return make_report(content, analyze(content, top_n=top_n))


def small() -> Snapshot:
    log = slow_log([query_class("A", [1_200_000, 800_000], full_scans=2, rows=300)])
    log = msgspec.structs.replace(log, faults=(ArtifactFault("line 9", "cut in the middle"),))
    return build_snapshot(
        [
            log_reading(1, log),
            profile_reading(2, profile("/a", [("main", 1 * MS), ("work", 320 * MS)])),
            timings_reading(3, [sample("/a", 450_000, ttfb_us=440_000)]),
        ]
    )


def evil() -> Snapshot:
    log = slow_log([query_class(EVIL, [20_000_000])])
    return build_snapshot(
        [
            log_reading(1, log),
            profile_reading(2, profile(EVIL, [(EVIL, 900 * MS)])),
            timings_reading(3, [sample(EVIL, 3_000_000)]),
        ]
    )


def test_the_markdown_report_as_it_is_read() -> None:
    content = small()
    assert report_of(content).markdown.replace(content.id, "ID") == snapshot("""\
# Executive Summary

- Snapshot: `ID`
- Findings: 3 (P0: 0, P1: 1, P2: 2)
- Endpoints: 1; functions: 2
- Query classes: 1 in 2 events
- Query time: 2,000 ms
- Timed requests: 450 ms; profiled requests: 321 ms

**Fix first:** P1, High self time: work

Optimise the function itself: the time is its own.

**1 place in the artefacts could not be read.**

# Thresholds Used

| Metric, limits in ms | P0 | P1 | P2 | Source |
| --- | ---: | ---: | ---: | --- |
| `endpoint_ttfb_ms` | 1500 | 800 | 300 | default\\_conservative |
| `endpoint_wall_ms` | 2000 | 1000 | 400 | default\\_conservative |
| `query_total_time_ms` | 10000 | 3000 | 1000 | default\\_conservative |
| `span_self_ms` | 800 | 300 | 100 | default\\_conservative |
| `span_total_ms` | 1500 | 700 | 250 | default\\_conservative |

# Observations

## Endpoints

| Route | Samples | Errors | First byte p50 | First byte p95 | Response p50 | Response p95 | Response max | Profiled p95 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| `/a` | 1 | 0 | 440 ms | 440 ms | 450 ms | 450 ms | 450 ms | 321 ms |

## Queries by total time

| Query | Events | Total | Share | Mean | p50 | p95 | max | Variance/mean | Rows examined/sent | Full scans | Lock time |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| `select A` | 2 | 2,000 ms | 100.0% | 1,000 ms | 800 ms | 1,200 ms | 1,200 ms | 80 ms | 300.0 | 2 | 0.002 ms |

## Functions by self time

| Function | Calls | Profiles | Self | Inclusive | Main caller |
| --- | ---: | ---: | ---: | ---: | --- |
| `work` | 1 | 1 | 320 ms | 320 ms | `main` |
| `main` | 1 | 1 | 1.000 ms | 321 ms | - |

## Functions by inclusive time

| Function | Calls | Profiles | Self | Inclusive | Main caller |
| --- | ---: | ---: | ---: | ---: | --- |
| `main` | 1 | 1 | 1.000 ms | 321 ms | - |
| `work` | 1 | 1 | 320 ms | 320 ms | `main` |

## Unreadable places

| Source | Place | Problem |
| --- | --- | --- |
| `000000000000` | line 9 | cut in the middle |

## Sources

| Source | File | Kind | Bytes |
| --- | ---: | --- | ---: |
| `000000000000` | - | mysql\\_slow\\_log v1 | 1 |
| `000000000000` | - | spx v1 | 2 |
| `000000000000` | - | ttfb\\_timings v1 | 3 |
| `000000000000` | - | spx v1 | 1,002 |

# Findings

## P1: High self time: work

- Why: In its worst profile: self time 320 ms, inclusive time 320 ms; 1 call in 1 profile. It takes 100% of the time of all functions itself. Called by main (1 call).
- Limit: `span_self_ms` is 320 ms; P1 begins at 300 ms
- Limit: `span_total_ms` is 320 ms; P2 begins at 250 ms
- What to do first: Optimise the function itself: the time is its own.
- Evidence: source `000000000000`, profile `spx-/a`, 320 ms

## P2: High total time: select A

- Why: 2 events took 2,000 ms in total, 100% of all query time; mean 1,000 ms, slowest 1,200 ms. 2 events scanned a whole table. 300.0 rows were examined per row sent.
- Limit: `query_total_time_ms` is 2,000 ms; P2 begins at 1,000 ms
- What to do first: EXPLAIN the example and add an index for its conditions.
- Example: `select A`
- Evidence: source `000000000000`, line 7, byte 210, 1,200 ms

## P2: Slow endpoint: /a

- Why: 1 sample, 0 errors. First byte: p50 440 ms, p95 440 ms, max 440 ms. Full response: p50 450 ms, p95 450 ms, max 450 ms.
- Limit: `endpoint_ttfb_ms` is 440 ms; P2 begins at 300 ms
- Limit: `endpoint_wall_ms` is 450 ms; P2 begins at 400 ms
- What to do first: The time is spent on the server: look at the flame graph of this route.
- Evidence: source `000000000000`, 450 ms

# Open Questions

The limits are conservative defaults. Which ones fit? Give them as `thresholds`:

- Time to the first byte of an endpoint, in ms: `{"endpoint_ttfb_ms": {"P0": 1500, "P1": 800, "P2": 300}}`
- Full response of an endpoint, in ms: `{"endpoint_wall_ms": {"P0": 2000, "P1": 1000, "P2": 400}}`
- Total time of a query, in ms: `{"query_total_time_ms": {"P0": 10000, "P1": 3000, "P2": 1000}}`
- Own time of a function, in ms: `{"span_self_ms": {"P0": 800, "P1": 300, "P2": 100}}`
- Time of a function with its callees, in ms: `{"span_total_ms": {"P0": 1500, "P1": 700, "P2": 250}}`
""")  # noqa: E501 - tables are wide


def test_a_report_without_findings_has_all_sections() -> None:
    text = report_of(build_snapshot([])).markdown
    for section in ("# Executive Summary\n", "# Thresholds Used\n", "# Observations\n"):
        assert section in text
    assert "Nothing exceeds its threshold." in text
    assert "# Findings" not in text


def test_the_payload_is_the_analysis_with_the_snapshots_id() -> None:
    content = small()
    report = report_of(content)
    written = json.loads(report.formats()["json"])
    assert written == json.loads(json.dumps(report.payload))
    assert written["snapshot_id"] == content.id
    assert {"summary", "ranking_thresholds", "open_questions", "findings"} <= written.keys()
    assert written["ranking_thresholds"]["span_self_ms"] == {
        "P0": 800,
        "P1": 300,
        "P2": 100,
        "source": "default_conservative",
    }


def test_the_id_follows_from_the_content() -> None:
    one, same, other = report_of(small()), report_of(small()), report_of(small(), top_n=1)
    assert len(one.report_id) == 16
    assert int(one.report_id, 16) >= 0
    assert one == same
    assert one.report_id != other.report_id


class _Page(HTMLParser):
    """Collects the elements of a page, and checks that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in {"meta", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("made", [small, evil], ids=["plain", "hostile"])
def test_the_page_is_whole_and_needs_nothing_from_elsewhere(made: object) -> None:
    assert callable(made)
    page, html = _Page(), report_of(made()).html
    page.feed(html)
    assert page.open == []
    tags = [tag for tag, _ in page.seen]
    scripts = [has for tag, has in page.seen if tag == "script"]
    assert {has.get("type") for has in scripts} == {"application/json", "module"}
    assert not {"link", "img", "iframe", "object", "form"} & set(tags)
    targets = [has[name] or "" for _, has in page.seen for name in has if name in {"src", "href"}]
    assert all(it.startswith("#") for it in targets)
    assert "onclick" not in {name for _, has in page.seen for name in has}
    (policy,) = (has["content"] or "" for _, has in page.seen if has.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    for part in html.split('<script type="module">')[1:]:
        content = part.split("</script>")[0]
        allowed = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{allowed}'" in policy


def test_names_from_artefacts_are_shown_and_never_run() -> None:
    page = _Page()
    page.feed(report_of(evil()).html)
    assert page.text.count('<script>alert("x")</script>') >= 3


def test_flame_graphs_are_drawn_of_the_longest_profiles_only() -> None:
    readings = [
        profile_reading(number, profile(f"/{number}", [("main", number * MS)]))
        for number in range(1, 8)
    ]
    page = report_of(build_snapshot(readings)).html
    assert page.count('<section class="flame"') == 5
    assert "The 5 longest of 7 profiles." in page
    assert page.index("<summary>GET /7") < page.index("<summary>GET /6")
    assert "Flame graphs" not in report_of(build_snapshot([])).html


def test_tables_can_be_sorted_by_number() -> None:
    page = _Page()
    page.feed(report_of(small()).html)
    numbers = [has["data-n"] for tag, has in page.seen if tag == "td" and "data-n" in has]
    assert "2000000" in numbers
    assert [tag for tag, _ in page.seen].count("button") > 20


def test_text_from_artefacts_does_not_become_markdown() -> None:
    assert code("a|b") == "`a\\|b`"
    assert code("a `x` ``y``") == "``` a `x` ``y`` ```"
    assert escaped("*a* <b> [c](d) # e\nf") == "\\*a\\* \\<b\\> \\[c\\](d) \\# e f"
    text = report_of(evil()).markdown
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        "# Executive Summary",
        "# Thresholds Used",
        "# Observations",
        "# Findings",
        "# Open Questions",
    ]


def test_a_page_for_people_has_no_names_of_parameters() -> None:
    page = report_of(small()).html
    for name in ("OPEN_QUESTION", "span_self_ms", "endpoint_ttfb_ms", "default_conservative"):
        assert name not in page
    assert "Own time of a function is 320 ms; P1 begins at 300 ms." in page


def test_findings_lead_to_their_query_and_their_flame_graph() -> None:
    content = small()
    page = _Page()
    page.feed(report_of(content).html)
    ids = {has["id"] for _, has in page.seen if "id" in has}
    targets = {(has["href"] or "")[1:] for tag, has in page.seen if tag == "a"}
    assert targets <= ids
    assert {
        f"query-{content.queries[0].query_id}",
        f"flame-{content.profiles[0].source}",
    } <= targets


def test_a_long_query_is_shown_whole_on_demand() -> None:
    statement = f"select {', '.join(f'column_{it}' for it in range(90))} from t"
    content = build_snapshot([log_reading(1, slow_log([query_class(statement, [20_000_000])]))])
    page = report_of(content).html
    assert page.count(f"{statement}</pre>") >= 1
    assert f"{content.queries[0].fingerprint[:110]}…</code></summary>" in page


def test_names_that_reorder_text_are_made_visible_in_the_page() -> None:
    name = "/\u202egpj.exe\x1b[2J"
    content = build_snapshot(
        [
            profile_reading(2, profile(name, [(name, 900 * MS)])),
            timings_reading(3, [sample(name, 3_000_000)]),
        ]
    )
    page = report_of(content).html
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "/\\u202egpj.exe\\x1b[2J" in page


def test_endpoints_are_ranked_by_their_time() -> None:
    samples = [sample("/a", 100_000), sample("/z", 900_000), sample("/m", 300_000)]
    page = report_of(build_snapshot([timings_reading(3, samples)])).html
    order = [page.index(f"<code>{route}</code>") for route in ("/z", "/m", "/a")]
    assert order == sorted(order)
