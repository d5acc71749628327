"""The measures that all analyses share: taken once, remembered, and the same for all."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import Cancelled
from benchpin.measures import clones as duplicates
from benchpin.measures.history import History
from benchpin.project import OUT_OF_TIME, Project
from benchpin.project.scores import _analyses as composed
from benchpin.toolsets.analysis import analyze_dead_code
from benchpin.toolsets.analysis._selection import SelectionParams, project_of
from benchpin.toolsets.analysis.analyze_comprehensive import (
    ComprehensiveParams,
    analyze_comprehensive,
)
from repositories import START, Tree

Write = Callable[[str, str], Path]
COPY = "\n".join(f"value_{at} = first({at}) + second({at}) * third({at})" for at in range(12))


@pytest.fixture
def bench(shop: Workbench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return what a tool of the workbench is handed."""
    handed: list[Bench] = []

    def noting(params: SelectionParams, bench: Bench) -> Project:
        handed.append(bench)
        return project_of(params, bench)

    monkeypatch.setattr(analyze_dead_code, "project_of", noting)
    shop.call("analyze_dead_code")
    return replace(handed[0], job=Job())


def project(bench: Bench, **arguments: object) -> Project:
    return project_of(SelectionParams.model_validate(arguments), replace(bench, job=Job()))


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count how many files each search for duplicates is given."""
    given: list[int] = []
    search = duplicates.find_duplicates

    def counting(files: list[object], *rest: object) -> object:
        given.append(len(files))
        return search(files, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(duplicates, "find_duplicates", counting)
    return given


def test_a_measure_is_taken_again_only_when_a_file_changed(
    bench: Bench, write: Write, searches: list[int]
) -> None:
    write("a.py", COPY)
    write("b.py", COPY)
    first = project(bench).duplicates().required()
    assert first.summary.duplicated_lines == 24
    assert project(bench).duplicates().required() is first
    write("b.py", COPY.replace("first", "other"))
    assert project(bench).duplicates().required().summary.duplicated_lines == 0
    write("b.py", COPY)
    assert project(bench).duplicates().required() is first
    assert searches == [2, 2]


def test_a_fresh_look_remembers_nothing(bench: Bench, write: Write, searches: list[int]) -> None:
    write("a.py", COPY)
    project(bench).duplicates()
    project(bench, cache_strategy="force-refresh").duplicates()
    assert searches == [1, 1]


def test_parts_of_a_project_are_not_mixed_up(bench: Bench, write: Write) -> None:
    write("x/a.py", COPY)
    write("y/a.py", COPY)
    whole, part = project(bench), project(bench, project_path="x")
    assert whole.duplicates().required().summary.duplicated_lines == 24
    assert part.duplicates().required().summary.duplicated_lines == 0


def test_dead_code_is_judged_anew_when_a_text_changes(bench: Bench, write: Write) -> None:
    write("a.py", "def _load_it(): pass\n")
    assert [it.name for it in project(bench).dead_code().required().items] == ["_load_it"]
    write("setup.cfg", "[hooks]\nrun = a:_load_it\n")
    assert project(bench).dead_code().required().items == []


def test_dead_code_is_judged_anew_when_a_file_changes_that_cannot_be_measured(
    bench: Bench, write: Write
) -> None:
    write("a.py", "def _load_it(): pass\n")
    padding = "# nothing\n" * 500_000
    write("huge.py", f"import a\na._load_it()\n{padding}")
    assert project(bench).dead_code().required().items == []
    write("huge.py", f"import a\n{padding}")
    assert [it.name for it in project(bench).dead_code().required().items] == ["_load_it"]


def test_what_cannot_be_measured_has_a_reason(bench: Bench, write: Write) -> None:
    write("a.py", "x = 1\n")
    found = project(bench)
    assert found.churn(30).value is None
    assert "No git repository" in found.churn(30).reason
    assert found.not_measured == {"history": found.churn(30).reason}


def test_history_is_read_again_for_a_longer_period_and_a_new_commit(
    bench: Bench, workspace: Path
) -> None:
    tree = Tree(workspace)
    for at in range(4):
        tree.commit({"a.py": b"x = %d\n" % at})
    now = datetime(2026, 1, 4, 13, tzinfo=UTC)

    def commits(days: int) -> int:
        history = project(replace(bench, now=lambda: now)).history(days).required()
        return len(history.commits)

    assert [commits(2), commits(100), commits(1), commits(2)] == [2, 4, 1, 2]
    tree.commit({"a.py": b"x = 5\n"})
    assert commits(2) == 3


def test_history_is_read_again_when_a_clone_gets_its_past(bench: Bench, workspace: Path) -> None:
    tree = Tree(workspace.parent / "origin")
    for at in range(4):
        tree.commit({"a.py": b"x = %d\n" % at})
    clone = Tree(workspace, is_new=False)
    clone.git("clone", "--quiet", "--depth=2", f"file://{tree.root}", ".")
    now = datetime(2026, 1, 4, 13, tzinfo=UTC)

    def commits() -> int:
        history = project(replace(bench, now=lambda: now)).history(100).required()
        return len(history.commits)

    assert commits() == 2
    clone.git("fetch", "--quiet", "--unshallow")
    assert commits() == 4


def test_a_file_without_history_did_not_stay_the_same(bench: Bench, workspace: Path) -> None:
    Tree(workspace).commit({"a.py": b"x = 1\n"})
    (workspace / "new.py").write_text("y = 1\n")
    terms = {
        (it.file, term.name): term.value
        for it in project(bench).debt_gradients().required()
        for term in it.terms
    }
    assert terms["a.py", "churn"] == 0
    assert terms["new.py", "churn"] is None


def test_a_file_has_the_same_gradient_whatever_else_is_chosen(bench: Bench, write: Write) -> None:
    write("src/a.py", COPY)
    write("src/b.py", "import a\n")
    write("lib/c.py", COPY)
    gradients = {
        path: {it.file: it for it in project(bench, project_path=path).debt_gradients().required()}
        for path in (".", "src", "src/a.py")
    }
    expected = gradients["."]["src/a.py"]
    assert gradients["src"]["src/a.py"] == gradients["src/a.py"]["src/a.py"] == expected
    assert {term.name: term.basis for term in expected.terms}[
        "duplication"
    ] == "100.0 % of its lines"


def test_out_of_time_is_no_measure(bench: Bench, write: Write) -> None:
    write("a.py", COPY)
    found = project(bench)
    assert found.files
    late = Project(replace(found.selection, job=Job(time_limit_s=0)), found.now)
    assert late.duplicates().value is None
    assert late.duplicates().reason == OUT_OF_TIME
    assert late.job.missing
    assert project(bench).duplicates().value is not None


def test_cancelling_is_heard(bench: Bench, write: Write) -> None:
    write("a.py", COPY)
    found = project(bench)
    found.job.cancel()
    with pytest.raises(Cancelled):
        found.duplicates()


def test_each_measure_is_timed_without_what_it_rests_on(bench: Bench, write: Write) -> None:
    write("a.py", COPY)
    found = project(bench)
    found.debt_gradients()
    assert {"reading and parsing", "duplicates", "history", "import-graph", "debt gradient"} == set(
        found.watch.seconds
    )
    assert all(seconds >= 0 for seconds in found.watch.seconds.values())


def test_a_new_process_recalls_every_measure_and_finds_the_same(
    shop: Workbench, write: Write
) -> None:
    for name in ("a.py", "b.py"):
        write(name, f"# TODO: make this faster\n{COPY}\n\ndef _unused_{name[0]}(x):\n    pass\n")
    answers = []
    for settings in (shop.configuration, shop.configuration):
        workbench = Workbench(settings)
        answers.append(workbench.call("analyze_comprehensive"))
        workbench.close()
    first, second = answers
    assert first.model_dump() == second.model_dump()
    assert first.assurance().measures
    assert set(first.assurance().measures.values()) == {"computed"}
    assert set(second.assurance().measures.values()) == {"recalled"}


@pytest.mark.slow
def test_a_recalled_report_notices_whatever_its_measures_depend_on(
    workspace: Path, write: Write
) -> None:
    def ask(**arguments: object) -> Mapping[str, str]:
        with closing(Workbench.open(workspace)) as opened:
            return opened.call("analyze_comprehensive", **arguments).assurance().measures

    write("a.py", "from b import run\n\ndef go():\n    return run()\n")
    write("b.py", "def run():\n    return 1\n")
    assert ask()["comprehensive"] == "computed"
    assert ask() == {"comprehensive": "recalled"}
    assert ask(min_lines=1)["comprehensive"] == "computed"
    for path, text in [
        ("a.py", "from b import run\n\ndef go():\n    return run() + 1\n"),
        ("notes.txt", "go\n"),
        ("package.json", "{}\n"),
        ("coverage.xml", "<coverage/>\n"),
        ("broken.py", "\0"),
    ]:
        write(path, text)
        assert ask()["comprehensive"] == "computed", path
        assert ask() == {"comprehensive": "recalled"}, path


def test_a_report_is_recalled_although_its_commits_are_a_day_older(
    bench: Bench, workspace: Path
) -> None:
    Tree(workspace).commit({"a.py": COPY.encode()})

    def ask(days: float) -> str:
        job = Job()
        moment = START + timedelta(days=days)
        analyze_comprehensive(ComprehensiveParams(), replace(bench, job=job, now=lambda: moment))
        return job.measures["comprehensive"]

    assert ask(10) == "computed"
    assert [ask(11), ask(29)] == ["recalled", "recalled"]
    assert ask(31) == "computed"  # it is no longer in the period of churn
    assert ask(89) == "recalled"
    assert ask(91) == "computed"  # nor in that of the debt gradient


def test_a_history_too_long_for_the_recall_costs_no_measure(
    shop: Workbench, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(
        _session: object, _folder: object, _since: object, job: Job, **_: bool
    ) -> History:
        job.leave_out("most commits")
        return History((), frozenset())

    monkeypatch.setattr(composed, "read_recent", cut_short)
    write("a.py", "def _unused(x):\n    pass\n")
    report = shop.call("analyze_comprehensive")
    assert not report.partial
    measures = report.assurance().measures
    assert measures["dead code"] == "computed"
    assert "comprehensive" not in measures
