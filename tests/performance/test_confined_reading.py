"""Large artefacts are decoded in a process that can be killed."""

import io
import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, InvalidParams, TimeLimitExceeded
from benchpin.performance.formats import read_artifact
from benchpin.performance.reading import Budget, ReadRequest
from benchpin.performance.reading import _ingest as confined_reading
from benchpin.performance.reading._ingest import ConfinedReader
from benchpin.workspace.files import OpenFile
from worst_shapes import event, evented, pprof, pprof_sample

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for a large one."""
    monkeypatch.setattr(confined_reading, "_SMALL_BYTES", 0)


@pytest.fixture
def reader() -> Iterator[ConfinedReader]:
    with closing(ConfinedReader()) as opened:
        yield opened


def opened(content: bytes) -> OpenFile:
    return OpenFile(io.BytesIO(content), len(content), 0)


def request(version: str) -> ReadRequest:
    return ReadRequest(version, Budget())


HAR = {"log": {"entries": [{"request": {"url": "/a"}, "response": {"status": 200}, "time": 3}]}}
PLAN = [{"Plan": {"Node Type": "Seq Scan", "Relation Name": "a", "Total Cost": 5}}]
DIGESTS = b"query,calls,total_exec_time,min_exec_time,max_exec_time\nselect 1,2,3,1,2\n"
FILES = [
    (request("speedscope"), evented([event("O", 0, 0), event("C", 0, 5)])),
    (request("pprof"), pprof(pprof_sample(3))),
    (request("har"), json.dumps(HAR).encode()),
    (request("postgresql-plan"), json.dumps(PLAN).encode()),
    (request("postgresql-statements"), DIGESTS),
]


def test_a_process_reads_the_same(reader: ConfinedReader) -> None:
    for asked, content in FILES:
        found = reader.read(asked, opened(content), Job())
        assert found == read_artifact(asked, io.BytesIO(content), Job())


def test_an_error_of_the_process_is_raised(reader: ConfinedReader) -> None:
    with pytest.raises(InvalidParams, match="cannot be read"):
        reader.read(request("speedscope"), opened(b"{"), Job())


def test_a_cancelled_job_ends_the_process(reader: ConfinedReader) -> None:
    asked, content = FILES[0]
    reader.read(asked, opened(content), Job())
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        reader.read(asked, opened(content), job)
    found = reader.read(asked, opened(content), Job())  # by another process
    assert found == read_artifact(asked, io.BytesIO(content), Job())


def test_a_process_that_does_not_answer_is_killed(reader: ConfinedReader) -> None:
    asked, content = FILES[0]
    with pytest.raises(TimeLimitExceeded):
        reader.read(asked, opened(content), Job(time_limit_s=0))
