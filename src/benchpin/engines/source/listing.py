"""What is in folders, remembered for as long as their stamps say that nothing came or went.

A server remembers from call to call, and the fact cache from program to program: to ask the system
for the stamp of a folder costs a third of reading it.
"""

import os
import time
from collections.abc import Callable

import msgspec

from .excludes import Stamp, is_racy, stamp_of

_MOST_FOLDERS = 1 << 16
"""More are not remembered from program to program."""


class Listing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The names in one folder, whatever any rule says of them; files are regular files."""

    stamp: Stamp
    files: list[str]
    folders: list[str]
    others: dict[str, int]
    """How many entries are neither, by what they are."""

    @property
    def has_git(self) -> bool:
        """Whether a repository begins here."""
        return ".git" in self.folders or ".git" in self.files


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, Listing]).decode


class Listings:
    """The folders beneath one root."""

    def __init__(self, data: bytes = b"") -> None:
        """Begin with what another program remembered, or with nothing."""
        self._known: dict[str, Listing] = {}
        self.is_changed = False
        try:
            self._known = _decode(data) if data else {}
        except msgspec.MsgspecError:
            self.is_changed = True

    def look(self, place: str, prefix: str) -> Listing:
        """Return what is in a folder; the same object while that is certainly the same.

        Raises:
            OSError: when it cannot be read.
        """
        now_ns = time.time_ns()
        stamp = stamp_of(os.lstat(place))
        known = self._known.get(prefix)
        if known is not None and known.stamp == stamp:
            return known
        listing = _read(place, stamp)
        if not is_racy(stamp, now_ns):
            self._known[prefix] = listing
            self.is_changed = True
        return listing

    def forget(self) -> None:
        """Read every folder again."""
        self._known.clear()

    def to_bytes(self, may: Callable[[str], bool] = bool) -> bytes:
        """Return what another program may begin with; no folder with a name to be kept quiet."""
        kept = {
            prefix: listing
            for prefix, listing in self._known.items()
            if self._is_there(prefix)
            and _is_text(prefix, listing)
            and all(may(prefix + name) for name in listing.files)
        }
        return _encode(kept) if len(kept) <= _MOST_FOLDERS else b""

    def _is_there(self, prefix: str) -> bool:
        """Whether the folder around it still has a folder of that name, as far as is known."""
        outer, _, name = prefix.rstrip("/").rpartition("/")
        around = self._known.get(f"{outer}/" if outer else "")
        return not prefix or around is None or name in around.folders


def _read(place: str, stamp: Stamp) -> Listing:
    files: list[str] = []
    folders: list[str] = []
    others: dict[str, int] = {}
    with os.scandir(place) as entries:
        for entry in entries:
            try:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                kind = "symbolic link" if entry.is_symlink() else "not a regular file"
            except OSError:
                kind = "unreadable"
            others[kind] = others.get(kind, 0) + 1
    return Listing(stamp, files, folders, others)


def _is_text(prefix: str, listing: Listing) -> bool:
    """Whether all names can be written down."""
    names = "".join((prefix, *listing.files, *listing.folders))
    return names.isascii() or names.encode(errors="replace").decode() == names
