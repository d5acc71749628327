"""Recognise artefacts by their content; names only help to explain what is wrong."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Annotated, BinaryIO, Literal

from pydantic import Field

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.core.results import Item
from benchpin.performance.formats import SPX_METADATA, FileHead, recognise
from benchpin.performance.values import ArtifactType
from benchpin.workspace.files import OpenFile

# Opens a path of the caller after checking that it may be read.
Opener = Callable[[str], AbstractContextManager[OpenFile]]
PairStatus = Literal["paired", "missing_text", "missing_metadata"]
SPX_TEXT_ENDINGS = (".txt.gz", ".txt.zst", ".txt")
_SPX_NAME = re.compile(r"(.*)\.(?:json|txt(?:\.gz|\.zst)?)", re.DOTALL)
_SPX_TEXT_NAME = re.compile(r".*spx-full-.*\.txt(\.gz|\.zst)?", re.DOTALL)


class Artifact(Item):
    """A file."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    """In the workspace or in --artifacts."""
    hints: dict[str, object] = Field(default_factory=dict)
    """Its type; such as {"type": "mysql_slow_log"}; query has the statement of a plan."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What a file is, or why it cannot be used."""

    path: str
    ok: bool
    detected_type: ArtifactType | None
    """None when it is no artefact."""
    detected_version: str | None
    errors: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    """For SPX, pair_status: paired, missing_text or missing_metadata."""

    @property
    def is_spx_metadata(self) -> bool:
        return self.detected_version == SPX_METADATA

    @property
    def is_spx_text(self) -> bool:
        return self.detected_type == "spx" and not self.is_spx_metadata


def validate(file: BinaryIO, path: str = "") -> Validation:
    """Recognise a file by its beginning; at most 16 MiB of it are read.

    Raises:
        OSError: when it cannot be read.
    """
    head = FileHead(file)
    if head.is_empty and _SPX_TEXT_NAME.fullmatch(path):
        killed = "the SPX text is empty: the process hung or was killed"
        return Validation(path, False, "spx", None, (killed,))
    found, problem = recognise(head)
    if found is None or (problem and not problem.is_readable):
        return Validation(path, False, None, None, (problem.text,) if problem else ())
    return Validation(
        path,
        ok=problem is None,
        detected_type=found.type,
        detected_version=found.version(head.packing),
        errors=(problem.text,) if problem else (),
    )


def validate_all(paths: Iterable[str], open_artifact: Opener, job: Job) -> dict[str, Validation]:
    found: dict[str, Validation] = {}
    for path in paths:
        job.require_time()
        try:
            with open_artifact(path) as source:
                found[path] = validate(source.file, path)
        except BenchpinError as error:
            problem = f"{error.message}. {error.suggestion}"
            found[path] = Validation(path, False, None, None, (problem,))
    return with_pairs(found, lambda path: can_open(path, open_artifact))


def conflicts_with_hints(
    artifacts: Iterable[Artifact], found: Mapping[str, Validation]
) -> dict[str, str]:
    """Return the artefacts that are something else than their hint says, by path."""
    return {
        it.path: f"the hint says {it.hints['type']}, and it is {detected}"
        for it in artifacts
        if (detected := found[it.path].detected_type) and it.hints.get("type", detected) != detected
    }


def with_pairs(
    found: Mapping[str, Validation], exists: Callable[[str], bool] = lambda _path: False
) -> dict[str, Validation]:
    """Add to each half of an SPX report whether its other half is among the paths.

    `exists` may also accept a half that was not named.
    """
    metadata = {spx_stem(path) for path, it in found.items() if it.is_spx_metadata}
    texts = {spx_stem(path) for path, it in found.items() if it.is_spx_text}

    def status(path: str, validation: Validation) -> PairStatus:
        stem = spx_stem(path)
        if validation.is_spx_metadata:
            beside = (stem + it for it in SPX_TEXT_ENDINGS)
            return "paired" if stem in texts or any(map(exists, beside)) else "missing_text"
        return "paired" if stem in metadata or exists(f"{stem}.json") else "missing_metadata"

    return {
        path: it
        if it.detected_type != "spx"
        else replace(it, metadata={**it.metadata, "pair_status": status(path, it)})
        for path, it in found.items()
    }


def spx_stem(path: str) -> str:
    """Return the common beginning of the names of both halves of an SPX report."""
    name = _SPX_NAME.fullmatch(path)
    return name[1] if name else path


def can_open(path: str, open_artifact: Opener) -> bool:
    try:
        with open_artifact(path):
            return True
    except BenchpinError:
        return False
