"""Run a program several times under the profiler of its language."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._recording import (
        KEPT_BYTES,
        MAX_RUNS,
        Clock,
        ProfilerName,
        Recording,
        RecordingFailed,
        read_recorded,
    )

__all__ = [
    "KEPT_BYTES",
    "MAX_RUNS",
    "Clock",
    "ProfilerName",
    "Recording",
    "RecordingFailed",
    "read_recorded",
]

__getattr__ = lazy(__name__)
