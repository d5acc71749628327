"""Check the files of a repository before git reads them.

Git would follow links and alternates to objects elsewhere, and so show the history of a private
repository as that of this one. It would wait for pipes, and read a file of any size into memory.
"""

import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from benchpin.core.errors import FileTooLarge, InvalidPath, PathOutsideWorkspace
from benchpin.core.text import plain

TRUE = frozenset({"1", "true", "yes", "on"})
_ENTRY = re.compile(
    r"""
    \[ \s*+ (?P<section> [\w.-]++ ) \s*+ (?P<subsection> "(?: [^"\\\n] | \\. )*+" )?+ \s*+ \]
    | (?P<key> [A-Za-z] [\w-]*+ ) [ \t]*+
      (?: = (?P<value> (?: [^"\\#;\n] | \\. | " (?: [^"\\\n] | \\. )*+ " )*+ ) )?+
      [^\n]*+
    | [#;] [^\n]*
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(.)|"', re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}
_MAX_POINTER_BYTES = 1 << 16
_MAX_CONFIG_BYTES = 1 << 20
_MAX_LIST_BYTES = 1 << 24
# The files that git reads first, with limits that no real repository reaches.
_MAX_BYTES: Mapping[str, int] = {
    "HEAD": _MAX_POINTER_BYTES,
    "FETCH_HEAD": _MAX_LIST_BYTES,
    "commondir": _MAX_POINTER_BYTES,
    "config": _MAX_CONFIG_BYTES,
    "config.worktree": _MAX_CONFIG_BYTES,
    "info/attributes": _MAX_LIST_BYTES,
    "info/grafts": _MAX_LIST_BYTES,
    "index": 1 << 30,
    "packed-refs": 1 << 28,
    "shallow": _MAX_LIST_BYTES,
}
_FOLDERS = ("info", "logs", "objects", "refs", "reftable")
# Folders whose files git reads whole.
_SIZED = frozenset({"logs", "refs"})
# Git packs objects from 6,700 on.
_MAX_ENTRIES = 500_000
_MAX_INCLUDED = 64


def read_settings(content: bytes) -> Iterator[tuple[str, str | None]]:
    """Yield names, in lower case except the subsection, and values; None without a `=`."""
    section = ""
    for entry in _ENTRY.finditer(os.fsdecode(content)):
        if entry["section"]:
            section = entry["section"].lower() + (entry["subsection"] or "")
        elif entry["key"]:
            raw = entry["value"]
            value = None if raw is None else _ESCAPE.sub(_unescaped, raw.strip())
            yield f"{section}.{entry['key'].lower()}", value


def _unescaped(found: re.Match[str]) -> str:
    char = found[1]
    return "" if char is None else _ESCAPED.get(char, char)


class GitFiles:
    """The files that git reads for a repository."""

    def __init__(self, work_tree: Path, trusted: Sequence[Path] | None) -> None:
        """Accept links into trusted folders; with None they may lead anywhere."""
        self._work_tree = work_tree
        self._trusted = trusted
        self._entries = 0
        self._seen: set[Path] = set()

    def check(self, git_folders: Collection[Path]) -> None:
        """Check the git folders of the repository.

        Raises:
            FileTooLarge: when git would read too much.
            InvalidPath: when a pipe or device is in place of a file.
            PathOutsideWorkspace: when a link or an alternate leads outside.
        """
        for name in (".gitattributes", ".mailmap"):
            self._check_file(self._work_tree / name, _MAX_LIST_BYTES)
        for folder in git_folders:
            for name, max_bytes in _MAX_BYTES.items():
                self._check_link(folder / name)
                self._check_file(folder / name, max_bytes)
            for name in ("config", "config.worktree"):
                for included in _included(folder / name):
                    self._check_file(included, _MAX_CONFIG_BYTES)
            for name in _FOLDERS:
                self._check_link(folder / name)
                self._check_folder(folder / name, _MAX_LIST_BYTES if name in _SIZED else None)
            self._check_alternates(folder / "objects")

    def _check_folder(self, top: Path, max_bytes: int | None) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if folder in self._seen:
                continue
            self._seen.add(folder)
            for entry in _listed(folder):
                self._count()
                is_link = entry.is_symlink()
                if is_link:
                    self._check_link(Path(entry.path))
                if entry.is_dir():
                    inner = Path(entry.path)
                    waiting.append(inner.resolve() if is_link else inner)
                elif max_bytes is not None or not entry.is_file(follow_symlinks=False):
                    self._check_file(Path(entry.path), max_bytes)

    def _check_alternates(self, objects: Path) -> None:
        waiting = [objects]
        while waiting:
            folder = waiting.pop()
            for target in _alternates(folder):
                self._count()
                self._require_trusted(target, folder / "info/alternates")
                if target is not None and target not in self._seen:
                    self._check_folder(target, None)
                    waiting.append(target)

    def _check_link(self, path: Path) -> None:
        if path.is_symlink():
            self._require_trusted(resolved(path), path)

    def _require_trusted(self, target: Path | None, link: Path) -> None:
        if self._trusted is None:
            return
        if target is None or not any(target.is_relative_to(it) for it in self._trusted):
            raise outside(self._work_tree, f"{plain(link.name)!r} leads there")

    def _check_file(self, path: Path, max_bytes: int | None) -> None:
        try:
            status = path.stat()
        except (OSError, ValueError):  # git cannot read it either
            return
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise InvalidPath(
                f"{plain(path.name)!r} of the repository {self._name!r} is not a regular file",
                suggestion="Remove the pipe or device, or the git setting that includes it.",
                data={"file": path.name},
            )
        if max_bytes is not None and stat.S_ISREG(status.st_mode) and status.st_size > max_bytes:
            raise FileTooLarge(
                f"{plain(path.name)!r} of the repository {self._name!r} has {status.st_size:,} "
                f"bytes, more than {max_bytes:,}",
                suggestion="Check the repository with `git fsck`, or clone it again.",
                data={"file": path.name, "size_bytes": status.st_size},
            )

    def _count(self) -> None:
        self._entries += 1
        if self._entries > _MAX_ENTRIES:
            raise InvalidPath(
                f"The git folder of {self._name!r} has more than {_MAX_ENTRIES:,} files",
                suggestion="Pack them with `git gc`.",
            )

    @property
    def _name(self) -> str:
        return plain(self._work_tree.name)


def outside(work_tree: Path, reason: str = "") -> PathOutsideWorkspace:
    """Return the error for a history outside the workspace."""
    why = f": {reason}" if reason else ""
    return PathOutsideWorkspace(
        f"The history of {plain(work_tree.name)!r} is kept outside the workspace{why}; "
        "--git-folders DIR allows to read it",
        suggestion="Start Benchpin with --git-folders DIR (BENCHPIN_GIT_FOLDERS), the folder that "
        "it is in, or with a --root that contains it too.",
    )


def resolved(path: Path) -> Path | None:
    """Return the real path; None if there is none, such as for a loop of links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def read_start(path: Path, size: int) -> bytes | None:
    """Return the first bytes of a regular file, None for anything else; never blocks on a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)


def _listed(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # git cannot read it either
        return


def _alternates(objects: Path) -> Iterator[Path | None]:
    """Yield the folders that `info/alternates` names; None for one that cannot be resolved."""
    listed = read_start(objects / "info/alternates", _MAX_POINTER_BYTES + 1) or b""
    if len(listed) > _MAX_POINTER_BYTES:
        yield None
    for line in listed.split(b"\n"):
        if line.startswith(b'"'):  # quoted as in C: git-clone writes such for a name with a newline
            yield None
        elif line and not line.startswith(b"#"):
            yield resolved(objects / os.fsdecode(line))


def _included(config: Path) -> Iterator[Path]:
    """Yield the files that a configuration includes, under any condition and recursively."""
    waiting, seen = [config], {config}
    while waiting and len(seen) <= _MAX_INCLUDED:
        path = waiting.pop()
        for name, value in read_settings(read_start(path, _MAX_CONFIG_BYTES) or b""):
            if name.startswith("include") and name.endswith(".path") and value:
                inner = path.parent / os.path.expanduser(value)  # noqa: PTH111
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
                    yield inner
