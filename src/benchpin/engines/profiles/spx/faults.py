"""Collect what could not be read, a bounded number of it in words."""

from collections.abc import Iterable

from benchpin.engines.profiles.model import Fault


class FaultLog:
    """Faults in the order in which they were met; past a limit they are only counted."""

    def __init__(self, limit: int) -> None:
        """Start without any."""
        self._limit = limit
        self._listed: list[Fault] = []
        self._total = 0

    def __len__(self) -> int:
        """Return how many there were, listed or not."""
        return self._total

    def add(self, place: str, problem: str) -> None:
        """Note one."""
        self._total += 1
        if len(self._listed) < self._limit:
            self._listed.append(Fault(place=place, problem=problem))

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note those that someone else found."""
        for fault in faults:
            self.add(fault.place, fault.problem)

    def listed(self) -> tuple[Fault, ...]:
        """Return them, and last how many more there were."""
        unlisted = self._total - len(self._listed)
        more = [Fault(place="elsewhere", problem=f"{unlisted} more faults")] if unlisted else []
        return (*self._listed, *more)
