"""Settings under `[performance]`."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from benchpin.core.tools import ToolsetSettings

_CLOSED = ConfigDict(extra="forbid", frozen=True)
_MIB = 1 << 20


class RetentionSettings(BaseModel):
    """How long results are kept; the newest is never removed."""

    model_config = _CLOSED

    keep_last_n: Annotated[int, Field(ge=1, le=100_000)] = 50
    ttl_days: Annotated[int, Field(ge=1, le=36_500)] | None = None


class SpxSettings(BaseModel):
    """Limits on reading a profile."""

    model_config = _CLOSED

    text_max_bytes: Annotated[int, Field(ge=1)] = 2 << 30
    """Of the decompressed text; the rest is skipped with a warning."""
    max_events: Annotated[int, Field(ge=1)] = 100_000_000
    max_nodes: Annotated[int, Field(ge=1)] = 500_000


class CollectorSettings(BaseModel):
    """Limits on collecting, and how long bundles are kept."""

    model_config = _CLOSED

    max_files_per_spx_dir: Annotated[int, Field(ge=1, le=100_000)] = 500
    copy_max_bytes: Annotated[int, Field(ge=0)] = 10 * _MIB
    """Larger files are listed in the manifest but not copied."""
    allow_private_addresses: bool = False
    """Whether requests may go to private addresses, such as 10.0.0.5; to link-local ones never."""
    retention: RetentionSettings = Field(default_factory=RetentionSettings)


class PerformanceSettings(ToolsetSettings):
    """What the performance tools keep and how much they read."""

    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    """For snapshots and their reports."""
    spx: SpxSettings = Field(default_factory=SpxSettings)
    collector: CollectorSettings = Field(default_factory=CollectorSettings)

    def narrowed_by(self, workspace: "PerformanceSettings") -> "PerformanceSettings":
        """Return these settings with the workspace's retention and its lower limits."""
        ours, theirs = self.collector, workspace.collector
        bounds = {
            name: min(getattr(ours, name), getattr(theirs, name))
            for name in theirs.model_fields_set - {"retention"}
        }
        return PerformanceSettings(
            retention=_chosen(self.retention, workspace, "retention"),
            spx=self.spx.model_copy(
                update={
                    name: min(getattr(self.spx, name), getattr(workspace.spx, name))
                    for name in workspace.spx.model_fields_set
                }
            ),
            collector=ours.model_copy(
                update={**bounds, "retention": _chosen(ours.retention, theirs, "retention")}
            ),
        )


def _chosen(ours: RetentionSettings, theirs: BaseModel, name: str) -> RetentionSettings:
    return getattr(theirs, name) if name in theirs.model_fields_set else ours
