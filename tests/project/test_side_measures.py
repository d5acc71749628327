"""Measures that another process takes: the same results, and none that depends on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.facts import FileSelection
from benchpin.measures import debt
from benchpin.project import Project, gather
from benchpin.project import _findings as findings
from benchpin.project.side_process import SideMeasures, worth_taking_aside
from benchpin.project.side_process import _side_measures as side_measures
from benchpin.project.side_process._side_measures import SideAnswer
from benchpin.system.processes import READY, HelperProcess
from selections import select_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FILES = {
    "shop.py": "# TODO: this is a hack, rewrite it\ndef price(it):\n    return it.price\n",
    "other.py": "import shop\n\n\ndef unused():\n    return shop.price(1)\n",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "work" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "work" / name).write_text(text, encoding="utf-8")
    return tmp_path / "work"


@contextmanager
def selected(work: Path, cache: str = "cache", job: Job | None = None) -> Iterator[FileSelection]:
    selection = select_all(work, work.parent / cache, job=job or Job())
    try:
        yield selection
    finally:
        selection.session.close()


class Helper:
    """A process that says what the test has written down."""

    def __init__(self, _module: str) -> None:
        self.sent: list[bytes] = []
        self.says: list[bytes] = [READY]
        self.is_alive = True

    def send(self, message: bytes) -> None:
        self.sent.append(message)

    def receive(self, _seconds: float) -> bytes | None:
        return self.says.pop(0) if self.says else None

    def close(self) -> None:
        self.is_alive = False


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> Helper:
    made = Helper("")
    monkeypatch.setattr(side_measures, "HelperProcess", lambda _module: made)
    return made


def says(*answers: SideAnswer) -> list[bytes]:
    return [msgspec.msgpack.encode(it) for it in answers]


@pytest.mark.slow
def test_another_process_finds_what_this_one_would(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_measures, "MIN_FILES", 1)
    with selected(work) as shared:
        beside = gather(Project(shared, NOW))
        assert {"debt", "duplicates"} <= shared.job.measures.keys()
    monkeypatch.setattr(findings, "worth_taking_aside", lambda *_: [])
    with selected(work, "other") as alone:
        here = gather(Project(alone, NOW))
    assert beside.debt is not None
    assert beside.dead_code is not None
    assert (beside.debt, beside.dead_code) == (here.debt, here.dead_code)
    assert beside.duplicates is not None
    assert here.duplicates is not None
    assert beside.duplicates.summary == here.duplicates.summary
    assert shared.manifests == alone.manifests
    assert shared.job.measures == alone.job.measures


@pytest.mark.slow
def test_a_measure_that_was_begun_is_waited_for_and_recalled(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with selected(work) as it:
        project = Project(it, NOW)
        with SideMeasures(it, ["debt"]) as project.aside:
            while project.aside.begun() != {"debt"}:
                it.job.check()
            monkeypatch.setattr(debt, "join_debt", None)  # not computed here
            assert project.debt().required().items
        assert it.job.measures["debt"] == "computed"


def test_what_is_not_begun_is_taken_here_and_not_there(work: Path, helper: Helper) -> None:
    with selected(work) as it, SideMeasures(it, ["debt", "duplicates"]) as aside:
        helper.says += says(SideAnswer("debt"))
        aside.wait_for("duplicates")
        assert helper.sent[1:] == [b"duplicates"]
    assert not helper.is_alive


def test_what_the_other_process_noted_is_noted_here(work: Path, helper: Helper) -> None:
    with selected(work) as it, SideMeasures(it, ["debt"]) as aside:
        done = SideAnswer("debt", True, {"file debt": "computed"}, {"setup.py": b"digest"})
        helper.says += says(SideAnswer("debt"), done)
        aside.wait_for("debt")
        assert it.job.measures == {"file debt": "computed"}
        assert it.manifests == {"setup.py": b"digest"}


def test_a_process_that_dies_is_not_waited_for(work: Path, helper: Helper) -> None:
    with selected(work) as it:
        project = Project(it, NOW)
        with SideMeasures(it, ["debt"]) as project.aside:
            helper.says += [*says(SideAnswer("debt")), b""]
            assert project.debt().required().items


def test_waiting_ends_with_the_call(work: Path, helper: Helper) -> None:
    job = Job()
    with selected(work, job=job) as it, SideMeasures(it, ["debt"]) as aside:
        helper.says += says(SideAnswer("debt"))
        job.cancel()
        with pytest.raises(Cancelled):
            aside.wait_for("debt")
        assert not helper.is_alive


def test_only_what_was_never_measured_is_worth_a_process(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with selected(work) as it:
        assert worth_taking_aside(it, 2, ["debt"]) == []
        monkeypatch.setattr(side_measures, "worker_count", lambda: 2)
        assert worth_taking_aside(it, 5_000, ["debt", "duplicates"]) == ["debt", "duplicates"]
        Project(it, NOW).debt()
        assert worth_taking_aside(it, 5_000, ["debt", "duplicates"]) == ["duplicates"]
        assert worth_taking_aside(it, 50_000, ["duplicates"]) == []
        monkeypatch.setattr(side_measures, "worker_count", lambda: 1)
        assert worth_taking_aside(it, 5_000, ["duplicates"]) == []


@pytest.mark.slow
def test_a_process_that_has_ended_can_still_be_asked() -> None:
    ended = HelperProcess("benchpin.project.side_process._side_worker")
    ended.close()
    ended.send(b"debt")
    assert ended.receive(0) == b""
