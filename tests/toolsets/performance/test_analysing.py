import json
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.performance.snapshots._runs import SnapshotDamaged, SnapshotNotFound

from .conftest import FIXTURES, NEW_PROFILE

STRICT = {"query_total_time_ms": {"P0": 100, "P1": 10, "P2": 1}}
METRICS = [
    "endpoint_ttfb_ms",
    "endpoint_wall_ms",
    "query_total_time_ms",
    "span_self_ms",
    "span_total_ms",
]


@pytest.fixture
def snapshot(shop: Workbench, names: list[str]) -> str:
    found: Any = shop.call("ingest_artifacts", artifacts=[{"path": name} for name in names])
    return str(found.normalized_snapshot_id)


def analyze(shop: Workbench, snapshot: str, **arguments: object) -> Any:
    return shop.call("run_analysis", normalized_snapshot_id=snapshot, **arguments)


def test_an_analysis_has_the_fields_that_it_always_had(shop: Workbench, snapshot: str) -> None:
    found = analyze(shop, snapshot).model_dump(mode="json")
    assert {
        "normalized_snapshot_id",
        "summary",
        "ranking_thresholds",
        "open_questions",
        "aggregates",
        "findings",
        "findings_by_severity",
        "correlation_id",
    } <= found.keys()
    assert found["summary"]["query_count"] == 34
    assert list(found["ranking_thresholds"]) == METRICS
    assert found["ranking_thresholds"]["query_total_time_ms"] == {
        "P0": 10000,
        "P1": 3000,
        "P2": 1000,
        "source": "default_conservative",
    }
    assert len(found["open_questions"]) == len(METRICS)


def test_thresholds_of_ones_own_make_findings_and_answer_the_questions(
    shop: Workbench, snapshot: str
) -> None:
    found = analyze(shop, snapshot, thresholds=STRICT)
    assert found.open_questions == []
    worst = found.findings[0]
    assert (worst.severity, worst.subject) == ("P0", "3801B1A39DCB7F4C1C8843AC17BCD24B")
    assert found.findings_by_severity["P0"][0] == worst
    assert worst.evidence[0].line > 0


def test_queries_that_a_connection_repeats_are_found(shop: Workbench, snapshot: str) -> None:
    repeated = analyze(shop, snapshot).aggregates.repeated_queries
    assert repeated[0].fingerprint.startswith("select option_value from wp_options")
    assert repeated[0].most == 13


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (99, 20), (-3, 1)])
def test_top_n_is_clamped_with_a_notice(
    shop: Workbench, snapshot: str, asked: int, given: int
) -> None:
    found = analyze(shop, snapshot, top_n=asked)
    assert found.summary.top_n == given
    assert any(f"top_n {asked} was clamped to {given}" in it for it in found.notices)


@pytest.mark.parametrize(
    "thresholds",
    [
        {"query_total_time_ms": {"P0": 1, "P1": 2, "P2": 3}},
        {"query_total_time_ms": {"P0": 3, "P1": 2}},
        {"query_total_time_ms": {"P0": 3, "P1": 2, "P2": 0}},
        {"query_total_time_ms": {"P0": True, "P1": 2, "P2": 1}},
        {"query_time": {"P0": 3, "P1": 2, "P2": 1}},
        {"query_total_time_ms": 5},
    ],
)
def test_thresholds_that_make_no_sense_are_refused(
    shop: Workbench, snapshot: str, thresholds: dict[str, object]
) -> None:
    with pytest.raises(InvalidParams, match="thresholds"):
        analyze(shop, snapshot, thresholds=thresholds)


