import csv
import io
import json

import pytest
from pydantic import ValidationError
from sarif_pydantic import Sarif

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import FileMissing, InvalidCursor, InvalidParams, PathOutsideWorkspace
from benchpin.toolsets.analysis.analyze_complexity import (
    ComplexityParams,
    ComplexityReport,
    analyze_complexity,
)

from .conftest import Write

BRANCHY = """
    def branchy(a, b, c):
        if a and b:
            for item in c:
                if item:
                    return item
        elif b or c:
            return b
        else:
            return c


    def plain():
        return 1
"""


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("app/branchy.py", BRANCHY)
    write("app/plain.py", "def nothing():\n    pass\n")
    write("web/index.js", "function pick(a) { return a ? 1 : 2 }\n")


def analyze(shop: Workbench, **params: object) -> ComplexityReport:
    return shop.run(analyze_complexity, ComplexityParams.model_validate(params))


def test_functions_over_a_threshold_are_reported_worst_first(shop: Workbench) -> None:
    report = analyze(shop, max_cyclomatic=3, max_cognitive=4)
    found = [(it.function, it.rule, it.value, it.severity) for it in report.violations]
    assert found == [
        ("branchy", "cognitive-complexity", 10, "error"),
        ("branchy", "cyclomatic-complexity", 7, "error"),
    ]
    assert report.summary.total_functions == 4
    assert report.summary.max_cyclomatic == 7
    assert report.looked_at.measured == 3


def test_a_clean_project_has_no_violations(shop: Workbench) -> None:
    report = analyze(shop)
    assert report.violations == []
    assert report.summary.technical_debt_hours == 0
    assert report.to_text().startswith("4 functions in 3 files; 0 violations\n")


def test_thresholds_of_zero_list_every_function_in_pages(shop: Workbench) -> None:
    zero = {"max_cyclomatic": 0, "max_cognitive": 0, "limit": 2}
    seen, cursor = [], None
    while True:
        report = analyze(shop, **zero, cursor=cursor)
        seen += [it.function for it in report.violations if it.rule == "cyclomatic-complexity"]
        cursor = report.next_cursor
        if cursor is None:
            break
    assert sorted(seen) == ["branchy", "nothing", "pick", "plain"]
    with pytest.raises(InvalidCursor):
        analyze(shop, limit=2, cursor=analyze(shop, **zero).next_cursor)


def test_the_ranking_has_the_shape_of_the_document(shop: Workbench) -> None:
    report = analyze(shop, top_files=2, format="json")
    ranking = json.loads(report.to_text())["top_files"]
    assert (ranking["requested"], ranking["returned"]) == (2, 2)
    assert list(ranking["rankings"][0]) == [
        "rank",
        "file",
        "function_count",
        "max_cyclomatic",
        "avg_cognitive",
        "halstead_effort",
        "total_score",
    ]
    assert ranking["rankings"][0]["file"] == "app/branchy.py"
    assert "top_files" not in json.loads(analyze(shop, format="json").to_text())


@pytest.mark.parametrize(
    ("toolchain", "files"),
    [("python-uv", 2), ("deno", 1), ("javascript", 1), ("rust", 0), (None, 3)],
)
def test_a_toolchain_chooses_languages(shop: Workbench, toolchain: str | None, files: int) -> None:
    assert analyze(shop, toolchain=toolchain).summary.total_files == files


def test_an_unknown_toolchain_is_named_with_the_nearest(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="'pyton'") as raised:
        analyze(shop, toolchain="pyton")
    assert "'python" in raised.value.suggestion


