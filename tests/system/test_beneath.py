import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.errors import BenchpinError
from benchpin.workspace.files import _beneath as beneath
from benchpin.workspace.files import folder_beneath, open_beneath, opened

TRIES = 10_000


@pytest.fixture(params=["openat2", "names"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Open in each of the two ways."""
    if request.param == "names":
        monkeypatch.setattr(beneath, "has_openat2", lambda: False)
    elif not beneath.has_openat2():
        pytest.skip("this kernel has no openat2")
    return str(request.param)


@pytest.fixture
def top(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "root/folder/inner").mkdir(parents=True)
    (tmp_path / "root/folder/file.txt").write_text("inside")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "root/link.txt").symlink_to("folder/file.txt")
    (tmp_path / "root/out.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "root/outside").symlink_to(tmp_path)
    (tmp_path / "root/to-folder").symlink_to("folder")
    descriptor = os.open(tmp_path / "root", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_a_file_is_opened(top: int, way: str) -> None:
    assert way
    descriptor = open_beneath(top, PurePosixPath("folder/file.txt"), os.O_RDONLY)
    assert os.read(descriptor, 100) == b"inside"
    os.close(descriptor)


@pytest.mark.parametrize(
    "path",
    [
        "link.txt",
        "out.txt",
        "outside/secret.txt",
        "to-folder/file.txt",
        "../secret.txt",
        "folder/../../secret.txt",
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
    ],
)
def test_no_link_and_no_way_up_is_followed(top: int, way: str, path: str) -> None:
    assert way
    with pytest.raises(OSError, match=r".") as raised:
        open_beneath(top, PurePosixPath(path), os.O_RDONLY)
    assert raised.value.errno in {errno.ELOOP, errno.EXDEV, errno.ENOTDIR}


@pytest.mark.usefixtures("way", "top")
def test_missing_folders_are_created(tmp_path: Path) -> None:
    with folder_beneath(tmp_path / "root", PurePosixPath("a/b/c"), create=True) as folder:
        assert os.fstat(folder).st_ino == (tmp_path / "root/a/b/c").stat().st_ino
    assert (tmp_path / "root/a/b/c").is_dir()
    with (
        pytest.raises(OSError, match=r"."),
        folder_beneath(tmp_path / "root", PurePosixPath("outside/new"), create=True),
    ):
        pass
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("way")
def test_a_folder_that_is_swapped_for_a_link_never_leads_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for place, text in ((root / "real", "inside"), (outside, "secret")):
        place.mkdir(parents=True)
        (place / "file.txt").write_text(text)
    (root / "link").symlink_to(outside)
    swap, done = root / "swap", threading.Event()

    def keep_swapping() -> None:
        while not done.is_set():
            for source in ("real", "link"):
                os.rename(root / source, swap)  # noqa: PTH104 - as fast as it goes
                os.rename(swap, root / source)  # noqa: PTH104

    swapper = threading.Thread(target=keep_swapping)
    swapper.start()
    seen: dict[bytes, int] = {}
    try:
        for _ in range(TRIES // 10 if not beneath.has_openat2() else TRIES):
            try:
                with opened(root, PurePosixPath("swap/file.txt"), 1000) as file:
                    content = file.file.read()
                    seen[content] = seen.get(content, 0) + 1
            except BenchpinError:
                continue
    finally:
        done.set()
        swapper.join()
    assert set(seen) <= {b"inside"}


@pytest.mark.parametrize("has_call", [True, False])
def test_a_path_below_a_root_is_opened_whatever_leads_to_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_call: bool
) -> None:
    if not has_call:
        monkeypatch.setattr(beneath, "has_openat2", lambda: False)
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "real" / "a" / "b.txt").write_bytes(b"text")
    (tmp_path / "link").symlink_to("real")
    for root in (tmp_path / "real", tmp_path / "link"):
        descriptor = beneath.open_below(root, PurePosixPath("a/b.txt"), os.O_RDONLY)
        assert os.read(descriptor, 10) == b"text"
        os.close(descriptor)


@pytest.mark.parametrize("path", ["link/b.txt", "b.link", "../out.txt", "/etc/passwd", "a/../../x"])
def test_nothing_outside_a_root_is_opened_below_it(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a" / "b.txt").write_bytes(b"text")
    (root / "link").symlink_to("a")
    (root / "b.link").symlink_to("a/b.txt")
    (tmp_path / "out.txt").write_bytes(b"out")
    with pytest.raises(OSError, match=r"."):
        beneath.open_below(root, PurePosixPath(path), os.O_RDONLY)
