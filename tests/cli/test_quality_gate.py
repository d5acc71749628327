import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from repositories import Tree

Run = Callable[..., Result]
COMPLEX = "def f(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(12))


@pytest.fixture
def gate(run: Run, workspace: Path) -> Run:
    (workspace / "a.py").write_text(COMPLEX, encoding="utf-8")

    def run_gate(*options: str) -> Result:
        return run("quality", "gate", *options)

    return run_gate


def test_a_gate_that_fails_ends_with_1_unless_it_only_reports(gate: Run) -> None:
    failed = gate()
    assert failed.exit_code == 1
    assert failed.stdout.startswith("FAILED: ")
    reported = gate("--no-fail-on-violation")
    assert (reported.exit_code, reported.stdout) == (0, failed.stdout)
    assert gate("--complexity-threshold", "13").exit_code == 0
    assert "[default: fail-on-violation]" in " ".join(gate("--help").stdout.split())


def test_a_check_over_its_limit_is_named_with_limit_value_and_place(gate: Run) -> None:
    shown = gate("--checks", "max_cyclomatic").stdout.splitlines()
    assert shown[3] == "failed  max_cyclomatic     10  worst 13 at a.py:1 f; 1 of 1 function"


@pytest.mark.parametrize(
    "form", [("--json",), ("--format", "sarif"), ("--format", "json")], ids=str
)
def test_output_for_programs_leaves_the_reason_on_stderr(gate: Run, form: tuple[str, ...]) -> None:
    failed = gate("--checks", "max_cyclomatic", *form)
    assert failed.exit_code == 1
    json.loads(failed.stdout)
    reason = "worst 13 at a.py:1 f; 1 of 1 function"
    assert failed.stderr == f"failed: max_cyclomatic, limit 10: {reason}\n"


def test_a_check_that_is_only_reported_has_its_place_too(gate: Run, workspace: Path) -> None:
    Tree(workspace).commit({})
    (workspace / "a.py").write_text(f"{COMPLEX}# more\n", encoding="utf-8")
    shown = gate("--diff", "HEAD", "--thresholds", '{"max_file_lines": 3}').stdout
    assert "reported" in shown
    assert " at a.py:1" in shown


@pytest.mark.parametrize("form", ["detailed", "json", "sarif", "junit"])
def test_the_report_is_whole_whatever_the_exit_code(gate: Run, form: str) -> None:
    failed = gate("--format", form)
    assert (failed.exit_code, failed.stdout) == (1, gate("--format", form).stdout)


def test_structured_results_fail_too(gate: Run, run: Run) -> None:
    failed = gate("--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["passed"] is False
    called = run("call", "quality_gate", "--json", '{"fail_on_violation": true}')
    assert called.exit_code == 1
    assert json.loads(called.stdout)["status"] == "failed"


def test_no_time_is_neither_passed_nor_failed(gate: Run) -> None:
    late = gate("--tool-timeout", "0.000001")
    assert late.exit_code == 3
    assert late.stdout.startswith("NOT MEASURED: ")


def test_nothing_to_look_at_ends_with_2(gate: Run) -> None:
    assert gate("--include-patterns", "*.rb").exit_code == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--thresholds", '{"max_cyclomatc": 1}'),
        ("--thresholds", "max_cyclomatic"),
        ("--baseline", "b.json", "--update-baseline", "--diff", "HEAD"),
        ("--format", "xml"),
        ("--defect-threshold", "30"),
        ("--coverage-threshold", "101"),
        ("--thresholds", '{"max_nesting": "a"}'),
    ],
)
def test_wrong_usage_ends_with_2(gate: Run, options: tuple[str, ...]) -> None:
    assert gate(*options).exit_code == 2


@pytest.mark.parametrize(
    "options", [("nope",), ("--root", ".", "/etc"), ("--baseline", "no.json"), ("--diff", "HEAD")]
)
def test_what_could_not_be_done_ends_with_2_and_without_a_report(
    gate: Run, options: tuple[str, ...]
) -> None:
    refused = gate(*options)
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_a_comment_does_not_fail_what_was_there_before(gate: Run, workspace: Path) -> None:
    copied = "".join(f"    total += values[{it}] * weights[{it}]\n" for it in range(20))
    once = f"def one(total, values, weights):\n{copied}\n\n"
    (workspace / "copied.py").write_text(once * 2, encoding="utf-8")
    Tree(workspace).commit({})
    (workspace / "copied.py").write_text(once * 2 + "# a comment\n", encoding="utf-8")
    hook = ("--diff", "HEAD")
    passed = gate(*hook)
    assert (passed.exit_code, passed.stdout.split(":")[0]) == (0, "PASSED")
    assert "reported      max_duplication_percent" in passed.stdout
    assert gate(*hook, "--checks", "max_duplication_percent").exit_code == 1


def test_a_baseline_is_written_when_that_is_typed_unless_nothing_may_be_written(
    gate: Run, workspace: Path
) -> None:
    options = ("--baseline", "b.json", "--update-baseline")
    assert gate(*options, "--read-only").exit_code == 2
    assert not (workspace / "b.json").exists()
    assert gate(*options).exit_code == 0
    assert (workspace / "b.json").is_file()
    assert gate("--baseline", "b.json").exit_code == 0
