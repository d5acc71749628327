"""Check whether the performance tools can work here."""

import os
from typing import Literal

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.performance.formats import format_titles
from benchpin.system.processes import folder_size

from ._params import PerformanceParams, store_of


class HealthParams(PerformanceParams):
    """No parameters of its own."""


class Health(Result):
    """The state of the performance tools."""

    status: Literal["ok", "degraded"]
    version: str
    data_folder: str
    is_writable: bool
    stored_runs: int
    stored_bytes: int
    damaged: list[str]
    """Stored files that cannot be read."""
    artifact_folders: list[str]
    """Folders outside the workspace from which artefacts are read."""
    formats: list[str]

    def to_text(self) -> str:
        """Return the state, one fact a line."""
        lines = [
            (
                f"{self.status}: benchpin {self.version}, {counted(self.stored_runs, 'snapshot')} "
                f"({self.stored_bytes:,} bytes) in {self.data_folder}"
            ),
            "Reads:",
            *(f"  {it}" for it in self.formats),
        ]
        if self.artifact_folders:
            lines.append(f"Also reads artefacts from {', '.join(self.artifact_folders)}")
        if not self.is_writable:
            lines.append("The data folder cannot be written; choose another with --data-dir.")
        return "\n".join(lines + [f"damaged: {path}" for path in self.damaged])


@tool(
    title="Check health",
    effect=Effect.READ,
    also="is the performance store working, snapshots stored, disk, formats",
)
def check_health(_params: HealthParams, bench: Bench) -> Health:
    """Check whether snapshots can be stored, and which formats are read."""
    found = store_of(bench).runs()
    folder = bench.data_folder
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    is_writable = nearest.is_dir() and os.access(nearest, os.W_OK)
    return Health(
        status="ok" if is_writable and not found.damaged else "degraded",
        version=bench.installation.version,
        data_folder=str(folder),
        is_writable=is_writable,
        stored_runs=len(found.runs),
        stored_bytes=folder_size(folder / "var"),
        damaged=list(found.damaged),
        artifact_folders=[str(place) for place in bench.artifact_dirs],
        formats=format_titles(),
    )
