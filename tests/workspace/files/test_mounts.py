"""Which folders are on local disks."""

from pathlib import Path

import pytest

from benchpin.workspace.files import is_local

ROOT = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([ROOT], True),
        ([ROOT, "22 21 0:5 / /proc rw - proc proc rw"], True),
        ([ROOT, "23 21 0:40 / /srv/ann rw - nfs4 server:/ann rw"], False),
        ([ROOT, "23 21 0:40 / /srv/ann/files/data rw - fuse.sshfs far:/ rw"], False),
        ([ROOT, "23 21 0:40 / /srv/annette rw - nfs4 server:/annette rw"], True),
        ([ROOT, "23 21 0:40 / /srv rw - nfs4 far:/ rw", "24 23 0:41 / /srv rw - xfs b rw"], True),
        ([ROOT, "23 21 0:40 / /srv/ann/files/my\\040data rw - 9p share rw"], False),
        ([], False),
    ],
)
def test_a_folder_is_local_if_its_mount_and_those_inside_it_are(
    lines: list[str], *, expected: bool, tmp_path: Path
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert is_local(Path("/srv/ann/files"), mounts) is expected


def test_nothing_is_known_where_the_system_does_not_tell(tmp_path: Path) -> None:
    assert not is_local(Path("/srv/ann/files"), tmp_path / "none")
