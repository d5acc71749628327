"""Tell whether a folder is on a disk of this machine.

A file system that is served over a network, or by a program, may keep whoever reads it waiting for
as long as it likes. Only Linux says which one it is.
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
    """Whether everything beneath a folder is; not when that cannot be told."""
    try:
        listed = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    kinds = dict(_read(listed))
    above = [place for place in (root, *root.parents) if place in kinds][:1]
    below = [place for place in kinds if place.is_relative_to(root)]
    return bool(above) and all(kinds[place] in _LOCAL for place in (*above, *below))


def _read(listed: str) -> Iterator[tuple[Path, str]]:
    """Give where each file system is and of which type it is; proc_pid_mountinfo(5)."""
    for line in listed.splitlines():
        fields = line.split(" ")
        if "-" in fields[6:]:
            place = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), fields[4])
            yield Path(place), fields[fields.index("-", 6) + 1]
