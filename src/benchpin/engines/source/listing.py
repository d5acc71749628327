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
_UNTRUSTED: Stamp = ()
"""In place of the stamp of a folder that changed so lately that it proves nothing."""
_GIT = ".git"


class Listing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The names in one folder, whatever any rule says of them; `.git` is not among them."""

    stamp: Stamp
    files: list[str]
    """Regular ones."""
    folders: list[str]
    others: dict[str, int]
    """How many entries are neither, by what they are."""
    has_git: bool
    """Whether a repository may begin here."""


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

        `prefix` is its path beneath the root, which alone may be a link, with a slash behind.

        Raises:
            OSError: when it cannot be read.
        """
        now_ns = time.time_ns()
        stamp = stamp_of(os.stat(place, follow_symlinks=not prefix))  # noqa: PTH116 - a Path is slow
        known = self._known.get(prefix)
        if known is not None and known.stamp == stamp:
            return known
        is_trusted = stamp[0] > 0 and not is_racy(stamp, now_ns)
        listing = _read(place, stamp if is_trusted else _UNTRUSTED)
        if known is not None:
            for name in set(known.folders).difference(listing.folders):
                self._drop(f"{prefix}{name}/")
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
            for prefix, listing in self._known.copy().items()
            if listing.stamp
            and _is_text(prefix, listing)
            and all(may(prefix + name) for name in listing.files)
        }
        return _encode(kept) if len(kept) <= _MOST_FOLDERS else b""

    def _drop(self, prefix: str) -> None:
        gone = [prefix]
        while gone:
            prefix = gone.pop()
            listing = self._known.pop(prefix, None)
            if listing is not None:
                gone.extend(f"{prefix}{name}/" for name in listing.folders)


def _read(place: str, stamp: Stamp) -> Listing:
    files: list[str] = []
    folders: list[str] = []
    others: dict[str, int] = {}
    has_git = False
    with os.scandir(place) as entries:
        for entry in entries:
            name = entry.name
            try:
                if name == _GIT:
                    has_git = True
                elif entry.is_file(follow_symlinks=False):
                    files.append(name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                else:
                    kind = "symbolic link" if entry.is_symlink() else "not a regular file"
                    others[kind] = others.get(kind, 0) + 1
            except OSError:
                others["unreadable"] = others.get("unreadable", 0) + 1
    return Listing(stamp, files, folders, others, has_git)


def _is_text(prefix: str, listing: Listing) -> bool:
    """Whether all names can be written down."""
    names = "".join((prefix, *listing.files, *listing.folders))
    return names.isascii() or names.encode(errors="replace").decode() == names
