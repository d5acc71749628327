from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.facts._file_choices import OncePerJob
from workers import Spy

OUTLINES = SourceQuery()
TOKENS = SourceQuery(sections=("outline", "tokens"))


def test_a_job_sees_the_files_as_they_were_when_it_first_looked(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy(monkeypatch)
    index = SourceIndex(workspace, tmp_path / "facts")
    place, job = workspace / "a.py", Job()
    place.write_text("def old(): pass\n", encoding="utf-8")
    [first] = index.read(OUTLINES, job).files
    place.write_text("def newer(): pass\n", encoding="utf-8")
    (workspace / "b.py").write_text("", encoding="utf-8")
    [again] = index.read(TOKENS, job).files
    assert again.key == first.key
    assert b"old" in again.tokens.texts
    assert spy.take() == (["a.py"], 1)
    [changed, added] = index.read(TOKENS, Job()).files
    assert b"newer" in changed.tokens.texts
    assert added.path == "b.py"
    index.close()


def test_a_value_is_made_once_for_a_job_and_anew_for_another() -> None:
    once, job, made = OncePerJob(), Job(), iter(range(9))
    assert [once.recall_or(job, "key", lambda: next(made)) for _ in range(2)] == [0, 0]
    assert once.recall_or(job, "other", lambda: next(made)) == 1
    assert once.recall_or(Job(), "key", lambda: next(made)) == 2


def test_a_value_that_lacks_something_is_made_again() -> None:
    once, job = OncePerJob(), Job()

    def make() -> int:
        job.leave_out("a file")
        return job.omissions

    assert [once.recall_or(job, "key", make) for _ in range(2)] == [1, 2]
