"""A pipe, socket, device or folder in place of one of our own files is refused, not waited for."""

import os
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.facts.store import CacheDatabase
from benchpin.repository.packing._text_facts import TextFactsCache
from benchpin.run.sandbox import _sandbox as remembered
from benchpin.run.sandbox._sandbox import Sandbox
from benchpin.workspace.files import read_own, require_own


def _socket(place: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as it:
        it.bind(str(place))


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the address of a socket is short
    place = Path("sandbox-works")
    ODD[request.param](place)
    return place.absolute()


def test_what_is_not_a_file_is_refused(odd: Path) -> None:
    with pytest.raises(OSError, match=r"regular file|No such device|Is a directory"):
        read_own(odd)
    with pytest.raises(OSError, match="is not a regular file; remove it"):
        require_own(odd)


def test_a_file_is_read_and_a_missing_one_may_be_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert read_own(tmp_path / "a") == b"x"
    require_own(tmp_path / "missing")


def test_caches_start_empty_and_the_sandbox_is_probed_again(
    odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "detect_sandbox", lambda _: Sandbox("none", "tried"))
    remembered.remember(Path("/nowhere"), odd.parent)
    assert not remembered.can_confine(Path("/nowhere"), odd.parent)
    TextFactsCache(odd)


def test_a_database_that_is_not_a_file_is_not_used(odd: Path) -> None:
    for name in ("facts-1.sqlite", "facts-2.sqlite-wal"):
        (odd.parent / name).symlink_to(odd)
    for version in ("1", "2"):
        assert not CacheDatabase(odd.parent, "facts", version, ()).is_usable
