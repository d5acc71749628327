import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams

Run = Callable[..., Result]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "performance"
PROFILE = "spx-full-20261115_060902-vm-5395-1804289383"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a slow log outside the workspace."""
    place = tmp_path / "logs" / "slow.log"
    place.parent.mkdir()
    place.write_bytes(gzip.decompress((FIXTURES / "slowlog/bundle.log.gz").read_bytes()))
    return place


@pytest.mark.slow
def test_each_step_goes_on_from_the_one_before(run: Run, log: Path) -> None:
    ingested = run("perf", "ingest", str(log), "--json")
    assert ingested.exit_code == 0, ingested.output
    snapshot = json.loads(ingested.output)["normalized_snapshot_id"]
    analyzed = run("perf", "analyze", "--json")
    assert json.loads(analyzed.output)["normalized_snapshot_id"] == snapshot
    reported = run("perf", "report")
    assert "# Executive Summary" in reported.output
    compared = run("perf", "compare", snapshot[:8])
    assert compared.output.startswith("unchanged")


def test_a_bundle_is_named_as_the_makefile_prints_it(
    run: Run, log: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = "var/mcp/bundles/bundle_20260216_102530_3a4f9b2d11"
    place = workspace / ".benchpin" / bundle
    place.mkdir(parents=True)
    log.rename(place / "slow.log")
    monkeypatch.chdir(workspace)
    ingested = run("perf", "ingest", bundle)
    assert ingested.exit_code == 0, ingested.output
    assert "746" in ingested.output


def test_the_environment_names_another_snapshot(
    run: Run, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads(run("perf", "ingest", str(log), "--json").output)
    run("perf", "ingest", str(FIXTURES / "timings/csv_v1.csv"))
    monkeypatch.setenv("SNAPSHOT_ID", first["normalized_snapshot_id"])
    analyzed = json.loads(run("perf", "analyze", "--json").output)
    assert analyzed["normalized_snapshot_id"] == first["normalized_snapshot_id"]


def test_a_profile_becomes_a_flame_graph(run: Run) -> None:
    run("perf", "ingest", str(FIXTURES / f"spx/{PROFILE}.txt.zst"))
    drawn = run("perf", "flamegraph")
    assert drawn.exit_code == 0, drawn.output
    assert drawn.output.startswith("flamegraph: ")
    stacks = run("perf", "flamegraph", "--format", "collapsed", "--json")
    assert Path(json.loads(stacks.output)["path"]).read_text().count("\n") > 10


def test_without_a_snapshot_the_way_out_is_said(run: Run) -> None:
    shown = run("perf", "analyze")
    assert shown.exit_code == 2
    assert "Read one with `benchpin perf ingest`, or make one with `benchpin perf record`" in (
        shown.stderr
    )


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    shown = run("perf", "ingest", "missing.log")
    assert shown.exit_code == 2
    assert "missing.log" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ingest"], "No path was given"),
        (["ingest", ""], "A path is empty"),
        (["ingest", ".", ".."], "one folder"),
        (["collect", "http://127.0.0.1:1", "--header", "bad"], "not NAME:VALUE"),
        (["analyze", "abcdefgh", "--thresholds", "{"], "not JSON"),
    ],
)
def test_wrong_usage_is_said(run: Run, arguments: list[str], said: str) -> None:
    shown = run("perf", *arguments)
    assert shown.exit_code == 2
    assert said in shown.stderr


def test_files_are_told_before_anything_is_stored(run: Run, log: Path) -> None:
    shown = run("perf", "validate", str(log))
    assert "mysql_slow_log  mysql-slowlog-v1" in shown.output


def test_collect_fills_in_what_was_not_typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, Mapping[str, object], tuple[Path, ...]]] = []

    def note(workbench: Workbench, tool: str, arguments: Mapping[str, object]) -> None:
        called.append((tool, arguments, workbench.bench.artifact_dirs))
        raise InvalidParams("enough", suggestion="")

    monkeypatch.setattr("benchpin.cli.derived.run_tool", note)
    Path("spx").mkdir()
    run("perf", "collect", "http://127.0.0.1:1")
    typed = ["--spx-dir", "spx", "--slow-log", "logs/slow.log", "--header", "Cookie: a=b"]
    run("perf", "collect", "http://127.0.0.1:1", "/a", "/b", *typed, "--sample-count", "5")
    here = Path.cwd()
    assert called == [
        (
            "collect_artifacts",
            {
                "base_url": "http://127.0.0.1:1",
                "url_paths": ["/"],
                "spx_dirs": [],
                "slow_log_path": None,
                "headers_allowlist": [],
            },
            (),
        ),
        (
            "collect_artifacts",
            {
                "base_url": "http://127.0.0.1:1",
                "url_paths": ("/a", "/b"),
                "spx_dirs": [str(here / "spx")],
                "slow_log_path": str(here / "logs" / "slow.log"),
                "headers": {"Cookie": "a=b"},
                "headers_allowlist": ["Cookie"],
                "sample_count": 5,
            },
            (here / "spx", here / "logs"),
        ),
    ]


def test_the_flame_graph_and_the_report_go_to_a_file(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "a.txt").write_text("main;work 70\nmain 5\n", encoding="utf-8")
    run("perf", "ingest", str(workspace / "a.txt"))
    drawn = run("perf", "flamegraph", "--output", str(tmp_path / "a.html"))
    assert (drawn.exit_code, drawn.stdout) == (0, "")
    assert "Flame graph of" in (tmp_path / "a.html").read_text(encoding="utf-8")
    for name, start in (("a.svg", "<svg"), ("a.json", "{"), ("a.out", "# callgrind")):
        run("perf", "flamegraph", "--output", str(tmp_path / name))
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    drawn = run("perf", "flamegraph", "--format", "collapsed", "--output", str(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "main 5\nmain;work 70\n"
    assert f"Wrote {tmp_path}/a.txt" in drawn.stderr
    for name, start in (("r.html", "<!doctype html>"), ("r.md", "# Exec"), ("r.json", "{")):
        run("perf", "report", "--output", str(tmp_path / name))
        assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(start.lower())


def test_an_ingest_that_read_nothing_fails_and_says_so(run: Run, workspace: Path) -> None:
    empty = workspace / "timings.csv"
    empty.write_text("url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb\n", encoding="utf-8")
    found = run("perf", "ingest", str(empty))
    assert found.exit_code == 1
    assert f"Nothing was read from {empty}" in found.stdout
