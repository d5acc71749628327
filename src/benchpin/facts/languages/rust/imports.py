"""Imports of Rust: paths in the module trees of crates.

A path is followed as long as there are files for its parts; the rest is inside the last file. A
crate of the workspace is known to those that declare it in their `Cargo.toml`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    join,
    unresolved,
    upwards,
    within,
)
from benchpin.system.formats import Json, NotToml, as_object, parse_toml

ROOT_FILES = ("lib.rs", "main.rs")
_FOR_TESTS = "dev-dependencies"
_TABLES = ("dependencies", "build-dependencies", _FOR_TESTS)


@dataclass(frozen=True, slots=True)
class Dependency:
    """A crate as another one knows it."""

    crate: "Crate"
    is_for_tests: bool
    """Whether only tests, examples and benchmarks may use it."""


@dataclass(frozen=True, eq=False)
class Crate:
    """One package of Cargo."""

    folder: str
    manifest: dict[str, Json]
    project: ProjectFiles = field(repr=False)

    @property
    def package(self) -> str:
        """The name under which others depend on it; empty for a workspace without a package."""
        name = as_object(self.manifest.get("package")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def name(self) -> str:
        """The name under which code refers to it."""
        name = as_object(self.manifest.get("lib")).get("name")
        return (name if isinstance(name, str) else self.package).replace("-", "_")

    @cached_property
    def root(self) -> str | None:
        """The file of its outermost module."""
        path = as_object(self.manifest.get("lib")).get("path")
        files = [path] if isinstance(path, str) else [f"src/{it}" for it in ROOT_FILES]
        return self.project.first(within(self.folder, it) for it in files)


class Crates:
    """The crates of a project."""

    def __init__(self, project: ProjectFiles) -> None:
        folders = {it for file in project.of("rust") for it in upwards(folder_of(file.path))}
        read = ((it, _read(project, it)) for it in sorted(folders))
        self._at = {it: Crate(it, manifest, project) for it, manifest in read if manifest}
        self._by_package = {it.package: it for it in self._at.values() if it.package and it.root}
        self._known: dict[str, dict[str, Dependency]] = {}

    def around(self, path: str) -> Crate | None:
        """Return the crate that a file belongs to."""
        known = (self._at.get(it) for it in upwards(folder_of(path)))
        return next((it for it in known if it is not None and it.package), None)

    def named(self, path: str, name: str) -> Dependency | None:
        """Return the crate that a name refers to in a file; it needs to be declared."""
        own = self.around(path)
        if own is None:
            known = (it for it in self._by_package.values() if it.name == name)
            return next((Dependency(it, is_for_tests=False) for it in known), None)
        if own.folder not in self._known:
            self._known[own.folder] = dict(self._dependencies(own))
        return self._known[own.folder].get(name)

    def _dependencies(self, own: Crate) -> Iterator[tuple[str, Dependency]]:
        """Yield what a crate may use, by the names in its code; the strongest of a name last."""
        shared = self._shared_by(own.folder)
        targets = as_object(own.manifest.get("target")).values()
        for table in reversed(_TABLES):
            for holder in (own.manifest, *map(as_object, targets)):
                for key, value in as_object(holder.get(table)).items():
                    given = as_object(value)
                    renamed = given.get("package") or as_object(shared.get(key)).get("package")
                    crate = self._by_package.get(renamed if isinstance(renamed, str) else key)
                    if crate is not None:
                        name = key.replace("-", "_") if renamed else crate.name
                        yield name, Dependency(crate, table == _FOR_TESTS)
        if own.root is not None:
            yield own.name, Dependency(own, is_for_tests=False)

    def _shared_by(self, folder: str) -> dict[str, Json]:
        """Return the dependencies that the workspace around a crate declares for its members."""
        spaces = (
            as_object(self._at[it].manifest.get("workspace"))
            for it in upwards(folder)
            if it in self._at
        )
        return next((as_object(it.get("dependencies")) for it in spaces if it), {})


def _read(project: ProjectFiles, folder: str) -> dict[str, Json]:
    data = project.read(within(folder, "Cargo.toml"))
    try:
        return as_object(parse_toml(data.decode(errors="replace"))) if data is not None else {}
    except NotToml:
        return {}


_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_TARGETS = frozenset({"tests", "examples", "benches", "bin"})


@dataclass(frozen=True, slots=True)
class _Module:
    """A module: the folder of its children, and its file."""

    folder: str
    file: str | None


class RustResolver:
    """Resolves the imports of Rust."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._crates = Crates(project)
        self._parts_of = cache(self._find_parts)
        files = project.of("rust")
        self._placed = dict(self._find_placed(files))
        """Modules with a `#[path]`: the file, by the file that declares it and the name."""
        self._declared_by = {target: file for (file, _), target in self._placed.items()}
        self._parts = frozenset(
            within(folder_of(file.path), f"{name}.rs")
            for file in files
            for imported in file.links.imports
            if imported.kind in {"containment", "test"} and imported.module == "self"
            for name in imported.names
        )
        """Files that a file beside them declares as its modules."""
        self._test_files = self._find_test_files(files)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        resolution = self._resolve(file, imported)
        if file.path in self._test_files:
            return replace(resolution, is_for_tests=True)
        return resolution

    def _resolve(self, file: FileFacts, imported: Import) -> Resolution:
        if _has_path(imported):
            path = join(folder_of(file.path), imported.module) or ""
            return found(path) if path in self._project.files else self._project.elsewhere(path)
        first, *rest = imported.module.lstrip(":").split("::")
        own = self._own(file.path)
        start, is_for_tests = self._start(file.path, own, first)
        if start is None:
            return external(first)
        # `super::super::name` goes up once more for each.
        while rest and rest[0] == "super":
            start, rest = self._parent(start), rest[1:]
        files: list[str] = []
        modules: list[tuple[str, str]] = []
        for name in imported.names or ("",):
            module, left = self._follow(start, [*rest, name] if name else rest)
            # A module that is declared and was not found: it was not measured, maybe generated.
            if module.file is None or (left and left[0] in self._parts_of(module.file)):
                continue
            files.append(module.file)
            if name and not left:
                modules.append((name, module.file))
        if self._is_lost(file, imported, modules):
            path = within(own.folder, "/".join((*rest, imported.names[0])))
            return self._project.elsewhere(f"{path}.rs", f"{path}/mod.rs")
        if not files and start.file is not None:
            return Resolution("outside")
        if not files:
            return unresolved("no such module in its crate")
        resolution = found(*files, modules=modules)
        return replace(resolution, is_for_tests=True) if is_for_tests else resolution

    def _is_lost(self, file: FileFacts, imported: Import, modules: list[tuple[str, str]]) -> bool:
        """Whether this is `mod name;` without a file, and not `use self::name`, which is used."""
        if modules or imported.kind == "containment":
            return not modules
        is_mod = imported.module == "self" and len(imported.names) == 1
        return is_mod and imported.names[0] not in {"*", *file.links.references}

    def _find_parts(self, file: str) -> frozenset[str]:
        """Return the names of the modules that a file declares without a body."""
        imports = self._project.files[file].links.imports
        return frozenset(name for it in imports if it.kind == "containment" for name in it.names)

    def _find_placed(self, files: list[FileFacts]) -> Iterator[tuple[tuple[str, str], str]]:
        for file in files:
            for imported in filter(_has_path, reversed(file.links.imports)):
                path = join(folder_of(file.path), imported.module)
                if path in self._project.files:
                    yield (file.path, imported.names[0]), path

    def _find_test_files(self, files: list[FileFacts]) -> frozenset[str]:
        """Return the files of modules that only `#[cfg(test)] mod name;` declares, and theirs."""
        declared: dict[str, list[tuple[str, bool]]] = {}
        for file in files:
            for imported in file.links.imports:
                if imported.kind in {"containment", "test"}:
                    for path in self._declared_files(file, imported):
                        declared.setdefault(path, []).append((file.path, imported.kind == "test"))
        tests: set[str] = set()
        before = -1
        # Until nothing is added: a module of a module for tests is for tests too.
        while before < len(tests):
            before = len(tests)
            tests |= {
                path
                for path, places in declared.items()
                if all(is_test or outer in tests for outer, is_test in places)
            }
        return frozenset(tests)

    def _declared_files(self, file: FileFacts, imported: Import) -> tuple[str, ...]:
        """Return the files of a `mod name;`; none for a `use`, which may be for tests as well."""
        names = imported.module.split("::")
        if _has_path(imported) or (names[0] == "self" and len(imported.names) == 1):
            resolution = self._resolve(file, imported)
            return () if resolution.files == (file.path,) else resolution.files
        return ()

    def _own(self, path: str) -> _Module:
        folder, _, name = path.rpartition("/")
        is_root = name in {"mod.rs", *ROOT_FILES} or path in self._declared_by
        if is_root or self._is_target(path):
            return _Module(folder, path)
        # The modules of `a.rs` are in the folder `a/`; those of a root or a `mod.rs` are beside it.
        return _Module(within(folder, name.removesuffix(".rs")), path)

    def _is_target(self, path: str) -> bool:
        """Whether a file is the root of a crate by its folder, such as `tests/all.rs`."""
        folder = folder_of(path)
        is_there = folder.rpartition("/")[2] in _TARGETS and path not in self._parts
        home = folder_of(folder)
        if folder.endswith("src/bin"):
            home = folder_of(home)
        return is_there and self._project.read(within(home, "Cargo.toml")) is not None

    def _start(self, path: str, own: _Module, first: str) -> tuple[_Module | None, bool]:
        """Return where a path starts, and whether only tests may start there."""
        if first == "crate":
            return self._root(path), False
        if first == "self":
            return own, False
        if first == "super":
            return self._parent(own), False
        named = self._crates.named(path, first)
        if named is not None and named.crate.root is not None:
            root = named.crate.root
            return _Module(folder_of(root), root), named.is_for_tests
        child, left = self._follow(own, [first])
        if not left:
            return child, False
        if first in _STANDARD:
            return None, False
        child, left = self._follow(self._root(path), [first])
        return (None if left else child), False

    def _root(self, path: str) -> _Module:
        if self._is_target(path):
            return _Module(folder_of(path), path)
        if path in self._parts:
            outer = self._parent(self._own(path))
            if outer.file is not None and self._is_target(outer.file):
                return outer
        for folder in upwards(folder_of(path)):
            known = self._root_in(folder, path)
            if known is not None:
                return _Module(folder, known)
        return _Module(folder_of(path), path)

    def _parent(self, module: _Module) -> _Module:
        if module.file in self._declared_by:
            return self._own(self._declared_by[module.file])
        folder = folder_of(module.folder)
        options = (f"{folder}.rs", within(folder, "mod.rs"))
        return _Module(folder, self._project.first(options) or self._root_in(folder, module.folder))

    def _root_in(self, folder: str, path: str) -> str | None:
        """Return the root in a folder; of a library and a program, the one that has the module."""
        roots = [it for name in ROOT_FILES if (it := within(folder, name)) in self._project.files]
        if path in roots:
            return path
        name = path.removeprefix(f"{folder}/").partition("/")[0].removesuffix(".rs")
        declaring = [it for it in roots if len(roots) > 1 and name in self._declared_in(it)]
        return next(iter(declaring or roots), None)

    def _declared_in(self, file: str) -> set[str]:
        imports = self._project.files[file].links.imports
        kinds = {"containment", "test"}
        return {name for it in imports if it.kind in kinds for name in it.names}

    def _follow(self, module: _Module, names: list[str]) -> tuple[_Module, list[str]]:
        """Follow names down the module tree; return the last module and the remaining names."""
        left = names
        for at, name in enumerate(names, 1):
            placed = self._placed.get((module.file or "", name))
            folder = within(module.folder, name)
            file = placed or self._project.first((f"{folder}.rs", f"{folder}/mod.rs"))
            if file is not None and name:
                module = self._own(file) if placed else _Module(folder, file)
                left = names[at:]
            elif name and folder in self._project.folders:
                # A module with a body, whose own modules have files.
                module = _Module(folder, module.file)
            else:
                break
        return module, left


def _has_path(imported: Import) -> bool:
    """Whether it is `#[path = "…"] mod name;`, whose module is that path."""
    return imported.module.endswith(".rs")


RESOLVER: MakeResolver = RustResolver
