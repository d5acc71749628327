"""Patterns in the text of the code that was measured."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.core.errors import InvalidParams
from benchpin.fleet import Cell, TextSearch
from benchpin.fleet._schema import Measurement
from repositories import Tree

from .conftest import EVERYTHING, Fleet


@pytest.fixture
def measured(fleet: Fleet) -> Fleet:
    fleet.measure()
    return fleet


def search(
    fleet: Fleet,
    pattern: str,
    permissions: Permissions = EVERYTHING,
    job: Job | None = None,
    limit: int = 10,
    measurements: Sequence[Measurement] | None = None,
) -> list[list[Cell]]:
    found = TextSearch(fleet.root, permissions, job or Job())
    return found.search(measurements or fleet.tables().measurements, pattern, limit).rows


def test_lines_of_the_measured_code_are_found_in_every_repository(measured: Fleet) -> None:
    assert search(measured, r"raise \w+Error") == [
        ["one", "shared.py", 8, "                raise ValueError(line)"],
        ["two", "renamed.py", 8, "                raise ValueError(line)"],
        ["two", "shared.py", 8, "                raise ValueError(line)"],
    ]
    assert search(measured, "raise", limit=1) == [
        ["one", "shared.py", 8, "                raise ValueError(line)"]
    ]


def test_a_bare_mirror_is_searched_at_the_commit_that_was_measured(
    measured: Fleet, one: Tree
) -> None:
    one.git("clone", "--quiet", "--bare", str(one.root), str(one.root.parent / "bare.git"))
    measured.measure()
    one.commit({"app.py": b"changed = 1\n"})

    assert [row[:2] for row in search(measured, "def main")] == [
        ["bare.git", "app.py"],
        ["one", "app.py"],
    ]


def test_what_may_not_be_read_is_not_searched(measured: Fleet) -> None:
    read = frozenset({Operation.READ})
    guarded = Permissions(((Rule("**", read), Rule("shared.py", frozenset())),))

    assert [row[:2] for row in search(measured, "raise", guarded)] == [["two", "renamed.py"]]


def test_a_pattern_that_would_hang_elsewhere_is_answered(measured: Fleet, one: Tree) -> None:
    one.commit({"long.py": b"x = '" + b"a" * 100_000 + b"!'\n"})
    measured.measure()

    assert search(measured, r"(a+)+$") == []
    with pytest.raises(InvalidParams):
        search(measured, "(")


def test_a_repository_that_is_gone_is_left_out_by_name(measured: Fleet, two: Tree) -> None:
    measurements = measured.tables().measurements
    shutil.rmtree(two.root)
    job = Job()

    assert [row[0] for row in search(measured, "raise", job=job, measurements=measurements)] == [
        "one"
    ]
    assert job.missing == ["two, which is not in this workspace"]


@pytest.mark.parametrize("name", ["../outside", "/", "link"])
def test_a_record_of_a_hostile_store_leads_nowhere(
    measured: Fleet, tmp_path: Path, name: str
) -> None:
    outside = Tree(tmp_path / "outside")
    outside.commit({"secret.py": b"raise SystemExit\n"})
    (measured.root / "link").symlink_to(outside.root)
    [first, _] = measured.tables().measurements
    head = outside.git("rev-parse", "HEAD").decode()
    posing = Measurement(name, head, first.measured_at, first.version)
    job = Job()

    assert search(measured, "raise", job=job, measurements=[posing]) == []
    assert job.missing == [f"{name}, which is not in this workspace"]


def test_a_search_that_is_out_of_time_says_what_is_left(measured: Fleet) -> None:
    late = Job(time_limit_s=0)

    assert search(measured, "raise", job=late) == []
    assert late.missing == ["2 of 2 repositories"]