@pytest.mark.parametrize(
    ("path", "error"),
    [("nowhere", FileMissing), ("../", PathOutsideWorkspace), ("a\0b", Exception)],
)
def test_a_bad_path_is_an_error(shop: Workbench, path: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        analyze(shop, project_path=path)


def test_a_path_that_is_nearly_right_is_named(shop: Workbench) -> None:
    with pytest.raises(FileMissing) as raised:
        analyze(shop, project_path="app/brnchy.py")
    assert raised.value.suggestion == "Did you mean 'app/branchy.py'?"


@pytest.mark.parametrize("params", [{"max_cyclomatic": -1}, {"format": "xml"}, {"top": 1}], ids=str)
def test_bad_params_are_refused(shop: Workbench, params: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        analyze(shop, **params)


def test_every_format_has_the_same_numbers(shop: Workbench) -> None:
    strict = {"max_cyclomatic": 1, "max_cognitive": 0}
    expected = sorted((it.function, it.value) for it in analyze(shop, **strict).violations)
    rows = csv.DictReader(io.StringIO(analyze(shop, **strict, format="csv").to_text()))
    assert sorted((row["function"], int(row["value"])) for row in rows) == expected
    log = json.loads(analyze(shop, **strict, format="sarif").to_text())
    results = log["runs"][0]["results"]
    assert sorted(result["properties"]["value"] for result in results) == sorted(
        value for _, value in expected
    )
    for shown in ("markdown", "full", "detailed"):
        text = analyze(shop, **strict, format=shown).to_text()
        assert text.count("branchy.py") == len([1 for name, _ in expected if name == "branchy"])


def test_sarif_has_the_shape_of_the_standard(shop: Workbench) -> None:
    text = analyze(shop, max_cyclomatic=1, format="sarif").to_text()
    log = Sarif.model_validate_json(text)
    assert log.version == "2.1.0"
    [location] = json.loads(text)["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {
        "uri": "app/branchy.py",
        "uriBaseId": "SRCROOT",
    }
    assert location["physicalLocation"]["region"]["startLine"] == 2


def test_generated_and_vendored_code_is_left_out_until_asked_for(
    shop: Workbench, write: Write
) -> None:
    write("api_pb2.py", "def made(): pass\n")
    write("made.py", "# @generated by a program\ndef made(): pass\n")
    write("vendor/lib.py", "def theirs(): pass\n")
    report = analyze(shop)
    assert report.summary.total_files == 3
    assert report.looked_at.skipped == {"generated": 2, "vendored": 1}
    assert "skipped: 2 generated, 1 vendored" in report.to_text()
    assert analyze(shop, include_generated=True).summary.total_files == 6


def test_what_may_not_be_read_is_not_measured(shop: Workbench, write: Write) -> None:
    write(".env.py", "def secret(): pass\n")
    report = analyze(shop, max_cyclomatic=0)
    assert all(it.file != ".env.py" for it in report.violations)
    assert report.looked_at.skipped == {"not permitted": 1}


def test_an_empty_workspace_has_nothing_and_says_so(shop: Workbench) -> None:
    report = analyze(shop, include_patterns=["*.rb"])
    assert report.summary.median_cyclomatic is None
    assert report.to_text().startswith("No file here is in a supported language.\n")


@pytest.mark.parametrize(
    "name",
    ["analyze_complexity", "analyze_duplicates", "analyze_comprehensive", "analyze_deep_context"],
)
def test_without_time_it_does_not_say_that_there_is_no_code(shop: Workbench, name: str) -> None:
    late = Job(time_limit_s=0)
    text = shop.prepare(shop.catalogue.find(name), {}, job=late).run().to_text()
    assert "Time ran out before any file was measured." in text
    assert "supported language" not in text


def test_a_file_that_does_not_parse_yields_what_it_can(shop: Workbench, write: Write) -> None:
    write("broken.py", "def fine():\n    return 1\n\n\ndef broken(:\n    return [\n")
    report = analyze(shop, max_cyclomatic=0)
    assert "fine" in {it.function for it in report.violations}
    assert report.looked_at.not_parsed == 1
    assert "[left out: 1 file not parsed in full (broken.py:5)]" in report.to_text()


def test_every_file_that_did_not_parse_whole_is_named(shop: Workbench, write: Write) -> None:
    write("a.py", "def broken(:\n    pass\n")
    write("b.js", "const a = 1;\nconst b = [;\n")
    seen = analyze(shop).model_dump(mode="json")["looked_at"]
    assert (seen["not_parsed"], seen["not_parsed_files"]) == (2, ["a.py:1", "b.js:2"])


def test_no_top_files_lists_all_violations_in_pages_of_a_thousand(
    shop: Workbench, write: Write
) -> None:
    write(
        "app/many.py", "\n".join(f"def f{at}(a):\n    return a and {at}\n" for at in range(1_100))
    )
    asked = {"project_path": "app/many.py", "max_cyclomatic": 1}
    some = shop.run(analyze_complexity, ComplexityParams.model_validate(asked))
    every = {**asked, "top_files": 0}
    first = shop.run(analyze_complexity, ComplexityParams.model_validate(every))
    last = shop.run(
        analyze_complexity, ComplexityParams.model_validate({**every, "cursor": first.next_cursor})
    )
    assert (len(some.violations), some.total) == (20, 1_100)
    assert (len(first.violations), len(last.violations), first.total) == (1_000, 100, 1_100)
    assert (first.top_files, last.next_cursor) == (None, None)


def test_a_threshold_may_have_a_fraction(shop: Workbench) -> None:
    def found(limit: float) -> ComplexityReport:
        return shop.run(
            analyze_complexity, ComplexityParams.model_validate({"max_cyclomatic": limit})
        )

    assert found(7.5).violations == []
    [violation] = found(6.5).violations
    assert (violation.threshold, violation.message.rpartition(" ")[2]) == (6.5, "6.5")
    assert '"threshold":6,' in found(6.0).model_dump_json()
