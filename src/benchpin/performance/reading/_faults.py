"""Collect what could not be read: the first faults in words, the rest as a count."""

from collections.abc import Iterable

from benchpin.performance.values import ArtifactFault


class FaultLog:
    """Faults in the order in which they were found; past a limit they are only counted."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._listed: list[ArtifactFault] = []
        self._total = 0

    def __len__(self) -> int:
        """Return how many there were, listed or not."""
        return self._total

    def add(self, place: str, problem: str) -> None:
        """Add one."""
        self._total += 1
        if len(self._listed) < self._limit:
            self._listed.append(ArtifactFault(place=place, problem=problem))

    def extend(self, faults: Iterable[ArtifactFault]) -> None:
        """Add those of another reader."""
        for fault in faults:
            self.add(fault.place, fault.problem)

    def listed(self) -> tuple[ArtifactFault, ...]:
        """Return them, and last how many more there were."""
        unlisted = self._total - len(self._listed)
        more = (
            [ArtifactFault(place="further on", problem=f"{unlisted} more faults")]
            if unlisted
            else []
        )
        return (*self._listed, *more)
