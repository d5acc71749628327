"""Whether a folder is on disks of this machine, where reading a small file takes no time to notice.

A network disk can keep a reader waiting for minutes.
"""

import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
_LOCAL = frozenset(
    {
        *("bcachefs", "btrfs", "erofs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs"),
        *("squashfs", "tmpfs", "xfs", "zfs"),
    }
)
_ESCAPED = re.compile(r"\\([0-7]{3})")
# The field of a line that holds the mount point.
_POINT = 4


def is_local(folder: Path, mounts: Path = MOUNTS) -> bool:
    """Whether a folder, and all that is mounted in it, is on disks that are known to be local.

    Only Linux tells; elsewhere nothing is known.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    kinds: dict[Path, str] = {}
    for line in lines:
        place, _, source = line.partition(" - ")
        point = _ESCAPED.sub(lambda it: chr(int(it[1], 8)), place.split(" ")[_POINT])
        kinds[Path(point)] = source.split(" ")[0]  # the last one of a place hides the others
    own = next((it for it in (folder, *folder.parents) if it in kinds), None)
    inside = (it for it in kinds if it.is_relative_to(folder))
    return own is not None and all(kinds[it] in _LOCAL for it in (own, *inside))
