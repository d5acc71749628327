"""Where git's rules come from besides .gitignore: the repository's own and the user's.

`.git/info/exclude`, and the file that `core.excludesFile` names in the configuration of the
repository, the user or the system; `$XDG_CONFIG_HOME/git/ignore` when none does. Everything that
was read is remembered as a `Source`, so that a change is noticed later.
"""

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .git_config import TRUE, read_settings
from .ignore import Rules, byte_key, folded_key, read_rules
from .opening import RACY_NS

MAX_BYTES = 1 << 20
"""A longer file holds no rules that a person wrote, and is not read."""

_MAX_CONFIG_FILES = 16
_POINTER = b"gitdir:"

Stamp = tuple[int, ...]


def stamp_of(status: os.stat_result) -> Stamp:
    """Return what differs when a file or a folder was changed or replaced."""
    return (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
        status.st_ino,
        status.st_dev,
    )


def is_racy(stamp: Stamp, now_ns: int) -> bool:
    """Whether something was changed so lately that the same stamp proves nothing.

    Programs can set the first of its times, so the second has a say too.
    """
    return now_ns - max(stamp[:2]) < RACY_NS


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read; one that is missing is empty."""

    place: str
    content: bytes
    stamp: Stamp | None
    is_settled: bool

    @classmethod
    def read(cls, place: str, *, follows_link: bool = True) -> "Source":
        """Read a file; pipes, devices and files that are too long count as empty."""
        now_ns = time.time_ns()
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        flags |= 0 if follows_link else getattr(os, "O_NOFOLLOW", 0)
        try:
            handle = os.open(place, flags)
        except (OSError, ValueError):  # ValueError: a NUL in a path from a file
            return cls(place, b"", None, is_settled=False)
        try:
            status = os.fstat(handle)
            is_rules = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
            content = os.read(handle, status.st_size) if is_rules else b""
        except OSError:
            return cls(place, b"", None, is_settled=False)
        finally:
            os.close(handle)
        stamp = stamp_of(status)
        return cls(place, content, stamp, is_settled=not is_racy(stamp, now_ns))

    def is_current(self) -> bool:
        """Whether the file is certainly as it was read."""
        try:
            stamp = stamp_of(os.stat(self.place))  # noqa: PTH116 - a Path costs more than the call
        except (OSError, ValueError):
            return self.stamp is None
        return self.is_settled and stamp == self.stamp


@dataclass(frozen=True, slots=True)
class Known:
    """Rules, and every file that had a say in them."""

    rules: Rules
    sources: tuple[Source, ...]

    @property
    def contents(self) -> tuple[bytes, ...]:
        """What the files said; rules from the same words are the same."""
        return tuple(source.content for source in self.sources)

    def is_current(self) -> bool:
        """Whether reading the files again would change nothing."""
        return all(source.is_current() for source in self.sources)

    def joined_by(self, folder: str) -> "Known":
        """Add the .gitignore of a folder; git does not follow one that is a link."""
        source = Source.read(f"{folder}/.gitignore", follows_link=False)
        added = read_rules(source.content, folds_case=self.rules.folds_case)
        return Known(self.rules.joined_by(added), (*self.sources, source))


def known_in(marker: Path | None) -> Known:
    """Return what holds in the repository that a `.git` belongs to; or, for None, in none.

    What was read before is not read again while its files are as they were.
    """
    return _remembered(marker, _config_home(), tuple(_config_places())).current()


class _Remembered:
    """What one `.git` and the settings of the user and the system say."""

    def __init__(self, marker: Path | None, home: str, places: tuple[str, ...]) -> None:
        self._marker = marker
        self._home = home
        self._places = places
        self._known: Known | None = None

    def current(self) -> Known:
        known = self._known
        if known is None or not known.is_current():
            known = self._known = self._read()
        return known

    def _read(self) -> Known:
        marker = self._marker
        base = "" if marker is None else str(marker.parent)
        settings = _Settings(f"{self._home}/git/ignore")
        for place in self._places:
            settings.read(place)
        places = []
        if marker is not None:
            git_dir, pointers = _common_dir(marker)
            settings.sources += pointers
            settings.read(f"{git_dir}/config", within=base)
            places.append(f"{git_dir}/info/exclude")
        if settings.excludes_file:
            places.insert(0, os.path.join(base, settings.excludes_file))  # noqa: PTH118
        files = [Source.read(place) for place in places]
        rules = Rules(folded_key if settings.folds_case else byte_key)
        for source in files:
            rules = rules.joined_by(read_rules(source.content, folds_case=settings.folds_case))
        return Known(rules, (*settings.sources, *files))


_remembered = lru_cache(maxsize=64)(_Remembered)


def known_above(folder: Path, root: Path) -> Known:
    """Read what holds for a folder by the files above it.

    Where there is no repository, the .gitignore files from the root of the workspace on count, as
    they do when the root is walked. A repository that ignores the root has nothing to say in it:
    else nobody could work in a project beneath a home folder that is itself under version control.
    """
    marker = find_marker(folder.parent)
    known = known_in(marker)
    place = root if marker is None else marker.parent
    for name in folder.relative_to(place).parts:
        known = known.joined_by(str(place))
        place /= name
        if known.rules.match_folder(name) and root.is_relative_to(place):
            return known_in(None)
        known = Known(known.rules.enter(name), known.sources)
    return known


def find_marker(folder: Path) -> Path | None:
    """Return the `.git` of the repository that a folder lies in."""
    markers = (place / ".git" for place in (folder, *folder.parents))
    return next((marker for marker in markers if is_repository(marker)), None)


def is_repository(marker: Path) -> bool:
    """Whether a `.git` is what it seems: a repository, or a file that leads to one."""
    return os.path.lexists(marker / "HEAD") or Source.read(str(marker)).content.startswith(_POINTER)


def _common_dir(marker: Path) -> tuple[Path, list[Source]]:
    """Follow a `.git` to the folder that has the settings; return also what pointed there."""
    git_dir, pointers = marker, []
    if not marker.is_dir():
        pointers.append(Source.read(str(marker)))
        target = pointers[0].content.removeprefix(_POINTER).strip()
        git_dir = marker.parent / os.fsdecode(target)
    pointers.append(Source.read(f"{git_dir}/commondir"))
    common = pointers[-1].content.strip()
    return git_dir / os.fsdecode(common) if common else git_dir, pointers


def _config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or _with_home("~/.config")


def _with_home(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises where there is no home


def _config_places() -> Iterator[str]:
    """Name the files with settings, the least important first (git-config(1), FILES)."""
    environ = os.environ
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in TRUE:
        yield environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")
    if "GIT_CONFIG_GLOBAL" in environ:
        yield environ["GIT_CONFIG_GLOBAL"]
    else:
        yield f"{_config_home()}/git/config"
        yield _with_home("~/.gitconfig")


class _Settings:
    """The few settings that matter here."""

    def __init__(self, excludes_file: str) -> None:
        self.excludes_file = excludes_file
        self.folds_case = False
        self.sources: list[Source] = []

    def read(self, place: str, within: str | None = None) -> None:
        """Take over what a file says, and the files that it includes.

        What comes with a repository may only lead to files that come with it too.
        """
        source = Source.read(place)
        self.sources.append(source)
        for name, value in read_settings(source.content):
            self._set(name, value, place, within)

    def _set(self, name: str, value: str | None, place: str, within: str | None) -> None:
        if name == "core.excludesfile":
            named = _with_home(value or "")
            if within is None or _is_within(os.path.join(within, named), within):  # noqa: PTH118
                self.excludes_file = named
        elif name == "core.ignorecase":
            self.folds_case = value is None or value.lower() in TRUE
        elif name == "include.path" and value and len(self.sources) < _MAX_CONFIG_FILES:
            included = os.path.join(os.path.dirname(place), _with_home(value))  # noqa: PTH118, PTH120
            if within is None or _is_within(included, within):
                self.read(included, within)


def _is_within(place: str, folder: str) -> bool:
    return Path(place).resolve().is_relative_to(Path(folder).resolve())
