"""The names in folders, cached for as long as the stamp of a folder stays the same.

A server keeps them from call to call, and the fact cache from process to process: to read the stamp
of a folder takes a third of the time of reading the folder.
"""

import os
import time
from collections.abc import Callable

import msgspec

from benchpin.workspace.files import Stamp, is_racy, stamp_of

# The listings of more folders are not saved.
_MAX_FOLDERS = 1 << 16
# Replaces the stamp of a folder that changed so recently that its stamp proves nothing.
_UNTRUSTED: Stamp = ()
_GIT = ".git"


class FolderListing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The names in one folder, before any rule is applied; without `.git`."""

    stamp: Stamp
    files: list[str]
    """Regular files."""
    folders: list[str]
    others: dict[str, int]
    """The number of other entries, by kind."""
    has_git: bool
    """Whether there is a `.git`, so that this may be a repository."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, FolderListing]).decode


class FolderListings:
    """The folders below one root."""

    def __init__(self, data: bytes = b"") -> None:
        """Start with saved listings, if there are any."""
        self._known: dict[str, FolderListing] = {}
        self.is_changed = False
        try:
            self._known = _decode(data) if data else {}
        except (ValueError, RecursionError):
            self.is_changed = True

    def read(self, path: str, prefix: str) -> FolderListing:
        """Return the names in a folder; the same object if it certainly has not changed.

        `prefix` is its path relative to the root, with a slash at the end; only the root itself,
        whose prefix is empty, may be a symbolic link.

        Raises:
            OSError: when it cannot be read.
        """
        now_ns = time.time_ns()
        stamp = stamp_of(os.stat(path, follow_symlinks=not prefix))  # noqa: PTH116 - a Path is slow
        known = self._known.get(prefix)
        if known is not None and known.stamp == stamp:
            return known
        # A time of 0 or less is no real time: some archives and file systems set it on everything.
        is_trusted = stamp[0] > 0 and not is_racy(stamp, now_ns)
        listing = _scan(path, stamp if is_trusted else _UNTRUSTED)
        if known is not None:
            for name in set(known.folders).difference(listing.folders):
                self._drop(f"{prefix}{name}/")
        self._known[prefix] = listing
        self.is_changed = True
        return listing

    def forget(self) -> None:
        """Drop everything, so that every folder is read again."""
        self._known.clear()

    def to_bytes(self, may: Callable[[str], bool] = bool) -> bytes:
        """Return the listings to save; without folders that contain a name that `may` rejects."""
        kept = {
            prefix: listing
            for prefix, listing in self._known.copy().items()  # other threads may add to it
            if listing.stamp
            and _is_text(prefix, listing)
            and all(may(prefix + name) for name in listing.files)
        }
        return _encode(kept) if len(kept) <= _MAX_FOLDERS else b""

    def _drop(self, prefix: str) -> None:
        removed = [prefix]
        while removed:
            prefix = removed.pop()
            listing = self._known.pop(prefix, None)
            if listing is not None:
                removed.extend(f"{prefix}{name}/" for name in listing.folders)


def _scan(path: str, stamp: Stamp) -> FolderListing:
    files: list[str] = []
    folders: list[str] = []
    others: dict[str, int] = {}
    has_git = False
    with os.scandir(path) as entries:
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
    return FolderListing(stamp, files, folders, others, has_git)


def _is_text(prefix: str, listing: FolderListing) -> bool:
    """Whether all names are valid UTF-8, which the cache requires."""
    names = "".join((prefix, *listing.files, *listing.folders))
    return names.isascii() or names.encode(errors="replace").decode() == names