def test_a_snapshot_answers_to_the_beginning_of_its_id_and_to_its_other_name(
    shop: Workbench, snapshot: str
) -> None:
    whole = analyze(shop, snapshot)
    assert analyze(shop, snapshot[:8]).summary == whole.summary
    assert shop.call("run_analysis", snapshot_id=snapshot) == whole


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({}, InvalidParams),
        ({"normalized_snapshot_id": "abc"}, InvalidParams),
        ({"normalized_snapshot_id": "../../etc"}, SnapshotNotFound),
        ({"normalized_snapshot_id": "0" * 64}, SnapshotNotFound),
        ({"normalized_snapshot_id": "0" * 64, "snapshot_id": "1" * 64}, InvalidParams),
    ],
)
def test_a_snapshot_that_is_not_there_is_an_error(
    shop: Workbench, wanted: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        shop.call("run_analysis", **wanted)


@pytest.mark.slow
def test_a_report_is_written_three_times(shop: Workbench, snapshot: str) -> None:
    found: Any = shop.call("export_report", normalized_snapshot_id=snapshot)
    written = Path(found.markdown_path).read_text(encoding="utf-8")
    assert written == found.markdown
    assert "# Thresholds Used" in written
    assert "# Observations" in written
    report = json.loads(Path(found.json_path).read_text(encoding="utf-8"))
    assert report["snapshot_id"] == snapshot
    assert report["open_questions"] == analyze(shop, snapshot).open_questions
    page = Path(found.html_path).read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "<script src" not in page
    again: Any = shop.call("export_report", normalized_snapshot_id=snapshot)
    assert again.report_id == found.report_id


@pytest.mark.parametrize(
    ("chosen", "beginning"),
    [
        ("flamegraph", b"<!doctype html>"),
        ("svg", b"<svg "),
        ("speedscope", b"{"),
        ("collapsed", b""),
        ("callgrind", b"# callgrind format"),
        ("pprof", b"\x1f\x8b"),
    ],
)
def test_a_profile_is_written_for_other_tools(
    shop: Workbench, snapshot: str, chosen: str, beginning: bytes
) -> None:
    found: Any = shop.call("export_profile", snapshot_id=snapshot, format=chosen)
    written = Path(found.path).read_bytes()
    assert written.lower().startswith(beginning)
    assert len(written) == found.size_bytes > 100
    assert len(found.others) == 1


def test_a_profile_is_found_by_its_key(shop: Workbench, snapshot: str) -> None:
    found: Any = shop.call("export_profile", snapshot_id=snapshot, profile=NEW_PROFILE)
    other: Any = shop.call("export_profile", snapshot_id=snapshot, profile=found.profile[:12])
    assert other.path == found.path
    with pytest.raises(InvalidParams, match="No profiles match 'x'"):
        shop.call("export_profile", snapshot_id=snapshot, profile="x")


def test_a_flame_graph_shows_what_changed_since_an_older_snapshot(
    shop: Workbench, snapshot: str
) -> None:
    drawn: Any = shop.call("export_profile", snapshot_id=snapshot, before=snapshot, format="svg")
    assert "Diff flame graph of " in Path(drawn.path).read_text()
    assert Path(drawn.path).name.startswith("difference_")
    with pytest.raises(InvalidParams, match="collapsed shows one profile"):
        shop.call("export_profile", snapshot_id=snapshot, before=snapshot, format="collapsed")


def test_a_comparison_has_its_flame_graphs_as_page_and_as_svg(
    shop: Workbench, snapshot: str
) -> None:
    asked = {"before": snapshot, "after": snapshot}
    page = shop.call("compare_snapshots", **asked, format="html").to_text()
    assert page.count('class="flame"') == 2
    assert page.count("class FlameGraph ") == 1
    drawing = shop.call("compare_snapshots", **asked, format="svg").to_text()
    assert drawing.startswith("<svg ")
    assert "flames" not in shop.call("compare_snapshots", **asked).model_dump()


def test_snapshots_without_a_profile_in_common_have_no_flame_graph(
    shop: Workbench, snapshot: str, names: list[str]
) -> None:
    other: Any = shop.call("ingest_artifacts", artifacts=[{"path": names[-1]}])
    asked = {"before": other.normalized_snapshot_id, "after": snapshot}
    with pytest.raises(InvalidParams, match="no route or command in common"):
        shop.call("compare_snapshots", **asked, format="svg").to_text()
    assert 'class="flame"' not in shop.call("compare_snapshots", **asked, format="html").to_text()


def test_a_snapshot_does_not_differ_from_itself(shop: Workbench, snapshot: str) -> None:
    found: Any = shop.call("compare_snapshots", before=snapshot, after=snapshot)
    assert found.verdict == "unchanged"
    assert found.regressions == found.appeared == found.disappeared == []


def test_runs_are_listed_and_shown(shop: Workbench, snapshot: str, names: list[str]) -> None:
    other: Any = shop.call("ingest_artifacts", artifacts=[{"path": names[-1]}])
    page: Any = shop.call("list_runs", limit=1)
    assert [it.run_id for it in page.runs] == [other.normalized_snapshot_id]
    rest: Any = shop.call("list_runs", limit=1, cursor=page.next_cursor)
    assert [it.run_id for it in rest.runs] == [snapshot]
    assert rest.next_cursor is None
    run: Any = shop.call("get_run", run_id=snapshot[:10])
    assert sorted(it.path for it in run.sources) == sorted(names)


def test_health_names_what_is_damaged(shop: Workbench, snapshot: str, workspace: Path) -> None:
    well: Any = shop.call("check_health")
    assert (well.status, well.stored_runs, well.is_writable) == ("ok", 1, True)
    folder = workspace / f".benchpin/var/mcp/snapshots/snapshot_{snapshot}"
    (folder.parent / "index.json").unlink()
    (folder / "metadata.json").write_text("{")
    ill: Any = shop.call("check_health")
    assert ill.status == "degraded"
    assert len(ill.damaged) == 1


def test_records_go_where_the_operator_says(
    workspace: Path, tmp_path: Path, names: list[str]
) -> None:
    shop = Workbench.open(workspace, data_dir=tmp_path / "records")
    shop.call("ingest_artifacts", artifacts=[{"path": names[-1]}])
    assert (tmp_path / "records/var/mcp/snapshots/index.json").is_file()
    assert not (workspace / ".benchpin").exists()


def test_a_snapshot_whose_content_is_gone_is_damaged(
    shop: Workbench, snapshot: str, workspace: Path
) -> None:
    (workspace / f".benchpin/var/mcp/snapshots/snapshot_{snapshot}/snapshot.json").unlink()
    health: Any = shop.call("check_health")
    assert health.status == "degraded"
    with pytest.raises(SnapshotDamaged, match="is missing"):
        analyze(shop, snapshot)


@pytest.mark.slow
def test_a_report_names_its_files(shop: Workbench, snapshot: str, names: list[str]) -> None:
    found: Any = shop.call("export_report", normalized_snapshot_id=snapshot, thresholds=STRICT)
    page = Path(found.html_path).read_text(encoding="utf-8")
    for name in names:
        assert f"`{name}`" in found.markdown
        assert f"<code>{name}</code>" in page
    assert "- Example: `SELECT SQL_CALC_FOUND_ROWS" in found.markdown


def test_a_site_that_never_answers_is_a_finding(shop: Workbench, workspace: Path) -> None:
    refused = (FIXTURES / "timings/curl_json.ndjson").read_bytes().splitlines()[-1]
    (workspace / "curl.ndjson").write_bytes((refused + b"\n") * 3)
    found: Any = shop.call("ingest_artifacts", artifacts=[{"path": "curl.ndjson"}])
    analyzed = analyze(shop, found.normalized_snapshot_id)
    assert [(it.kind, it.severity) for it in analyzed.findings] == [("failure", "P1")]
    assert "Always fails: /" in analyzed.to_text()
    assert found.totals.timed_wall_time_us == 0


def test_escapes_of_a_terminal_are_shown_and_not_sent(shop: Workbench, workspace: Path) -> None:
    event = "# Query_time: 2.0  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n"
    (workspace / "evil.log").write_text(f"{event}SELECT \x1b[31m FROM t;\n")
    found: Any = shop.call("ingest_artifacts", artifacts=[{"path": "evil.log"}])
    assert "\x1b" not in analyze(shop, found.normalized_snapshot_id).to_text()


SENDING = """from db import cursor

def orders_of(customer):
    cursor.execute("SELECT id FROM orders WHERE customer = %s", (customer,))
    return cursor.fetchall()
"""
SCAN = {"Node Type": "Seq Scan", "Relation Name": "orders", "Filter": "(customer = 7)"}
ROWS = {"Actual Rows": 3, "Actual Loops": 1, "Rows Removed by Filter": 50_000}
SCANNED = [{"Plan": {**SCAN, **ROWS}}]
LOGGED = (
    "2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 90.000 ms  statement: "
    "SELECT id FROM orders WHERE customer = 7\n"
)


def test_a_query_is_joined_with_its_plan_and_with_the_code_that_sends_it(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(SENDING, encoding="utf-8")
    (tmp_path / "pg.log").write_text(LOGGED * 20, encoding="utf-8")
    statement = "EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM orders WHERE customer = 9;\n"
    (tmp_path / "plan.json").write_text(statement + json.dumps(SCANNED), encoding="utf-8")
    bench = Workbench.open(tmp_path)
    artifacts = [{"path": "pg.log"}, {"path": "plan.json"}]
    ingested: Any = bench.call("ingest_artifacts", artifacts=artifacts)
    found = analyze(bench, ingested.normalized_snapshot_id, source=True)
    (sent,) = found.query_sources
    assert (sent.file, sent.line, sent.function) == ("orders.py", 4, "orders_of")
    assert sent.certainty == "certain"
    assert "Of orders it reads 50,003 rows and keeps 3, where (customer = 0)." in sent.plan
    text = found.to_text()
    assert "Where queries are sent from" in text
    assert "orders.py:4" in text


def test_a_snapshot_without_queries_asks_for_no_source(tmp_path: Path) -> None:
    (tmp_path / "work.folded").write_text("main;work 5\nmain;rest 3\n", encoding="utf-8")
    bench = Workbench.open(tmp_path)
    ingested: Any = bench.call("ingest_artifacts", artifacts=[{"path": "work.folded"}])
    found = analyze(bench, ingested.normalized_snapshot_id, source=True)
    assert found.query_sources == []
