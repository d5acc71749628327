"""Run a program several times under the profiler of its language."""

from .recording import KEPT_BYTES, Clock, ProfilerName, Recording, RecordingFailed, RecordingOutcome

__all__ = [
    "KEPT_BYTES",
    "Clock",
    "ProfilerName",
    "Recording",
    "RecordingFailed",
    "RecordingOutcome",
]
