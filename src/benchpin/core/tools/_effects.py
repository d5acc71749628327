"""What a tool may change, and the MCP hints that follow from it."""

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """The strongest effect of a tool."""

    READ = "read"
    """Changes nothing."""
    RECORD = "record"
    """Writes only Benchpin's own files: sidecars, snapshots, reports, caches."""
    WRITE = "write"
    """Changes the user's files."""
    EXECUTE = "execute"
    """Runs programs."""
    NETWORK = "network"
    """Connects to other machines."""

    @property
    def hints(self) -> "Hints":
        """Return the four MCP tool hints that follow from this effect."""
        return _HINTS[self]

    @property
    def is_ordered(self) -> bool:
        """Whether calls with this effect must run in the order in which they arrived."""
        return self is not Effect.READ


# The effects that are allowed by default.
DEFAULT_EFFECTS = frozenset({Effect.READ, Effect.RECORD})


@dataclass(frozen=True, slots=True)
class Hints:
    """MCP tool annotations."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


_HINTS = {
    Effect.READ: Hints(read_only=True, destructive=False, idempotent=True, open_world=False),
    Effect.RECORD: Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
    Effect.WRITE: Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
    Effect.EXECUTE: Hints(read_only=False, destructive=True, idempotent=False, open_world=True),
    Effect.NETWORK: Hints(read_only=False, destructive=False, idempotent=False, open_world=True),
}
