"""Gather samples and faults of one file, both bounded."""

from benchpin.engines.profiles.model import Fault, Sample, Timings

MOST_SAMPLES = 200_000
MOST_FAULTS = 100


class Full(Exception):
    """There is no room for more samples."""


class Harvest:
    """What was read so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._samples: list[Sample] = []
        self._faults: list[Fault] = []
        self._unnamed = 0

    def add(self, sample: Sample) -> None:
        """Keep a sample.

        Raises:
            Full: when there are too many.
        """
        if len(self._samples) >= MOST_SAMPLES:
            raise Full
        self._samples.append(sample)

    def miss(self, place: str, problem: str) -> None:
        """Keep a fault; past a hundred they are only counted."""
        if len(self._faults) < MOST_FAULTS:
            self._faults.append(Fault(place, problem))
        else:
            self._unnamed += 1

    def timings(self, version: str) -> Timings:
        """Return all of it."""
        rest = [Fault("later lines", f"{self._unnamed} more faults")] if self._unnamed else []
        faults = (*self._faults, *rest)
        return Timings(
            version=version,
            samples=tuple(self._samples),
            is_complete=not faults,
            faults=faults,
        )
