"""What a resolver may look at: the files that were measured, and manifests beside them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from benchpin.engines.source.facts import Import
from benchpin.engines.source.index import FileFacts

Reader = Callable[[str], bytes | None]
"""Gives the bytes of a file of the workspace; None when it is not there or may not be read."""
Status = Literal["file", "external", "outside", "unresolved"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where one import leads.

    `file`: to files that were measured. `external`: to something that is not in the workspace.
    `outside`: to a file that is there, but was not measured, such as a style sheet or what was
    left out. `unresolved`: to something that should be in the workspace and was not found.
    """

    status: Status
    files: tuple[str, ...] = ()
    package: str = ""
    """What the outside world calls it, for an external one."""
    modules: tuple[tuple[str, str], ...] = ()
    """Imported names that are files themselves, as in `from package import module`."""
    reason: str = ""
    """Why one is unresolved."""


def found(*files: str, modules: Iterable[tuple[str, str]] = ()) -> Resolution:
    """Say that an import leads to files, each named once."""
    return Resolution("file", tuple(dict.fromkeys(files)), modules=tuple(modules))


def external(package: str) -> Resolution:
    """Say that an import leads out of the workspace."""
    return Resolution("external", package=package)


def unresolved(reason: str) -> Resolution:
    """Say that an import should lead to something in the workspace, and why it does not."""
    return Resolution("unresolved", reason=reason)


LEAVES_WORKSPACE = unresolved("leads out of the workspace")
_LAST_NAME = re.compile(r"\w+$")


class Resolver(Protocol):
    """Knows where the imports of one language lead."""

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""


class Project:
    """The measured files, found by path, by ending and by folder."""

    def __init__(self, files: Sequence[FileFacts], read: Reader) -> None:
        self.files = {file.path: file for file in files}
        self._read = read
        self._contents: dict[str, bytes | None] = {}
        self._there: dict[str, bool] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_folder: defaultdict[str, list[str]] = defaultdict(list)
        self.folders: set[str] = {""}
        for path in sorted(self.files):
            folder, _, name = path.rpartition("/")
            self._by_name[name].append(path)
            self._by_folder[folder].append(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = folder.rpartition("/")[0]

    def of(self, *languages: str) -> list[FileFacts]:
        """Return the files in some languages, by path."""
        return [it for _, it in sorted(self.files.items()) if it.language in languages]

    def in_folder(self, folder: str, *languages: str) -> list[str]:
        """Return the files right in a folder."""
        return [it for it in self._by_folder[folder] if self.files[it].language in languages]

    def ending_with(self, ending: str) -> list[str]:
        """Return the files whose last parts are these."""
        candidates = self._by_name.get(ending.rpartition("/")[2], ())
        return [path for path in candidates if path == ending or path.endswith(f"/{ending}")]

    def first(self, candidates: Iterable[str]) -> str | None:
        """Return the first of the candidates that was measured."""
        return next((path for path in candidates if path in self.files), None)

    def declared(self, path: str) -> frozenset[str]:
        """Return the names at the top level of a file."""
        if path not in self._declared:
            file = self.files[path]
            names = [it.name for it in file.outline.types]
            names += [it.name for it in file.outline.functions if it.kind == "function"]
            exported = (_LAST_NAME.search(it) for it in file.links.exports)
            self._declared[path] = frozenset(
                {*(it for it in names if "." not in it), *(it[0] for it in exported if it)}
            )
        return self._declared[path]

    def used_by(self, file: FileFacts, candidates: Iterable[str]) -> list[str]:
        """Return the candidates that declare a name which a file uses."""
        used = file.links.references
        return [
            it for it in candidates if it != file.path and not self.declared(it).isdisjoint(used)
        ]

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file of the workspace, looked up once."""
        if path not in self._contents:
            self._contents[path] = self._read(path)
        return self._contents[path]

    def elsewhere(self, *candidates: str) -> Resolution:
        """Say whether an import that leads to no measured file leads to another that is there."""
        places = [path for path in candidates if path]
        if any(self._is_there(path) for path in places):
            return Resolution("outside")
        if not places:
            return unresolved("no configuration says where it lies")
        others = f" or at {len(places) - 1} more places" if len(places) > 1 else ""
        return unresolved(f"no file {places[0]}{others}")

    def _is_there(self, path: str) -> bool:
        """Whether a file can be read; unlike a manifest, it may be big and is not kept."""
        if path not in self._there:
            self._there[path] = self._read(path) is not None
        return self._there[path]


def join(folder: str, path: str) -> str | None:
    """Return a path as seen from a folder; None when it leaves the workspace."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def within(folder: str, path: str) -> str:
    """Return the path of something in a folder; the root is the empty one."""
    if not path:
        return folder
    return f"{folder}/{path}" if folder else path


def folder_of(path: str) -> str:
    """Return the folder of a file, empty for the root."""
    return path.rpartition("/")[0]


def upwards(folder: str) -> Iterator[str]:
    """Give a folder and those around it, up to the root."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def nearest(candidates: Sequence[str], path: str) -> list[str]:
    """Return the candidates that share most of their way with a path."""
    here = path.split("/")

    def shared(candidate: str) -> int:
        there = candidate.split("/")
        pairs = enumerate(zip(here, there, strict=False))
        return next((at for at, (one, other) in pairs if one != other), min(len(here), len(there)))

    best = max(map(shared, candidates), default=0)
    return [it for it in candidates if shared(it) == best]
