"""The ignore rules of a repository and its user, besides the .gitignore files in its folders.

They are in `.git/info/exclude`, and in the file that `core.excludesFile` names in the configuration
of the repository, the user or the system (by default `$XDG_CONFIG_HOME/git/ignore`). Every file
read is kept as a `RuleFile`, so that a change is noticed later.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchpin.workspace.files import Stamp, is_racy, stamp_of
from benchpin.workspace.git import TRUE, read_settings, resolved, work_tree_of

from ._ignore import IgnoreRules, byte_key, folded_key, read_rules

# A larger file does not contain rules that a person wrote, and is not read.
MAX_BYTES = 1 << 20

_MAX_CONFIG_FILES = 16
_MAX_REPOSITORIES = 64
_POINTER = b"gitdir:"
# What `_config_home` and `_config_files` read.
_VARIABLES = (
    *("HOME", "USERPROFILE", "XDG_CONFIG_HOME"),
    *("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"),
)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file as it was read; a missing one is empty."""

    path: str
    content: bytes
    stamp: Stamp | None
    is_settled: bool
    """Whether it was old enough when it was read for its stamp to prove anything."""
    is_too_large: bool = False
    """Whether it was not read because of its size."""

    @classmethod
    def read(cls, path: str, *, follows_link: bool = True) -> "RuleFile":
        """Read a file; pipes, devices and files that are too large count as empty."""
        now_ns = time.time_ns()
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        flags |= 0 if follows_link else getattr(os, "O_NOFOLLOW", 0)
        try:
            handle = os.open(path, flags)
        except (OSError, ValueError):  # ValueError: a NUL in a path from a file
            return cls(path, b"", None, is_settled=False)
        try:
            status = os.fstat(handle)
            is_file = stat.S_ISREG(status.st_mode)
            is_too_large = is_file and status.st_size > MAX_BYTES
            is_rules = is_file and not is_too_large
            content = os.read(handle, status.st_size) if is_rules else b""
        except OSError:
            return cls(path, b"", None, is_settled=False)
        finally:
            os.close(handle)
        stamp = stamp_of(status)
        is_settled = not is_racy(stamp, now_ns)
        return cls(path, content, stamp, is_settled=is_settled, is_too_large=is_too_large)

    def is_current(self) -> bool:
        """Whether the file has certainly not changed."""
        try:
            stamp = stamp_of(os.stat(self.path))  # noqa: PTH116 - a Path costs more than the call
        except (OSError, ValueError):
            return self.stamp is None
        return self.is_settled and stamp == self.stamp


@dataclass(frozen=True, slots=True)
class TrackedRules:
    """Ignore rules, and every file that they depend on."""

    rules: IgnoreRules
    files: tuple[RuleFile, ...]
    left_out: int = 0
    """Lines and files with rules that are over a limit, so that they have no effect."""

    @property
    def contents(self) -> tuple[bytes, ...]:
        """The contents of the files; equal contents give equal rules."""
        return tuple(file.content for file in self.files)

    def is_current(self) -> bool:
        """Whether none of the files has changed."""
        return all(file.is_current() for file in self.files)

    def joined_by(self, folder: str) -> "TrackedRules":
        """Add the .gitignore of a folder; git ignores one that is a symbolic link."""
        file = RuleFile.read(f"{folder}/.gitignore", follows_link=False)
        return self.joined_by_files((file,))

    def joined_by_files(self, files: Iterable[RuleFile]) -> "TrackedRules":
        """Add files with rules; later ones take precedence."""
        found = self
        for file in files:
            added = read_rules(file.content, folds_case=found.rules.folds_case)
            left_out = found.left_out + added.left_out + file.is_too_large
            rules = found.rules.joined_by(added)
            found = TrackedRules(rules, (*found.files, file), left_out)
        return found


