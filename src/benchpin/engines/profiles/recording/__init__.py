"""Run a program several times under the profiler of its language."""

from .recording import ProfilerName, RecordedRun, Recording, RecordingFailed, RecordingOutcome

__all__ = ["ProfilerName", "RecordedRun", "Recording", "RecordingFailed", "RecordingOutcome"]
