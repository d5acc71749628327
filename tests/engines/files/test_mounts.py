from pathlib import Path

import pytest

from benchpin.engines.files.mounts import is_on_local_disk

MOUNTS = """\
22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /home rw - xfs /dev/vdb rw
24 22 0:22 / /net rw master:1 - nfs4 server:/x rw
25 23 0:23 / /home/a/my\\040disk rw - fuse.sshfs host: rw
26 22 0:24 / /proc rw - proc proc rw
"""


@pytest.mark.parametrize(
    ("root", "is_local"),
    [
        ("/srv/project", True),
        ("/home/b", True),
        ("/home/a", False),
        ("/home/a/my disk/x", False),
        ("/net/x", False),
        ("/proc", False),
        ("/", False),
    ],
)
def test_a_folder_is_local_when_all_beneath_it_is(
    tmp_path: Path, root: str, *, is_local: bool
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert is_on_local_disk(Path(root), mounts) is is_local


def test_what_cannot_be_told_is_not_local(tmp_path: Path) -> None:
    assert not is_on_local_disk(tmp_path, tmp_path / "nothing")
