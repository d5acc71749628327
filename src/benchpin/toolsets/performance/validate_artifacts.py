"""Recognise artefacts before anything is stored."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Item, Result, tool
from benchpin.engines.profiles.detect import Validation
from benchpin.engines.profiles.ingest import Artifact, validate_all

from ._artifacts import opener
from ._params import PerformanceParams


class ValidateParams(PerformanceParams):
    """Which files to look at."""

    artifacts: Annotated[tuple[Artifact, ...], Field(min_length=1, max_length=1000)]
    """The files, such as [{"path": "slow.log"}]."""


class ValidationCounts(Item):
    """How many can be used."""

    ok: int
    failed: int


class Validated(Result):
    """What the files are."""

    results: list[Validation]
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
    results = list(validate_all(paths, opener(bench)).values())
    ok = sum(it.ok for it in results)
    return Validated(results=results, counts=ValidationCounts(ok=ok, failed=len(results) - ok))
