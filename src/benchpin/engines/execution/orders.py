"""What the launcher is told, and what it answers; it runs without Benchpin and imports nothing."""

from typing import Literal, TypedDict

Kind = Literal["bind", "dev", "proc", "symlink", "tmpfs"]


class Mount(TypedDict):
    """Something at a place in the file system that the program sees."""

    kind: Kind
    target: str
    source: str
    is_writable: bool
    size_bytes: int
    hides: bool
    """Covers what lies there, so something must."""


class Orders(TypedDict):
    """What to start and how to confine it."""

    argv: list[str]
    folder: str
    environment: dict[str, str]
    files: dict[str, str]
    limits: list[tuple[int, int]]
    """Kinds of resources, and the most that each process may have of them."""
    niceness: int
    walls: list[Mount] | None
    """The view to build in namespaces of our own; None where something else has built it."""
    writable: list[str]
    """The only places to write beneath, for Landlock."""
    filter: bytes | None
    """The filter for system calls; None also leaves Landlock out."""
    most_processes: int | None
    most_memory_bytes: int | None


class Ending(TypedDict, total=False):
    """How it ended; one of these."""

    exit_code: int
    signal: int
    exceeded: Literal["processes", "memory"]
    error: str