class RepositoryRules:
    """The rules of repositories; read again only when one of their files has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path | None, tuple[str | None, ...]], TrackedRules] = {}

    def of(self, marker: Path | None) -> TrackedRules:
        """Return the rules of the repository of a `.git`; for None, those outside of any."""
        # The environment decides where the user's settings are.
        variables = tuple(map(os.environ.get, _VARIABLES))
        known = self._known.get((marker, variables))
        if known is None or not known.is_current():
            if len(self._known) >= _MAX_REPOSITORIES:
                self._known.clear()
            config_files = (f"{_config_home()}/git/ignore", *_config_files())
            known = self._known[marker, variables] = _read(marker, *config_files)
        return known

    def above(self, folder: Path, root: Path) -> TrackedRules:
        """Return the rules that apply to a folder because of files above it.

        Without a repository, the .gitignore files from the root of the workspace on apply, as in a
        walk from the root. A repository that ignores the root has no effect: otherwise a project
        below a home folder that is itself under version control would be empty.
        """
        marker = find_marker(folder.parent)
        known = self.of(marker)
        place = root if marker is None else marker.parent
        for name in folder.relative_to(place).parts:
            known = known.joined_by(str(place))
            place /= name
            if known.rules.match_folder(name) and root.is_relative_to(place):
                return self.of(None)
            known = TrackedRules(known.rules.enter(name), known.files, known.left_out)
        return known


def _read(marker: Path | None, default_excludes: str, *config_files: str) -> TrackedRules:
    base = "" if marker is None else str(marker.parent)
    settings = _Settings(default_excludes)
    for path in config_files:
        settings.read(path)
    paths = []
    if marker is not None:
        git_dir, common_dir, pointers = _follow_marker(marker)
        settings.files += pointers
        if _belong_together(marker, git_dir, common_dir):
            settings.read(f"{common_dir}/config", within=base)
            paths.append(f"{common_dir}/info/exclude")
    if settings.excludes_file:
        # First, because later files take precedence.
        paths.insert(0, os.path.join(base, settings.excludes_file))  # noqa: PTH118
    rules = IgnoreRules(folded_key if settings.folds_case else byte_key)
    too_large = sum(file.is_too_large for file in settings.files)
    known = TrackedRules(rules, tuple(settings.files), too_large)
    return known.joined_by_files(RuleFile.read(path) for path in paths)


def find_marker(folder: Path) -> Path | None:
    """Return the `.git` of the repository that contains a folder."""
    markers = (parent / ".git" for parent in (folder, *folder.parents))
    return next((marker for marker in markers if is_repository(marker)), None)


def is_repository(marker: Path) -> bool:
    """Whether a `.git` is a repository, or a file that points to one."""
    if os.path.lexists(marker / "HEAD"):
        return True
    return RuleFile.read(str(marker)).content.startswith(_POINTER)


def _belong_together(marker: Path, git_dir: Path, common_dir: Path) -> bool:
    """Whether a git folder elsewhere names this work tree; a `.git` may claim any folder."""
    home, own, shared = map(resolved, (marker.parent, git_dir, common_dir))
    if home is None or own is None or shared is None:
        return False
    is_inside = own.is_relative_to(home) and shared.is_relative_to(home)
    return is_inside or work_tree_of(own, shared) == home


def _follow_marker(marker: Path) -> tuple[Path, Path, list[RuleFile]]:
    """Return the folder of a `.git`, that with the settings, and the files that point there."""
    git_dir, pointers = marker, []
    if not marker.is_dir():
        pointers.append(RuleFile.read(str(marker)))
        target = pointers[0].content.removeprefix(_POINTER).strip()
        git_dir = marker.parent / os.fsdecode(target)
    pointers.append(RuleFile.read(f"{git_dir}/commondir"))
    common = pointers[-1].content.strip()
    return git_dir, git_dir / os.fsdecode(common) if common else git_dir, pointers


def _config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or _with_home("~/.config")


def _with_home(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises without a home


def _config_files() -> Iterator[str]:
    """Yield the files with settings, lowest precedence first (git-config(1), FILES)."""
    environ = os.environ
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in TRUE:
        yield environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")
    if "GIT_CONFIG_GLOBAL" in environ:
        yield environ["GIT_CONFIG_GLOBAL"]
    else:
        yield f"{_config_home()}/git/config"
        yield _with_home("~/.gitconfig")


class _Settings:
    """The settings that affect ignore rules."""

    def __init__(self, excludes_file: str) -> None:
        self.excludes_file = excludes_file
        self.folds_case = False
        self.files: list[RuleFile] = []

    def read(self, path: str, within: str | None = None) -> None:
        """Apply a file and the files that it includes.

        `within` is the folder of the repository: its settings must not point outside of it.
        """
        file = RuleFile.read(path)
        self.files.append(file)
        for name, value in read_settings(file.content):
            self._set(name, value, path, within)

    def _set(self, name: str, value: str | None, path: str, within: str | None) -> None:
        if name == "core.excludesfile":
            named = _with_home(value or "")
            if within is None or _is_within(os.path.join(within, named), within):  # noqa: PTH118
                self.excludes_file = named
        elif name == "core.ignorecase":
            self.folds_case = value is None or value.lower() in TRUE
        elif name == "include.path" and value and len(self.files) < _MAX_CONFIG_FILES:
            included = os.path.join(os.path.dirname(path), _with_home(value))  # noqa: PTH118, PTH120
            if within is None or _is_within(included, within):
                self.read(included, within)


def _is_within(path: str, folder: str) -> bool:
    return Path(path).resolve().is_relative_to(Path(folder).resolve())
