"""The files of one repository: which there are, where they are, and how they are read."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase, translate
from functools import cached_property
from itertools import islice
from pathlib import Path

from benchpin.core.calls import Job, Operation, Permissions, WorkspaceSession
from benchpin.facts import SourceQuery, Sources, open_index
from benchpin.facts.store import Section
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.walking import IgnoreRules, SourceFile, read_rules

# Lines for linguist that are read; each is matched with every file.
MAX_LINES = 1_000
_NAME = ".gitattributes"
# How much is read of a manifest or a document.
MAX_TEXT_BYTES = 1 << 20


def fits(names: Sequence[str], glob: Sequence[str]) -> bool:
    """Whether the names of a path match a glob; `**` matches any number of names."""
    # Simulates an automaton over the parts of the glob: backtracking over `**` could take forever.
    reached = _past_stars({0}, glob)
    for name in names:
        steps = (
            it if glob[it] == "**" else it + 1
            for it in reached
            if it < len(glob) and (glob[it] == "**" or fnmatchcase(name, glob[it]))
        )
        reached = _past_stars(steps, glob)
    return len(glob) in reached


def _past_stars(places: Iterable[int], glob: Sequence[str]) -> set[int]:
    """Return places in a glob, and those after them that can be reached without a name."""
    found: set[int] = set()
    for place in places:
        found.add(place)
        while place < len(glob) and glob[place] == "**":
            place += 1  # noqa: PLW2901 - moves on through the stars
            found.add(place)
    return found


@dataclass(frozen=True)
class RepositoryTree:
    """The files of a repository, which may be a folder of the workspace."""

    session: WorkspaceSession
    base: str
    """The folder of the repository with a trailing slash; empty for the workspace itself."""
    files: list[SourceFile]
    skipped: dict[str, int]
    permissions: Permissions = field(default_factory=Permissions)
    is_whole: bool = True
    """Whether there was time to look into all folders."""

    @property
    def root(self) -> Path:
        """The root of the workspace; all paths are relative to it."""
        return self.session.root

    def may(self, path: str) -> bool:
        """Whether a path of the workspace may be read."""
        return self.permissions.may(path, Operation.READ)

    @cached_property
    def by_path(self) -> dict[str, SourceFile]:
        return {file.path: file for file in self.files}

    @cached_property
    def by_folded_path(self) -> dict[str, str]:
        """The paths by their lower-case form; the first of several wins."""
        return {path.lower(): path for path in reversed(self.by_path)}

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that contain files, except the repository itself."""
        found: set[str] = set()
        for file in self.files:
            folder = file.path.rpartition("/")[0]
            while len(folder) >= len(self.base) and folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        found.discard(self.base.rstrip("/"))
        return frozenset(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of all files without their endings."""
        return frozenset(path.rpartition("/")[2].partition(".")[0] for path in self.by_path)

    def local(self, path: str) -> str:
        """Return a path relative to the repository."""
        return path.removeprefix(self.base)

    def named(self, *locals_: str) -> Iterator[SourceFile]:
        """Yield the files that exist at some paths relative to the repository."""
        for local in locals_:
            file = self.by_path.get(self.base + local)
            if file is not None:
                yield file

    def exists(self, path: str) -> bool:
        """Whether a path of the workspace exists and may be read, ignored by git or not."""
        if path in self.by_path or path in self.folders:
            return True
        is_there = "\0" not in path and self.may(path) and os.path.lexists(f"{self.root}/{path}")
        return is_there and not self.leads_out(path)

    def leads_out(self, path: str) -> bool:
        """Whether a symbolic link on the path leads out of the workspace."""
        if "\0" in path:
            return False
        return not Path(os.path.realpath(self.root / path)).is_relative_to(self._real_root)

    @cached_property
    def _real_root(self) -> Path:
        return Path(os.path.realpath(self.root))

    def is_ignored(self, path: str) -> bool:
        """Whether git would ignore a file at a path, so that a build may create it."""
        rules, folder = IgnoreRules(), ""
        *folders, name = path.split("/")
        for part in folders:
            rules = self._with_gitignore(rules, folder)
            if rules.match_folder(part):
                return True
            rules, folder = rules.enter(part), f"{folder}{part}/"
        rules = self._with_gitignore(rules, folder)
        return rules.match_folder(name) or rules.match_file(name)

    def _with_gitignore(self, rules: IgnoreRules, folder: str) -> IgnoreRules:
        file = f"{folder}.gitignore"
        return (
            rules.joined_by(read_rules(self.read(file) or b"")) if file in self.by_path else rules
        )

    def read(self, path: str, max_bytes: int = MAX_TEXT_BYTES) -> bytes | None:
        """Return the beginning of a file; None when it cannot be read."""
        try:
            return read_regular(os.fsencode(self.root), path, max_bytes)[0]
        except Unreadable:
            return None

    def read_permitted(self, path: str) -> bytes | None:
        """Return the beginning of any file of the workspace; None when it may not be read."""
        return self.read(path) if self.may(path) else None

    def read_sources(self, job: Job, *sections: Section) -> Sources:
        """Return the facts of the files that are in a supported language."""
        query = SourceQuery(start=self.base.rstrip("/"), sections=("outline", *sections))
        return open_index(self.session).read(query, job, self.may)


# Attributes for GitHub's linguist in `.gitattributes`.


@dataclass(frozen=True, slots=True)
class _Line:
    """The attributes of one line, and the files it applies to."""

    folder: str
    glob: tuple[str, ...]
    name: re.Pattern[str]
    attributes: Mapping[str, str]

    def matches(self, local: str) -> bool:
        """Whether it applies to a file, by its path relative to the repository."""
        if not local.startswith(self.folder) or not self.name.match(local.rpartition("/")[2]):
            return False
        names = local.split("/")
        return fits(names[self.folder.count("/") :], self.glob)


class Attributes:
    """The attributes of a repository; a later line wins, and a deeper file."""

    def __init__(self, contents: Iterable[tuple[str, str]] = ()) -> None:
        """Read pairs of folder, with a trailing slash, and text; those nearest the root first."""
        lines = (it for folder, text in contents for it in _lines(folder, text))
        self._lines = list(islice(lines, MAX_LINES))
        self.is_whole = next(lines, None) is None
        """Whether every line was read."""

    def of(self, local: str) -> dict[str, str]:
        """Return the attributes of a file, by name without `linguist-`."""
        found: dict[str, str] = {}
        for line in self._lines:
            if line.matches(local):
                found |= line.attributes
        return found

    def of_all(self, files: Sequence[str], job: Job) -> dict[str, dict[str, str]] | None:
        """Return the attributes of files; None when there was no time for all of them."""
        if not self._lines:
            return {}
        found = {it: self.of(it) for it in job.each(files, f"files matched with {_NAME}")}
        return found if len(found) == len(files) else None


def read_attributes(tree: RepositoryTree) -> Attributes:
    """Read every `.gitattributes` of a repository."""
    places = [it.path for it in tree.files if it.path.endswith(_NAME)]
    return Attributes(_contents(tree, sorted(places, key=lambda it: it.count("/"))))


def _contents(tree: RepositoryTree, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    for place in places:
        text = (tree.read(place) or b"").decode("utf-8", errors="replace")
        yield tree.local(place).removesuffix(_NAME), text


def _lines(folder: str, text: str) -> Iterable[_Line]:
    for line in text.splitlines():
        pattern, *words = line.split() or [""]
        attributes = dict(_attribute(it) for it in words if "linguist-" in it)
        if attributes and not pattern.startswith(("#", "!", "[attr]")):
            names = pattern.strip("/").split("/")
            glob = tuple(names if "/" in pattern.rstrip("/") else ("**", *names))
            last = "*" if names[-1] == "**" else names[-1]
            yield _Line(folder, glob, re.compile(translate(last)), attributes)


def _attribute(word: str) -> tuple[str, str]:
    name, _, value = word.lstrip("-!").partition("=")
    value = "false" if word.startswith(("-", "!")) else value or "true"
    return name.removeprefix("linguist-"), value
