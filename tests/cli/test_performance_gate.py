from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]
HEAD = "url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb\n"


def timings(workspace: Path, wall_ms: int) -> str:
    rows = [
        f"http://shop.example/,/,{wall_ms + it % 3},{wall_ms + it % 3},0,0\n" for it in range(9)
    ]
    path = workspace / f"{wall_ms}.csv"
    path.write_text(HEAD + "".join(rows), encoding="utf-8")
    return str(path)


def test_the_gate_ends_with_0_1_or_2(run: Run, workspace: Path) -> None:
    assert run("perf", "ingest", timings(workspace, 100)).exit_code == 0
    wrote = run("perf", "gate", "--baseline", "perf.json", "--update-baseline")
    assert wrote.exit_code == 0, wrote.stdout + wrote.stderr
    assert run("perf", "gate", "--baseline", "perf.json").exit_code == 0
    assert run("perf", "ingest", timings(workspace, 150)).exit_code == 0
    failed = run("perf", "gate", "--baseline", "perf.json")
    assert failed.exit_code == 1
    assert failed.stdout.startswith("FAILED: 2 regressions beyond noise")
    assert run("perf", "gate", "--baseline", "perf.json", "--no-fail-on-regression").exit_code == 0
    assert run("perf", "gate", "--baseline", "gone.json").exit_code == 2
    junit = run("perf", "gate", "--baseline", "perf.json", "--format", "junit")
    assert (junit.exit_code, 'failures="1"' in junit.stdout) == (1, True)
    assert "slower: /: first byte 101 ms to 151 ms" in junit.stderr


def test_the_first_baseline_says_that_nothing_was_compared(run: Run, workspace: Path) -> None:
    run("perf", "ingest", timings(workspace, 100))
    arguments = ("perf", "gate", "--baseline", "perf.json", "--update-baseline")
    first = run(*arguments)
    assert (first.exit_code, "nothing was compared" in first.stdout) == (0, True)
    assert first.stdout.startswith("BASELINE WRITTEN: perf.json")
    assert run(*arguments).stdout.startswith("PASSED")
    (workspace / "perf.json").unlink()
    junit = run(*arguments, "--format", "junit")
    assert 'skipped="3"' in junit.stdout


def test_what_cannot_be_compared_is_named(run: Run, workspace: Path) -> None:
    run("perf", "ingest", timings(workspace, 100))
    run("perf", "gate", "--baseline", "perf.json", "--update-baseline")
    (workspace / "a.txt").write_text("main;work 70\n", encoding="utf-8")
    run("perf", "ingest", str(workspace / "a.txt"))
    found = run("perf", "gate", "--baseline", "perf.json")
    assert found.exit_code == 2
    assert "the older snapshot has /; the newer one has - (samples)" in found.stderr
    assert "same arguments, profiler and clock" in found.stderr
