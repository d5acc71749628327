"""Reports for which there was not enough time say nothing that they do not know."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.results import Result
from repository_kit import PYTHON_LIBRARY, write_files


@pytest.fixture(autouse=True)
def sources(workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)


def called_briefly(shop: Workbench, tool: str, steps: int, **params: Any) -> Result:
    ticks = count()
    job = Job(time_limit_s=steps, monotonic=lambda: float(next(ticks)))
    return shop.prepare(shop.catalogue.find(tool), {"path": ".", **params}, job=job).run()


@pytest.mark.parametrize("depth", ["quick", "standard", "deep"])
def test_what_was_not_measured_is_null(shop: Workbench, depth: str) -> None:
    report = called_briefly(shop, "analyze_repository", 0, depth=depth)
    said = report.model_dump()
    assert report.partial
    names = ("files", "folders", "lines", "languages", "test_files", "ci")
    assert {said["structure"][name] for name in names} == {None}
    assert said["documentation"]["documents"] is None
    assert said["documentation"]["kinds"] is None
    assert said["recommendations"] == []
    assert (said["dependencies"], said["structure"]["packages"]) == (None, None)
    assert {"files", "test_files", "ci", "documents"} <= said["not_measured"].keys()
    shown = report.to_text()
    assert not any(it in shown for it in ("tests:", "CI:", "documents: 0", "README", "0 files"))


@pytest.mark.parametrize("steps", range(0, 120, 3))
def test_no_recommendation_is_based_on_unread_files(shop: Workbench, steps: int) -> None:
    in_time = shop.call("analyze_repository", path=".", depth="deep").model_dump()
    late = called_briefly(shop, "analyze_repository", steps, depth="deep").model_dump()
    actions = {it["action"] for it in in_time["recommendations"]}
    advice = {it["action"] for it in late["recommendations"]} - actions
    assert not [it for it in advice if not it.startswith("Fix ")]
    assert late["structure"]["lines"] in {None, in_time["structure"]["lines"]}
    assert late["dependencies"] in (None, in_time["dependencies"])
    assert late["commands"] in (None, in_time["commands"])


def test_a_check_misses_nothing_that_it_did_not_look_for(shop: Workbench) -> None:
    report = called_briefly(shop, "check_documentation", 0)
    said = report.model_dump()
    assert (said["problems"], said["documents"], said["kinds"]) == ([], None, None)
    assert report.to_text() == "0 problems in what there was time for"


@pytest.mark.parametrize("steps", range(0, 120, 7))
def test_an_incomplete_analysis_is_not_remembered(shop: Workbench, steps: int) -> None:
    called_briefly(shop, "analyze_repository", steps, depth="deep")
    after = shop.call("analyze_repository", path=".", depth="deep").model_dump()
    other = Workbench.open(shop.configuration.settings.root)
    assert after == other.call("analyze_repository", path=".", depth="deep").model_dump()


@pytest.mark.parametrize(
    ("limit_s", "said"), [(None, "Repository analysis completed"), (0, "analysis incomplete")]
)
def test_only_a_whole_analysis_is_called_completed(
    shop: Workbench, limit_s: float | None, said: str
) -> None:
    lines: list[str] = []
    job = Job(time_limit_s=limit_s, on_log=lambda _level, text: lines.append(text))
    shop.prepare(shop.catalogue.find("analyze_repository"), {"path": "."}, job=job).run()
    assert [line for line in lines if said in line]
    assert sum("completed" in line for line in lines) == (limit_s is None)
