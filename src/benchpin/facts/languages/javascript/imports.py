"""Imports of JavaScript and TypeScript: relative ones, aliases, packages of the same workspace.

A name is looked up as a path, in `imports` of the package around the file, in `paths` and `baseUrl`
of its tsconfig, and among the packages of the workspace. `@/x` and `~/x`, which bundlers define in
code, are `src/x` or `x` of the package around the file, if such a file exists. Everything else is
an external package.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    LEAVES_WORKSPACE,
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    join,
    upwards,
    within,
)

from ._node_package import NodePackage, sources_of
from ._tsconfig import TsConfigs

LANGUAGES = ("javascript", "typescript", "tsx")
_TYPED = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_OTHER = (".json", ".node", ".vue", ".svelte", ".astro")
# An import may name the compiled file: the source of `./a.js` is `a.ts`.
_SOURCES_OF = {
    ".js": (".ts", ".tsx", ".jsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".ts", ".tsx", ".d.mts"),
    ".cjs": (".cts", ".ts", ".tsx", ".d.cts"),
    ".d.ts": (".ts", ".tsx"),
    ".d.mts": (".mts", ".ts", ".tsx"),
    ".d.cts": (".cts", ".ts", ".tsx"),
}
_ALIAS_PREFIXES = ("@/", "~/")


class JavaScriptResolver:
    """Resolves the imports of JavaScript and TypeScript."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._configs = TsConfigs(project)
        self._package_in = cache(lambda folder: NodePackage.read(project, folder))
        self._elsewhere = cache(self._look_elsewhere)
        folders = {
            folder for file in project.of(*LANGUAGES) for folder in upwards(folder_of(file.path))
        }
        packages = map(self._package_in, sorted(folders, reverse=True))
        self._by_name = {it.name: it for it in packages if it is not None and it.name}

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        module = _without_query(imported.module)
        folder = folder_of(file.path)
        if module.startswith("."):
            return self._relative(file, join(folder, module))
        if ":" in module.partition("/")[0] or not module:
            return external(module)
        path = self._first(file, self._named(folder, module))
        if path is not None:
            return found(path)
        name, subpath = _split(module)
        if module.startswith(("/", "#", *_ALIAS_PREFIXES)):
            return self._project.elsewhere(*self._named(folder, module))
        package = self._by_name.get(name)
        if package is None:
            elsewhere = self._project.elsewhere(*self._configs.candidates(folder, module))
            return elsewhere if elsewhere.status == "outside" else external(name)
        path = self._first(file, package.entries(subpath))
        return found(path) if path else self._project.elsewhere(*package.entries(subpath))

    def _named(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths that a name may have by configuration or convention."""
        yield from self._configs.candidates(folder, module)
        package = next(filter(None, map(self._package_in, upwards(folder))), None)
        home = package.folder if package is not None else ""
        if package is not None and module.startswith("#"):
            yield from package.imports(module)
        if module.startswith("/"):
            yield within(home, module[1:])
            yield within(home, f"public{module}")
        if module.startswith(_ALIAS_PREFIXES):
            yield within(home, f"src/{module[2:]}")
            yield within(home, module[2:])

    def _relative(self, file: FileFacts, path: str | None) -> Resolution:
        if path is None:
            return LEAVES_WORKSPACE
        known = self._first(file, [path, *sources_of(path)])
        return found(known) if known is not None else self._elsewhere(path)

    def _look_elsewhere(self, path: str) -> Resolution:
        """Resolve a path that is not among the indexed files."""
        endings = (*_OTHER, *_PLAIN, *_TYPED)
        beside = (path + ending for ending in endings)
        inside = (within(path, f"index{ending}") for ending in endings)
        return self._project.elsewhere(path, *beside, within(path, "package.json"), *inside)

    def _first(self, file: FileFacts, places: Iterable[str]) -> str | None:
        endings = (*_PLAIN, *_TYPED) if file.language == "javascript" else (*_TYPED, *_PLAIN)
        known = (self._at(place, endings) for place in places)
        return next((it for it in known if it is not None), None)

    def _at(self, place: str, endings: tuple[str, ...]) -> str | None:
        """Return the measured file for a path that may lack its extension or be a folder."""
        options = [place]
        for compiled, sources in _SOURCES_OF.items():
            if place.endswith(compiled):
                stem = place.removesuffix(compiled)
                options += [stem + ending for ending in sources]
        options += [place + ending for ending in endings if place]
        known = self._project.first(options)
        if known is not None or place not in self._project.folders:
            return known
        package = self._package_in(place) if place else None
        if package is not None:
            entries = (it for it in package.entries("") if it != place)
            known = next(filter(None, (self._at(it, endings) for it in entries)), None)
        return known or self._project.first(within(place, f"index{it}") for it in endings)


def _without_query(module: str) -> str:
    """Drop the options for a bundler after the path: `./icon.svg?raw`."""
    return module.partition("?")[0]


def _split(module: str) -> tuple[str, str]:
    """Split a module into the name of a package and the path inside it."""
    parts = module.split("/")
    length = 2 if module.startswith("@") else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


RESOLVER: MakeResolver = JavaScriptResolver
