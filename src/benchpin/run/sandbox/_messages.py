"""Messages between Benchpin and the launcher, which runs without Benchpin and cannot import it."""

from typing import Literal, TypedDict

Kind = Literal["bind", "dev", "proc", "symlink", "tmpfs"]
# A hidden file cannot be opened, a hidden folder is empty, a replaced one has only the entries for
# which there are covers. A link is a copy of a symbolic link in a replaced folder. The others show
# what is there, as a mount of its own, which cannot be renamed or removed.
CoverKind = Literal["hidden file", "hidden folder", "replaced", "link", "read-only", "writable"]
Right = Literal["list", "read", "write"]


class Mount(TypedDict):
    """One mount, or symbolic link, in the file system of the program."""

    kind: Kind
    target: str
    source: str
    is_writable: bool
    size_bytes: int


class Cover(TypedDict):
    """What the program sees instead of one file or folder of the workspace."""

    path: str
    """Relative to the root of the workspace."""
    device: int
    inode: int
    """With `device`, the identity: the launcher fails if the path leads to anything else."""
    kind: CoverKind


class WorkspaceRequest(TypedDict):
    """The workspace, and the covers that apply its permissions, outer ones first."""

    root: str
    device: int
    inode: int
    is_writable: bool
    covers: list[Cover]


class Grant(TypedDict):
    """A file or folder that a program may use where only Landlock confines it."""

    path: str
    right: Right
    """With all that is in it; `list` is about the names only."""
    identity: tuple[int, int] | None
    """Device and inode: the launcher fails if the path leads to anything else; None for a path of
    the system."""


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
    workspace: WorkspaceRequest | None
    is_in_bubblewrap: bool
    writable_paths: list[str]
    """The only folders where Landlock allows writing."""
    grants: list[Grant] | None
    """All that Landlock allows, without namespaces; None in them, where it allows reading all."""
    seccomp_filter: bytes | None
    """None turns off Landlock as well."""
    max_processes: int | None
    """For all processes together, like the next two."""
    max_threads: int
    max_memory_bytes: int | None


class ProcessEnd(TypedDict, total=False):
    """How the program ended; exactly one key is set."""

    exit_code: int
    signal: int
    exceeded: Literal["processes", "memory"]
    error: str
    changed: str
    """The path that changed while the workspace was mounted."""
