"""Which repositories belong to a fleet: paths and globs, or a list in a file.

A folder without git is a member when it is named itself; globs find repositories alone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchpin.core.calls import Operation, Permissions
from benchpin.core.errors import BenchpinError, InvalidParams, PathOutsideWorkspace

MAX_LISTING_BYTES = 16 << 20
_MAX_CHARS = 1_000
_SHOWN_CHARS = 200
_GLOB = re.compile(r"[*?\[]")
# How a repository called `owner/name` may lie below the workspace.
_WAYS_TO_WRITE = ("{}", "{}.git", "{}/.git")
# Where listings have the name: our own, `gh repo list --json`, the APIs of GitHub and GitLab.
_NAME_FIELDS = ("path", "nameWithOwner", "full_name", "path_with_namespace", "name")


class NoMembers(BenchpinError):
    """Nothing that was named is a repository."""

    kind = "no_members"


@dataclass(frozen=True, slots=True)
class Member:
    """One repository: a work tree, a bare mirror, or a folder without git."""

    name: str
    """Its path in the workspace."""
    path: Path
    permissions: Permissions = field(default_factory=Permissions)
    """Of the workspace."""

    def may_read(self, path: str) -> bool:
        inside = path if self.name == "." else f"{self.name}/{path}"
        return self.permissions.may(inside, Operation.READ)


@dataclass(frozen=True, slots=True)
class Members:
    """The repositories that were found, and the names without one."""

    found: list[Member]
    missing: list[str]


def find_members(
    root: Path, patterns: Sequence[str], listing: bytes | None, permissions: Permissions
) -> Members:
    """Return the repositories below a root that patterns and a listing name, sorted by name.

    A listing is text with one on a line, or JSON as forges and their tools write it.

    Raises:
        InvalidParams: when a pattern would search all folders below others.
        NoMembers: when there is none.
        PathOutsideWorkspace: when a name leads outside the root.
    """
    root = root.resolve()
    found: dict[str, Member] = {}
    missing: list[str] = []
    for name in (*patterns, *([] if listing is None else _listed(listing))):
        members = [
            replace(it, permissions=permissions)
            for it in _matching(root, name)
            if permissions.may(it.name, Operation.READ)
        ]
        found |= {it.name: it for it in members}
        missing += [] if members else [name]
    if not found:
        named = ", ".join(missing[:3]) or "nothing"
        raise NoMembers(
            f"No repository was found; {named} was named",
            suggestion="Name folders of repositories below the workspace, such as 'mirrors/*'; "
            "a folder without git by its own name.",
        )
    return Members([member for _, member in sorted(found.items())], missing)


def _matching(root: Path, name: str) -> Iterator[Member]:
    if "**" in name or "\0" in name or len(name) > _MAX_CHARS:
        raise InvalidParams(
            f"{name[:_SHOWN_CHARS]!r} is no pattern for repositories",
            suggestion="Use * for the name of one folder, such as mirrors/*; ** is not possible.",
        )
    if ".." in Path(name).parts or Path(name).is_absolute():
        inside = Path(name).resolve()
        if not inside.is_relative_to(root):
            raise PathOutsideWorkspace(
                f"{name!r} is outside the workspace",
                suggestion="Start Benchpin with --root at a folder that holds all repositories.",
            )
        name = inside.relative_to(root).as_posix()
    plain: list[Member] = []
    for way in _WAYS_TO_WRITE:
        try:
            places = sorted(root.glob(way.format(name))) if Path(name).parts else [root]
        except (OSError, ValueError):
            return
        members = [it for place in places if (it := _member(root, place)) is not None]
        found = [it for it in members if is_repository(it.path)]
        if found:
            yield from found
            return
        plain += members
    if not _GLOB.search(name):
        yield from plain[:1]


def member_at(root: Path, name: str, permissions: Permissions) -> Member | None:
    """Return the member that was measured under a name; None if it is not here any more."""
    member = None if Path(name).is_absolute() else _member(root, root / name)
    if member is None or member.name != name or not permissions.may(name, Operation.READ):
        return None
    return replace(member, permissions=permissions)


def _member(root: Path, place: Path) -> Member | None:
    """Return a folder of the workspace as a member; no link leads out of it."""
    folder = place.parent if place.name == ".git" else place
    resolved = folder.resolve()
    if not resolved.is_relative_to(root) or not resolved.is_dir():
        return None
    return Member(resolved.relative_to(root).as_posix(), resolved)


def is_repository(folder: Path) -> bool:
    """Whether a folder is a work tree or a bare repository, as far as names tell."""
    return (folder / ".git").exists() or is_bare(folder)


def is_bare(folder: Path) -> bool:
    """Whether a folder is a git folder itself."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def _listed(data: bytes) -> Iterable[str]:
    text = data.decode("utf-8-sig", "replace")
    if not text.lstrip().startswith("["):
        lines = (line.partition("#")[0].strip() for line in text.splitlines())
        return [line for line in lines if line]
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoMembers(
            f"The listing is not JSON: {error}",
            suggestion="Give a JSON array, or a text file with one repository on a line.",
        ) from error
    return [name for entry in entries if (name := _name(entry))]


def _name(entry: object) -> str:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict):
        return ""
    return next((str(entry[key]) for key in _NAME_FIELDS if entry.get(key)), "")
