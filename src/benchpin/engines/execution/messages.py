"""Messages between Benchpin and the launcher, which runs without Benchpin and cannot import it."""

from typing import Literal, TypedDict

Kind = Literal["bind", "dev", "proc", "symlink", "tmpfs"]


class Mount(TypedDict):
    """One mount, or symbolic link, in the file system of the program."""

    kind: Kind
    target: str
    source: str
    is_writable: bool
    size_bytes: int
    hides: bool
    """Covers an existing file or folder; the launcher fails if the target is gone."""


class LaunchRequest(TypedDict):
    """The program to start and how to confine it."""

    argv: list[str]
    cwd: str
    environment: dict[str, str]
    files: dict[str, str]
    """Files to write before the start, by path."""
    rlimits: list[tuple[int, int]]
    """Resource numbers (RLIMIT_*) and their limits, which hold for each process."""
    niceness: int
    mounts: list[Mount] | None
    """The file system to build in new namespaces; None when bubblewrap has built it, or without
    a sandbox."""
    writable_paths: list[str]
    """The only folders where Landlock allows writing."""
    seccomp_filter: bytes | None
    """None turns off Landlock as well."""
    max_processes: int | None
    """For all processes together, like `max_memory_bytes`."""
    max_memory_bytes: int | None


class ProcessEnd(TypedDict, total=False):
    """How the program ended; exactly one key is set."""

    exit_code: int
    signal: int
    exceeded: Literal["processes", "memory"]
    error: str
