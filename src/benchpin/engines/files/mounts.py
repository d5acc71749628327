"""Whether a folder is on a local disk.

A read from a network file system, or from one that a program serves (FUSE), may block for any
time. Only Linux reports the type of a file system.
"""

import re
from collections.abc import Iterator
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPE = re.compile(r"\\([0-7]{3})")
_LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}
)


def is_on_local_disk(root: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether everything below a folder is on a local disk; false when that is unknown."""
    try:
        listed = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    kinds = dict(_read(listed))
    above = [point for point in (root, *root.parents) if point in kinds][:1]
    below = [point for point in kinds if point.is_relative_to(root)]
    return bool(above) and all(kinds[point] in _LOCAL for point in (*above, *below))


def _read(listed: str) -> Iterator[tuple[Path, str]]:
    """Yield the mount point and the type of each file system; proc_pid_mountinfo(5)."""
    for line in listed.splitlines():
        fields = line.split(" ")
        if "-" in fields[6:]:
            point = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), fields[4])
            yield Path(point), fields[fields.index("-", 6) + 1]
