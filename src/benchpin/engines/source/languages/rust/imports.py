"""Imports of Rust: paths in the module trees of crates.

A path is followed as long as there are files for its parts; the rest is inside the last file. A
crate of the workspace has the name in its `Cargo.toml`.
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
class _Module:
    """A module: the folder of its children, and its file."""

    folder: str
    file: str | None


class RustResolver:
    """Resolves the imports of Rust."""

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._crates: dict[str, _Module] = {}
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
            module, left = self._follow(start, [*rest, name] if name else rest)
            if module.file is None:
                continue
            files.append(module.file)
            if name and not left:
                modules.append((name, module.file))
        if self._is_lost(file, imported, modules):
            path = within(own.folder, imported.names[0])
            return self._project.elsewhere(f"{path}.rs", f"{path}/mod.rs")
        return (
            found(*files, modules=modules) if files else unresolved("no such module in its crate")
        )

    def _is_lost(self, file: FileFacts, imported: Import, modules: list[tuple[str, str]]) -> bool:
        """Whether this is `mod name;` without a file, and not `use self::name`, which is used."""
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
        candidates = [f"src/{it}" for it in _ROOT_FILES]
        path = library.get("path")
        root = self._project.first(
            within(folder, it) for it in ([path] if isinstance(path, str) else candidates)
        )
        if root is not None:
            self._crates[name.replace("-", "_")] = _Module(folder_of(root), root)

    def _own(self, path: str) -> _Module:
        folder, _, name = path.rpartition("/")
        if name in {"mod.rs", *_ROOT_FILES} or self._is_target(path):
            return _Module(folder, path)
        return _Module(within(folder, name.removesuffix(".rs")), path)

    def _is_target(self, path: str) -> bool:
        """Whether a file is the root of a crate by its folder, such as `tests/all.rs`."""
        folder = folder_of(path)
        is_there = folder.rpartition("/")[2] in _TARGETS
        home = folder_of(folder)
        homes = (home, folder_of(home)) if home.endswith("src") else (home,)
        return is_there and any(self._project.read(within(it, "Cargo.toml")) for it in homes)

    def _start(self, path: str, own: _Module, first: str) -> _Module | None:
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

    def _root(self, path: str) -> _Module:
        if self._is_target(path):
            return _Module(folder_of(path), path)
        for folder in upwards(folder_of(path)):
            known = self._project.first(within(folder, it) for it in _ROOT_FILES)
            if known is not None:
                return _Module(folder, known)
        return _Module(folder_of(path), path)

    def _parent(self, module: _Module) -> _Module:
        folder = folder_of(module.folder)
        options = (f"{folder}.rs", *(within(folder, it) for it in ("mod.rs", *_ROOT_FILES)))
        return _Module(folder, self._project.first(options))

    def _follow(self, module: _Module, names: list[str]) -> tuple[_Module, list[str]]:
        """Follow names down the module tree; return the last module and the remaining names."""
        for at, name in enumerate(names):
            folder = within(module.folder, name)
            file = self._project.first((f"{folder}.rs", f"{folder}/mod.rs"))
            if file is None or not name:
                return module, names[at:]
            module = _Module(folder, file)
        return module, []


RESOLVER: MakeResolver = RustResolver
