"""The worst shape of each artefact, recognised and read: linear work, and numbers that are ones."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import msgspec
import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.reading import Artifact, Budget, IngestedArtifacts, ingest
from benchpin.workspace.files import OpenFile
from worst_shapes import ARTIFACTS, SHAPES, Shape

SHORT, LONG = 500, 2_000
CASES = [
    pytest.param(shape, id=f"{name} {title}")
    for name, shapes in (SHAPES | ARTIFACTS).items()
    for title, shape in shapes.items()
]
OTHERS = [
    pytest.param(shape, id=f"{name} {title}")
    for name, shapes in ARTIFACTS.items()
    for title, shape in shapes.items()
]


def read(content: bytes) -> IngestedArtifacts | None:
    """Read an artefact; None if it is refused."""

    @contextmanager
    def opened(path: str) -> Iterator[OpenFile]:
        if path != "a":
            raise InvalidParams("no such file", suggestion="")
        yield OpenFile(io.BytesIO(content), len(content), 0)

    try:
        return ingest([Artifact(path="a")], opened, Budget(), Job())
    except InvalidParams:
        return None


def calls_of(content: bytes) -> int:
    """Return how many functions are called to read it, those of the interpreter included."""
    calls = 0

    def note(_frame: FrameType, kind: str, _argument: object) -> None:
        nonlocal calls
        calls += kind in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        read(content)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("shape", OTHERS)
def test_four_times_the_artefact_is_four_times_the_work(shape: Shape) -> None:
    calls_of(shape(SHORT))  # imports modules
    assert calls_of(shape(LONG)) < 6 * calls_of(shape(SHORT)) + 1_000


@pytest.mark.parametrize("shape", CASES)
def test_what_is_read_has_no_number_that_json_lacks(shape: Shape) -> None:
    found = read(shape(SHORT))
    for reading in found.readings if found else ():
        json.dumps(msgspec.to_builtins(reading), allow_nan=False)
