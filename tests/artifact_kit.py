"""Read artefacts by the names of their formats."""

from io import BytesIO
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.calls import Budget
from benchpin.performance.formats import Content, ReadRequest, read_artifact
from benchpin.performance.reading import validate
from benchpin.performance.values import ArtifactType, Profile


def version_of(content: bytes, kind: ArtifactType = "profile") -> str | None:
    """Return the format of a file, if it is an artefact of this type."""
    found = validate(BytesIO(content))
    return found.detected_version if found.detected_type == kind else None


def read_artifact_as(
    version: str, content: bytes, job: Job | None = None, statement: str | None = None
) -> Content | None:
    """Read content in a format."""
    return read_artifact(ReadRequest(version, Budget(), statement), BytesIO(content), job or Job())


def read_format(version: str, file: BinaryIO, budget: Budget, job: Job) -> Profile:
    """Read a profile."""
    found = read_artifact(ReadRequest(version, budget), file, job)
    assert isinstance(found, Profile)
    return found
