"""Read artefacts by the names of their formats."""

from io import BytesIO
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.formats import Content, read_artifact
from benchpin.performance.reading import Budget, ReadRequest, validate
from benchpin.performance.values import ArtifactType, Profile, Timings


def version_of(content: bytes, kind: ArtifactType = "profile") -> str | None:
    """Return the format of a file, if it is an artefact of this type."""
    found = validate(BytesIO(content))
    return found.detected_version if found.detected_type == kind else None


def read_artifact_as(
    version: str, content: bytes, job: Job | None = None, statement: str | None = None
) -> Content | None:
    """Read content in a format."""
    return read_artifact(ReadRequest(version, Budget(), statement), BytesIO(content), job or Job())


def read_timings(content: bytes) -> Timings:
    """Read a file of timings in the format that it is recognised as."""
    version = version_of(content, "ttfb_timings")
    assert version is not None
    found = read_artifact_as(version, content)
    assert isinstance(found, Timings)
    return found


def read_format(version: str, file: BinaryIO, budget: Budget, job: Job) -> Profile:
    """Read a profile."""
    found = read_artifact(ReadRequest(version, budget), file, job)
    assert isinstance(found, Profile)
    return found
