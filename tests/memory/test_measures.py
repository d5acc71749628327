"""A result is used again while everything that was read for it is the same."""

from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import FileSelection
from benchpin.memory import Inputs, Measure
from selections import select_all

MANIFEST = "size.txt"


def _total(inputs: Inputs, factor: int) -> int:
    """Return the size of all files, times what a manifest says."""
    unit = int(inputs.read_manifest(MANIFEST) or b"1")
    return sum(file.size_bytes for file in inputs.listing.files) * unit * factor


def _grown(before: int, inputs: Inputs, factor: int) -> int | None:
    return before + 1_000 if len(inputs.listing.files) * factor > 1 else None


TOTAL = Measure("total", int, _total)
GROWN = Measure("grown", int, _total, _grown, slot=lambda factor: factor)
OUTER = Measure[Inputs, int, int]("outer", int, lambda inputs, option: inputs.get(TOTAL, option))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
    return folder


def _get(
    work: Path, measure: Measure[Inputs, int, int], option: int = 1, *, is_fresh: bool = False
) -> tuple[int, str]:
    """Return a result and how it came about, as in a process of its own."""
    selection = select_all(work, work.parent / "cache", is_fresh=is_fresh)
    try:
        return _get_in(selection, measure, option)
    finally:
        selection.session.close()


def _get_in(
    selection: FileSelection, measure: Measure[Inputs, int, int], option: int = 1
) -> tuple[int, str]:
    job = Job()
    call = FileSelection(
        selection.session, selection.permissions, job, selection.query, selection.is_fresh
    )
    return Inputs(call).get(measure, option), job.measures[measure.name]


def test_the_key_is_the_files_and_the_options(work: Path) -> None:
    assert _get(work, TOTAL) == (6, "computed")
    assert _get(work, TOTAL) == (6, "recalled")
    assert _get(work, TOTAL, 2) == (12, "computed")
    (work / "b.py").write_text("x = 10\n", encoding="utf-8")
    assert _get(work, TOTAL) == (13, "computed")
    (work / "b.py").unlink()
    assert _get(work, TOTAL) == (6, "recalled")
    assert _get(work, TOTAL, is_fresh=True) == (6, "computed")


@pytest.mark.parametrize("measure", [TOTAL, OUTER])
def test_what_was_read_on_the_way_is_compared(
    work: Path, measure: Measure[Inputs, int, int]
) -> None:
    assert _get(work, measure) == (6, "computed")
    (work / MANIFEST).write_text("2", encoding="utf-8")  # there was none
    assert _get(work, measure) == (12, "computed")
    assert _get(work, measure) == (12, "recalled")
    (work / MANIFEST).write_text("3", encoding="utf-8")
    assert _get(work, measure) == (18, "computed")


def test_a_result_in_memory_is_compared_too(work: Path) -> None:
    selection = select_all(work, work.parent / "cache")
    assert _get_in(selection, OUTER) == (6, "computed")
    assert _get_in(selection, OUTER) == (6, "recalled")
    (work / MANIFEST).write_text("2", encoding="utf-8")
    assert _get_in(selection, OUTER) == (12, "computed")
    selection.session.close()


def test_an_update_starts_from_the_last_result_of_its_slot(work: Path) -> None:
    assert _get(work, GROWN) == (6, "computed")
    (work / "b.py").write_text("x = 10\n", encoding="utf-8")
    assert _get(work, GROWN) == (1_006, "updated")
    assert _get(work, GROWN, 2) == (26, "computed")
    (work / "b.py").unlink()
    (work / "a.py").write_text("x = 100\n", encoding="utf-8")
    assert _get(work, GROWN) == (8, "computed")  # it cannot start from that


def test_nothing_is_updated_if_more_than_files_changed(work: Path) -> None:
    assert _get(work, GROWN) == (6, "computed")
    (work / "b.py").write_text("x = 10\n", encoding="utf-8")
    (work / MANIFEST).write_text("2", encoding="utf-8")
    assert _get(work, GROWN) == (26, "computed")


def test_something_noted_by_name_is_compared(work: Path) -> None:
    state = b"one"

    def noting(inputs: Inputs, option: int) -> int:
        inputs.note("state")
        return option

    named = Measure("named", int, noting)
    selection = select_all(work, work.parent / "cache")

    def how() -> str:
        job = Job()
        call = FileSelection(selection.session, selection.permissions, job, selection.query)
        inputs = Inputs(call)
        inputs.offer("state", lambda: state)
        inputs.get(named, 1)
        return job.measures["named"]

    assert [how(), how()] == ["computed", "recalled"]
    state = b"two"
    assert how() == "computed"
    selection.session.close()


def test_a_measure_of_the_workspace_is_recalled_when_only_the_files_changed(work: Path) -> None:
    aside = Measure[Inputs, int, int](
        "aside",
        int,
        lambda inputs, factor: int(inputs.read_manifest(MANIFEST) or b"1") * factor,
        of_files=False,
    )
    assert _get(work, aside) == (1, "computed")
    (work / "b.py").write_text("x = 10\n", encoding="utf-8")
    assert _get(work, aside) == (1, "recalled")
    (work / MANIFEST).write_text("2", encoding="utf-8")
    assert _get(work, aside) == (2, "computed")
    other = work.parent / "other"
    other.mkdir()
    assert _get(other, aside) == (1, "computed")


def test_what_is_made_of_something_incomplete_is_not_remembered(work: Path) -> None:
    """Not even if the incomplete part was made before, and nothing else was left out since."""
    is_late = True

    def cut(inputs: Inputs, factor: int) -> int:
        if is_late:
            inputs.selection.job.leave_out("half of the files")
            return 0
        return _total(inputs, factor)

    part = Measure("part", int, cut)
    sum_of_parts = Measure[Inputs, int, int](
        "sum of parts", int, lambda inputs, option: inputs.get(part, option)
    )
    selection = select_all(work, work.parent / "cache")
    inputs = Inputs(selection)
    assert (inputs.get(part, 1), inputs.get(sum_of_parts, 1)) == (0, 0)
    assert selection.job.missing == ["half of the files"]
    is_late = False
    assert _get_in(selection, sum_of_parts) == (6, "computed")
    selection.session.close()


def test_what_is_made_of_files_that_were_not_all_read_is_not_remembered(work: Path) -> None:
    (work / "b.py").write_text("y = 1\n", encoding="utf-8")
    selection = select_all(work, work.parent / "cache")
    late = FileSelection(
        selection.session, selection.permissions, Job(time_limit_s=0.0), selection.query
    )
    inputs = Inputs(late)
    count = Measure[Inputs, int, int]("count", int, lambda it, _: len(it.files))
    other = Measure[Inputs, int, int]("other count", int, lambda it, _: len(it.files))
    found = inputs.get(count, 1), inputs.get(other, 1)
    assert late.job.missing
    assert max(found) < 2
    for measure in (count, other):
        assert _get_in(selection, measure)[0] == 2
    selection.session.close()
