"""Imports of Rust: the tree of modules, from the roots of crates.

A path is followed as far as there are files; what remains is something inside the last of them. A
crate of the workspace is known by the name in its `Cargo.toml`.
"""

from dataclasses import dataclass

from benchpin.engines.source.facts import Import
from benchpin.engines.source.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    unresolved,
    upwards,
    within,
)
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.jsonc import as_object
from benchpin.engines.toml import NotToml, parse_toml

_ROOT_FILES = ("lib.rs", "main.rs")
_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_TARGETS = frozenset({"tests", "examples", "benches", "bin"})


@dataclass(frozen=True, slots=True)
class _Place:
    """A module: the folder of its children, and its file."""

    folder: str
    file: str | None


class RustResolver:
    """Knows where the imports of Rust lead."""

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._crates: dict[str, _Place] = {}
        folders = {it for file in project.of("rust") for it in upwards(folder_of(file.path))}
        for folder in sorted(folders):
            self._add_crate(folder)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        first, *rest = imported.module.lstrip(":").split("::")
        own = self._own(file.path)
        start = self._start(file.path, own, first)
        if start is None:
            return external(first)
        while rest and rest[0] == "super":
            start, rest = self._parent(start), rest[1:]
        files: list[str] = []
        modules: list[tuple[str, str]] = []
        for name in imported.names or ("",):
            place, left = self._follow(start, [*rest, name] if name else rest)
            if place.file is None:
                continue
            files.append(place.file)
            if name and not left:
                modules.append((name, place.file))
        if self._is_lost(file, imported, modules):
            path = within(own.folder, imported.names[0])
            return self._project.elsewhere(f"{path}.rs", f"{path}/mod.rs")
        return (
            found(*files, modules=modules) if files else unresolved("no such module in its crate")
        )

    def _is_lost(self, file: FileFacts, imported: Import, modules: list[tuple[str, str]]) -> bool:
        """Whether `mod name;` has no file: what is imported from the file itself has its name."""
        is_mod = imported.module == "self" and len(imported.names) == 1 and not modules
        return is_mod and imported.names[0] not in {"*", *file.links.references}

    def _add_crate(self, folder: str) -> None:
        data = self._project.read(within(folder, "Cargo.toml"))
        if data is None:
            return
        try:
            manifest = parse_toml(data.decode(errors="replace"))
        except NotToml:
            return
        package, library = as_object(manifest.get("package")), as_object(manifest.get("lib"))
        name = library.get("name") or package.get("name")
        if not isinstance(name, str):
            return
        places = [f"src/{it}" for it in _ROOT_FILES]
        path = library.get("path")
        root = self._project.first(
            within(folder, it) for it in ([path] if isinstance(path, str) else places)
        )
        if root is not None:
            self._crates[name.replace("-", "_")] = _Place(folder_of(root), root)

    def _own(self, path: str) -> _Place:
        folder, _, name = path.rpartition("/")
        if name in {"mod.rs", *_ROOT_FILES} or self._is_target(path):
            return _Place(folder, path)
        return _Place(within(folder, name.removesuffix(".rs")), path)

    def _is_target(self, path: str) -> bool:
        """Whether a file is the root of a crate by where it lies, such as `tests/all.rs`."""
        folder = folder_of(path)
        is_there = folder.rpartition("/")[2] in _TARGETS
        home = folder_of(folder)
        homes = (home, folder_of(home)) if home.endswith("src") else (home,)
        return is_there and any(self._project.read(within(it, "Cargo.toml")) for it in homes)

    def _start(self, path: str, own: _Place, first: str) -> _Place | None:
        if first == "crate":
            return self._root(path)
        if first == "self":
            return own
        if first == "super":
            return self._parent(own)
        if first in self._crates:
            return self._crates[first]
        child, _ = self._follow(own, [first])
        if child != own:
            return child
        if first in _STANDARD:
            return None
        root = self._root(path)
        child, left = self._follow(root, [first])
        return child if not left else None

    def _root(self, path: str) -> _Place:
        if self._is_target(path):
            return _Place(folder_of(path), path)
        for folder in upwards(folder_of(path)):
            known = self._project.first(within(folder, it) for it in _ROOT_FILES)
            if known is not None:
                return _Place(folder, known)
        return _Place(folder_of(path), path)

    def _parent(self, place: _Place) -> _Place:
        folder = folder_of(place.folder)
        options = (f"{folder}.rs", *(within(folder, it) for it in ("mod.rs", *_ROOT_FILES)))
        return _Place(folder, self._project.first(options))

    def _follow(self, place: _Place, names: list[str]) -> tuple[_Place, list[str]]:
        """Go down the tree of modules; returns the last one, and the names left over."""
        for at, name in enumerate(names):
            folder = within(place.folder, name)
            file = self._project.first((f"{folder}.rs", f"{folder}/mod.rs"))
            if file is None or not name:
                return place, names[at:]
            place = _Place(folder, file)
        return place, []


RESOLVER: MakeResolver = RustResolver
