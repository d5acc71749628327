"""Tell what artefacts are, before anything is stored."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Item, Result, tool
from benchpin.engines.profiles.ingest import validate_all

from ._artifacts import ArtifactParam, opener
from ._common import PerformanceParams


class ValidateParams(PerformanceParams):
    """Which files to look at."""

    artifacts: Annotated[tuple[ArtifactParam, ...], Field(min_length=1, max_length=1000)]
    """The files, such as [{"path": "slow.log"}]."""


class ValidatedArtifact(Item):
    """What one file is."""

    path: str
    ok: bool
    detected_type: str | None
    """spx, mysql_slow_log or ttfb_timings; null when it is none of them."""
    detected_version: str | None
    errors: list[str]
    metadata: dict[str, str]
    """For SPX, pair_status: paired, missing_text or missing_metadata."""


class ValidationCounts(Item):
    """How many can be used."""

    ok: int
    failed: int


class Validated(Result):
    """What the files are."""

    results: list[ValidatedArtifact]
    counts: ValidationCounts

    def to_text(self) -> str:
        """Return a line for each file."""
        lines = [f"{self.counts.ok} of {len(self.results)} artefacts can be used."]
        for it in self.results:
            about = f"{it.detected_type} {it.detected_version}" if it.detected_type else "unknown"
            pair = f" ({it.metadata['pair_status']})" if "pair_status" in it.metadata else ""
            problem = f": {'; '.join(it.errors)}" if it.errors else ""
            lines.append(f"{'ok    ' if it.ok else 'FAILED'} {it.path}  {about}{pair}{problem}")
        return "\n".join(lines)


@tool(title="Validate artefacts", effect=Effect.READ)
def validate_artifacts(params: ValidateParams, bench: Bench) -> Validated:
    """Tell what profiles (SPX), slow logs (MySQL, MariaDB, Percona) and timings are by content."""
    paths = dict.fromkeys(artifact.path for artifact in params.artifacts)
    found = validate_all(paths, opener(bench))
    results = [
        ValidatedArtifact(
            path=path,
            ok=it.ok,
            detected_type=it.detected_type,
            detected_version=it.detected_version,
            errors=list(it.errors),
            metadata=it.metadata,
        )
        for path, it in found.items()
    ]
    ok = sum(it.ok for it in results)
    return Validated(results=results, counts=ValidationCounts(ok=ok, failed=len(results) - ok))
