"""Where imports lead: to measured files, to packages outside the workspace, or nowhere.

`resolve_imports` does the work. The rest is what the `imports` module of a language is written
with: the possible outcomes, the files to search, and a few operations on paths.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from benchpin.core.calls import Job
from benchpin.facts import languages

from ._file_facts import FileFacts, Import

# Returns the bytes of a workspace file; None if it is missing or may not be read.
#
# For a path with a slash at the end it returns the names of the files and symbolic links in that
# folder, one on a line; `/` is the root of the workspace.
ReadFile = Callable[[str], bytes | None]
ResolutionStatus = Literal["file", "external", "outside", "unresolved"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where one import leads.

    `file`: to measured files. `external`: to a package that is not in the workspace. `outside`: to
    an existing file that was not measured, such as a style sheet or an excluded file. `unresolved`:
    to something that should be in the workspace and was not found.
    """

    status: ResolutionStatus
    files: tuple[str, ...] = ()
    package: str = ""
    """Name of the external package."""
    modules: tuple[tuple[str, str], ...] = ()
    """Imported names that are files themselves, as in `from package import module`."""
    reason: str = ""
    """Why an import is unresolved."""
    is_for_tests: bool = False
    """Whether the importing code is known to be compiled for tests only."""


def found(*files: str, modules: Iterable[tuple[str, str]] = ()) -> Resolution:
    """Resolve to files; duplicates are dropped."""
    return Resolution("file", tuple(dict.fromkeys(files)), modules=tuple(modules))


def external(package: str) -> Resolution:
    """Resolve to a package outside the workspace."""
    return Resolution("external", package=package)


def unresolved(reason: str) -> Resolution:
    """Report an import that should resolve inside the workspace and does not."""
    return Resolution("unresolved", reason=reason)


LEAVES_WORKSPACE = unresolved("leads out of the workspace")
_LAST_NAME = re.compile(r"(?<!\w)\w++$")


class ProjectFiles:
    """The measured files, found by path, by ending and by folder, and the manifests beside them."""

    def __init__(self, files: Sequence[FileFacts], read: ReadFile) -> None:
        self.files = {file.path: file for file in files}
        self._read = read
        self._contents: dict[str, bytes | None] = {}
        self._exists: dict[str, bool] = {}
        self._names: dict[str, frozenset[str]] = {}
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
        """Return the files in some languages, sorted by path."""
        return [it for _, it in sorted(self.files.items()) if it.language in languages]

    def in_folder(self, folder: str, *languages: str) -> list[str]:
        """Return the files directly in a folder, not in its subfolders."""
        return [it for it in self._by_folder[folder] if self.files[it].language in languages]

    def ending_with(self, ending: str) -> list[str]:
        """Return the files whose path ends with these whole parts."""
        candidates = self._by_name.get(ending.rpartition("/")[2], ())
        return [path for path in candidates if path == ending or path.endswith(f"/{ending}")]

    def first(self, candidates: Iterable[str]) -> str | None:
        """Return the first candidate that was measured."""
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
        """Return the bytes of a manifest, read once and kept."""
        if path not in self._contents:
            self._contents[path] = self._read(path)
        return self._contents[path]

    def elsewhere(self, *candidates: str) -> Resolution:
        """Resolve an import of which no candidate was measured: `outside` if one of them exists."""
        places = [path for path in candidates if path]
        if any(self._has_file(path) for path in places):
            return Resolution("outside")
        if not places:
            return unresolved("no configuration says where it is")
        others = f" or {len(places) - 1} other paths" if len(places) > 1 else ""
        return unresolved(f"no file at {places[0]}{others}")

    def _has_file(self, path: str) -> bool:
        """Whether a file or link exists; its bytes are not kept, since it may be big."""
        if path not in self._exists:
            folder, _, name = path.rpartition("/")
            is_file = self._read(path) is not None
            self._exists[path] = is_file or name in self.names_in(folder)
        return self._exists[path]

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names of the files and links in a folder, measured or not."""
        if folder not in self._names:
            listed = self._read(f"{folder}/") or b""
            self._names[folder] = frozenset(os.fsdecode(listed).split("\n"))
        return self._names[folder]


class Resolver(Protocol):
    """Resolves the imports of one family of languages in one project."""

    looks_into_files: bool
    """Whether an import may lead elsewhere when the content of another file changes."""

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""


# Type of the constant `RESOLVER` in the `imports` module of a language.
MakeResolver = Callable[[ProjectFiles], Resolver]


def package_in(folder: str, language: str) -> str:
    """Return the package that the files of a folder are in, which may be the folder itself.

    A language has names for packages if there is a function `package_of` in its `imports` module.
    """
    module = languages.family_module(language, "imports")
    read: Callable[[str], str] | None = getattr(module, "package_of", None)
    return folder if read is None else read(folder)


class ImportResolver:
    """Resolves the imports of a project, file by file.

    The files need their sections `outline` and `links`. `read` is called for manifests, and for
    files that are imported but were not measured.
    """

    def __init__(self, files: Sequence[FileFacts], read: ReadFile) -> None:
        self._project = ProjectFiles(files, read)
        self._resolvers: dict[MakeResolver, Resolver] = {}

    def leads(self, file: FileFacts) -> tuple[Resolution, ...]:
        """Return where the imports of a file lead, in the order of `links.imports`."""
        module = languages.family_module(file.language, "imports")
        if module is None:
            return ()
        make: MakeResolver = module.RESOLVER
        if make not in self._resolvers:
            self._resolvers[make] = make(self._project)
        resolver = self._resolvers[make]
        return tuple(resolver.resolve(file, it) for it in file.links.imports)

    def all_leads(self, files: Sequence[FileFacts], job: Job) -> dict[str, tuple[Resolution, ...]]:
        """Return where the imports of files lead, by path."""
        wanted = sorted(files, key=lambda it: it.path)
        return {file.path: self.leads(file) for file in job.each(wanted, "files")}

    @property
    def looks_into_files(self) -> bool:
        """Whether where an import leads depends on what is in other files."""
        return any(it.looks_into_files for it in self._resolvers.values())


def resolve_imports(
    files: Sequence[FileFacts], read: ReadFile, job: Job
) -> dict[str, tuple[Resolution, ...]]:
    """Return where the imports of each file lead."""
    return ImportResolver(files, read).all_leads(files, job)


def resolve_changed(
    files: Sequence[FileFacts], changed: Sequence[FileFacts], read: ReadFile, job: Job
) -> dict[str, tuple[Resolution, ...]] | None:
    """Return where the imports of files with another content lead.

    None where what is in these may change where the imports of others lead.
    """
    resolver = ImportResolver(files, read)
    found = resolver.all_leads(changed, job)
    return None if resolver.looks_into_files else found


def join(folder: str, path: str) -> str | None:
    """Resolve a path relative to a folder; None when it leaves the workspace."""
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
    """Return the path of something in a folder; the root folder is the empty string."""
    if not path:
        return folder
    return f"{folder}/{path}" if folder else path


def folder_of(path: str) -> str:
    """Return the folder of a file, the empty string for the root."""
    return path.rpartition("/")[0]


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and its parents, the root last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def nearest(candidates: Sequence[str], path: str) -> list[str]:
    """Return the candidates that share the most leading folders with a path."""
    here = path.split("/")

    def shared(candidate: str) -> int:
        there = candidate.split("/")
        pairs = enumerate(zip(here, there, strict=False))
        return next((at for at, (one, other) in pairs if one != other), min(len(here), len(there)))

    best = max(map(shared, candidates), default=0)
    return [it for it in candidates if shared(it) == best]
