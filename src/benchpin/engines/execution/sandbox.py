"""What can confine a program on this machine."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bubblewrap import Bubblewrap

UNCONFINED = "none"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A means of confinement, or the lack of one."""

    name: str
    detail: str
    bubblewrap: "Bubblewrap | None" = None

    @property
    def confines(self) -> bool:
        """Whether it is one."""
        return self.name != UNCONFINED


@cache
def detect_sandbox() -> Sandbox:
    """Return the strongest confinement that works here; the answer is kept for the process."""
    from .trials import strongest  # noqa: PLC0415 - not needed to start

    return strongest()
