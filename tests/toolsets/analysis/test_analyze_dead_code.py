import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import FileMissing, InvalidCursor, InvalidParams, TimeLimitExceeded
from benchpin.facts.workers import FileBatch, FileResult, WorkerPool
from benchpin.toolsets.analysis.analyze_dead_code import (
    DeadCodeParams,
    DeadCodeReport,
    analyze_dead_code,
)

SHOP = """\
from .stock import count


def _close():
    return _lock()


def _lock():
    return 1


class Till:
    def add(self):
        return count()

    def _void(self):
        return 0


def render():
    return Till().add()
"""
STOCK = """\
def count():
    return 1


def audit():
    return 2


def _recount():
    return 3
"""
TESTS = "from shop.stock import _recount\n\n\ndef test_it():\n    assert _recount()\n"


@pytest.fixture
def shop(workspace: Path) -> Iterator[Workbench]:
    """Give a workbench on a small shop, and let its workers go at the end."""
    files = {
        "shop/till.py": SHOP,
        "shop/stock.py": STOCK,
        "tests/test_stock.py": TESTS,
        "web/page.html": "{{ render }}",
    }
    for path, text in files.items():
        place = workspace / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    opened = Workbench.open(workspace)
    yield opened
    opened.close()


def report(shop: Workbench, **arguments: object) -> DeadCodeReport:
    return shop.run(analyze_dead_code, DeadCodeParams.parse(arguments))


def found(shop: Workbench, **arguments: object) -> dict[str, float]:
    return {it.name: it.confidence for it in report(shop, **arguments).items}


ALL = {"_close": 0.95, "_lock": 0.95, "Till._void": 0.95, "audit": 0.8, "_recount": 0.6}


def test_findings_come_with_confidence_place_and_reason(shop: Workbench) -> None:
    result = report(shop)
    assert [(it.file, it.line, it.end_line, it.name, it.kind) for it in result.items] == [
        ("shop/till.py", 4, 5, "_close", "function"),
        ("shop/till.py", 8, 9, "_lock", "function"),
        ("shop/till.py", 16, 17, "Till._void", "method"),
        ("shop/stock.py", 5, 6, "audit", "function"),
    ]
    assert [it.status for it in result.items] == [
        "unused",
        "used_by_dead_code",
        "unused",
        "unused",
    ]
    assert "_close in shop/till.py" in result.items[1].reason
    assert result.summary.dead_lines == sum(it.lines for it in result.items) == 8
    assert (result.summary.dead_functions, result.summary.dead_methods) == (3, 1)
    assert result.summary.total_lines == 31
    assert result.summary.dead_percent == 25.81
    assert [(it.file, it.dead_lines) for it in result.top_files] == [
        ("shop/till.py", 6),
        ("shop/stock.py", 2),
    ]


def test_a_lower_confidence_shows_more(shop: Workbench) -> None:
    assert found(shop, min_confidence=0.6) == ALL
    assert report(shop, min_confidence=0.6).summary.used_by_tests_only == 1
    assert found(shop, min_confidence=0.02) == {**ALL, "render": 0.02, "Till": 0.02, "count": 0.02}
    assert found(shop, min_confidence=0.9) == {name: it for name, it in ALL.items() if it >= 0.9}


def test_uses_outside_the_chosen_folder_count(shop: Workbench, workspace: Path) -> None:
    (workspace / "tools").mkdir()
    (workspace / "tools" / "night.py").write_text(
        "from shop.stock import audit\n\naudit()\n", encoding="utf-8"
    )
    assert found(shop, project_path="shop/stock.py", min_confidence=0.6) == {"_recount": 0.6}
    assert found(shop, project_path="shop", exclude_patterns=["till.py", "tools"]) == {}


def test_tests_are_looked_at_on_request(shop: Workbench, workspace: Path) -> None:
    extra = TESTS + "\n\ndef _old_helper():\n    return 1\n"
    (workspace / "tests" / "test_stock.py").write_text(extra, encoding="utf-8")
    assert "_old_helper" not in found(shop)
    assert found(shop, include_tests=True)["_old_helper"] == 0.95


def test_pages_go_on_where_the_last_one_ended(shop: Workbench) -> None:
    first = report(shop, limit=3)
    assert (first.total, len(first.items)) == (4, 3)
    rest = report(shop, limit=3, cursor=first.next_cursor)
    assert [it.name for it in rest.items] == ["audit"]
    assert rest.next_cursor is None
    with pytest.raises(InvalidCursor):
        report(shop, min_confidence=0.1, cursor=first.next_cursor)


