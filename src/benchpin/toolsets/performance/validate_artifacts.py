"""Recognise artefacts before anything is stored."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.tools import Effect, tool
from benchpin.performance.reading import Artifact, Validation, conflicts_with_hints, validate_all
from benchpin.present import Column, Report, Table, View

from ._artifacts import opener
from ._params import ReportParams


class ValidateParams(ReportParams):
    """Which files to check."""

    artifacts: Annotated[tuple[Artifact, ...], Field(min_length=1, max_length=1000)]
    """The files; [{"path": "slow.log"}], for example."""


class ValidationCounts(Item):
    """How many can be used."""

    ok: int
    failed: int


class Validated(Report):
    """What the files are."""

    results: list[Validation]
    counts: ValidationCounts

    view = View["Validated"](
        title="Artefacts",
        headline=lambda it: [f"{it.counts.ok} of {len(it.results)} artefacts can be used."],
        tables=(
            Table(
                rows=lambda it: it.results,
                columns=(
                    Column(
                        "status",
                        lambda it: "ok" if it.ok else "FAILED",
                        parts=(Column("ok"),),
                    ),
                    Column("detected_type", heading="type"),
                    Column("detected_version", heading="version"),
                    Column(
                        "pair_status", lambda it: it.metadata.get("pair_status"), heading="pair"
                    ),
                    Column("path"),
                    Column("errors", lambda it: "; ".join(it.errors) or None, heading="problem"),
                ),
            ),
        ),
    )

    def exit_status(self) -> int:
        """Return 1 if one of them cannot be used."""
        return 1 if self.counts.failed else 0


@tool(
    title="Validate artefacts",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "is this log file readable, which format, check a profile, recognise a slow log, do you "
        "understand this format, is the log complete"
    ),
)
def validate_artifacts(params: ValidateParams, bench: Bench) -> Validated:
    """Recognise profiles, logs of MySQL and PostgreSQL, and timings by content."""
    paths = dict.fromkeys(artifact.path for artifact in params.artifacts)
    found = validate_all(paths, opener(bench), bench.job)
    for path, problem in conflicts_with_hints(params.artifacts, found).items():
        found[path] = replace(found[path], ok=False, errors=(*found[path].errors, problem))
    results = list(found.values())
    ok = sum(it.ok for it in results)
    return Validated(
        results=results,
        counts=ValidationCounts(ok=ok, failed=len(results) - ok),
        format=params.format,
    )
