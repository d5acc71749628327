"""Answers that are recalled or updated are those of a computation from nothing."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.app import Configuration, Workbench, configure
from benchpin.core.errors import BenchpinError
from edited_project import CALLS, RandomEdits

EDITS = 6
"""`bench/random_edits.py` applies a thousand."""


def answers(bench: Workbench) -> Mapping[str, object]:
    """Return what every tool that remembers measures answers, errors included."""
    found: dict[str, object] = {}
    for tool, arguments in CALLS:
        try:
            result = bench.call(tool, **arguments)
        except BenchpinError as error:
            found[f"{tool} {arguments}"] = (error.kind, error.message)
        else:
            found[f"{tool} {arguments}"] = (result.model_dump_json(), result.to_text())
    return found


@pytest.mark.slow
def test_updated_answers_are_those_of_a_computation_from_nothing(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    edits = RandomEdits(work, seed=25)
    kept = configure(root=work, cache_dir=tmp_path / "cache")
    serving = Workbench(kept)
    for number, edit in enumerate(edits.steps(EDITS)):
        expected = answers_of(configure(root=work, cache_dir=tmp_path / f"new{number}"))
        assert answers(serving) == expected, f"a running server, after: {edit}"
        assert answers_of(kept) == expected, f"another process, after: {edit}"
    serving.close()


def answers_of(configuration: Configuration) -> Mapping[str, object]:
    """Return the answers of a process that has just started."""
    with closing(Workbench(configuration)) as bench:
        return answers(bench)