def test_every_format_has_the_same_findings(shop: Workbench) -> None:
    listed = json.loads(report(shop, format="json").to_text())
    expected = [(it["name"], it["line"], it["confidence"]) for it in listed["items"]]
    rows = list(csv.DictReader(io.StringIO(report(shop, format="csv").to_text())))
    assert [(it["name"], int(it["line"]), float(it["confidence"])) for it in rows] == expected
    log = json.loads(report(shop, format="sarif").to_text())
    results = log["runs"][0]["results"]
    assert [
        (it["locations"][0]["physicalLocation"]["region"]["startLine"],
         it["properties"]["confidence"])
        for it in results
    ] == [(line, confidence) for _, line, confidence in expected]  # fmt: skip
    assert [it["ruleId"] for it in results][2:] == ["unused-method", "unused-function"]
    for name in ("summary", "full", "detailed", "markdown"):
        shown = report(shop, format=name).to_text()
        assert all(dead in shown for dead, _, _ in expected), name
        assert "8 of 31 lines, 25.81 %" in shown, name


def test_the_full_text_says_why_and_where_to_go_on(shop: Workbench) -> None:
    shown = report(shop, format="full", limit=1).to_text()
    lines = shown.splitlines()
    at = next(at for at, line in enumerate(lines) if "shop/till.py:4-5" in line)
    assert lines[at].split() == ["0.95", "unused", "function", "_close", "shop/till.py:4-5", "2"]
    assert lines[at + 1] == "  nothing in the workspace uses _close"
    assert "1 of 4; next_cursor=" in shown


def test_a_test_only_finding_is_a_note_of_its_own_rule(shop: Workbench) -> None:
    log = json.loads(report(shop, min_confidence=0.6, format="sarif").to_text())
    last = log["runs"][0]["results"][-1]
    assert (last["ruleId"], last["level"]) == ("test-only-code", "note")


def test_an_empty_workspace_has_nothing_dead(shop: Workbench, workspace: Path) -> None:
    (workspace / "empty").mkdir()
    result = report(shop, project_path="empty")
    assert (result.items, result.summary.dead_percent) == ([], None)
    assert result.to_text() == "0 files, no functions, methods or types"


def test_source_that_cannot_be_measured_still_counts_as_a_user(
    shop: Workbench, workspace: Path
) -> None:
    big = "audit()\n" + "#" * (4 << 20)
    (workspace / "shop" / "big.py").write_text(big, encoding="utf-8")
    result = report(shop)
    assert "audit" not in {it.name for it in result.items}
    assert [it.file for it in result.looked_at.unmeasured] == ["shop/big.py"]


@pytest.mark.parametrize("wrong", [{"min_confidence": 2}, {"limit": 0}, {"format": "xml"}])
def test_wrong_arguments_are_refused(shop: Workbench, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidParams):
        report(shop, **wrong)


def test_a_missing_folder_is_named(shop: Workbench) -> None:
    with pytest.raises(FileMissing):
        report(shop, project_path="nowhere")


def test_a_file_that_a_walk_leaves_out_can_be_named(shop: Workbench, workspace: Path) -> None:
    (workspace / "vendor").mkdir()
    (workspace / "vendor/theirs.py").write_text(STOCK, encoding="utf-8")
    result = report(shop, project_path="vendor/theirs.py")
    assert [it.name for it in result.items] == ["audit"]
    assert result.summary.total_files == result.looked_at.measured == 1


def test_a_forced_refresh_measures_each_file_once(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(shop)
    orders: list[str] = []
    measured = WorkerPool.map

    def count(
        pool: WorkerPool, given: Sequence[FileBatch], job: Job, workers: int | None
    ) -> Iterator[FileResult]:
        forced = [order for order in given if order.strategy == "force-refresh"]
        orders.extend(path for order in forced for path, _ in order.files)
        return measured(pool, given, job, workers)

    monkeypatch.setattr(WorkerPool, "map", count)
    report(shop, cache_strategy="force-refresh")
    assert sorted(orders) == ["shop/stock.py", "shop/till.py", "tests/test_stock.py"]


def test_out_of_time_is_an_error_and_not_a_wrong_answer(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("def _unused(): pass\n")
    job = Job(time_limit_s=1e-9)
    listing = shop.catalogue.find("analyze_dead_code")
    with pytest.raises(TimeLimitExceeded, match="before all files were read"):
        shop.prepare(listing, {}, job=job).run()


def test_a_use_at_the_end_of_a_huge_file_is_a_use(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("def _helper(): pass\n")
    (workspace / "huge.py").write_text("x = 1\n" * 1_000_000 + "from a import _helper\n_helper()\n")
    found = shop.call("analyze_dead_code")
    assert "_helper" not in found.to_text()


def test_a_function_that_another_language_uses_is_not_dead(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "native").mkdir()
    source = "int area(int a) { return a; }\nint size(int a) { return a; }\n"
    (workspace / "native/area.c").write_text(source, encoding="utf-8")
    assert {"area", "size"} <= found(shop, include_public=True).keys()
    rust = 'extern "C" {\n    fn area(a: i32) -> i32;\n}\n\nfn main() { unsafe { area(1); } }\n'
    (workspace / "native/main.rs").write_text(rust, encoding="utf-8")
    names = found(shop, include_public=True).keys()
    assert "size" in names
    assert "area" not in names
