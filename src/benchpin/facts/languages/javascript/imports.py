"""Imports of JavaScript and TypeScript: relative ones, aliases, packages of the same workspace.

A name is looked up as a path, in `imports` of the package around the file, in `paths` and `baseUrl`
of its tsconfig, and among the packages of the workspace. `@/x` and `~/x`, which bundlers define in
code, are `src/x` or `x` of the package around the file, if such a file exists; `$lib/x`, which
SvelteKit defines, is `src/lib/x`. Everything else is an external package.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from benchpin.facts import FileFacts, Import, languages
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
from benchpin.system.formats import Json, as_object, as_strings, parse_object

_NAMES = ("tsconfig.json", "jsconfig.json")
# Length of a chain of `extends` to follow; a real one has two or three links.
_MAX_EXTENDED_FILES = 16


@dataclass(frozen=True, slots=True)
class _Config:
    """The module settings of a configuration, merged with those that it extends."""

    base: str | None = None
    """The folder to which plain names may be relative."""
    paths_base: str = ""
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()


class TsConfigs:
    """The configurations of a project, each read once."""

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._governing = cache(self._find)

    def candidates(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths of a module imported in a folder: by `paths`, then by `baseUrl`."""
        config = self._governing(folder)
        if config is None:
            return
        for pattern, targets in config.paths:
            filling = _match(pattern, module)
            if filling is None:
                continue
            for target in targets:
                path = join(config.paths_base, target.replace("*", filling))
                if path is not None:
                    yield path
            break
        if config.base is not None:
            path = join(config.base, module)
            if path is not None:
                yield path

    def _find(self, folder: str) -> _Config | None:
        for outer in upwards(folder):
            for name in _NAMES:
                path = within(outer, name)
                if self._project.read(path) is not None:
                    return self._with_references(path)
        return None

    def _with_references(self, path: str) -> _Config:
        """Load a configuration; one without module settings defers to those that it references."""
        config = self._load(path, ())
        if config.paths or config.base is not None:
            return config
        listed = parse_object(self._project.read(path)).get("references")
        for item in listed if isinstance(listed, list) else []:
            for name in as_strings(as_object(item).get("path")):
                inner = join(folder_of(path), name)
                if inner is None:
                    continue
                if not inner.endswith(".json"):
                    inner = within(inner, "tsconfig.json")
                referenced = self._load(inner, (path,))
                if referenced.paths or referenced.base is not None:
                    return referenced
        return config

    def _load(self, path: str, seen: tuple[str, ...]) -> _Config:
        text = self._project.read(path)
        if text is None or path in seen or len(seen) > _MAX_EXTENDED_FILES:
            return _Config()
        config = parse_object(text)
        merged = _Config()
        for name in as_strings(config.get("extends")):
            extended = self._extended(folder_of(path), name)
            if extended is not None:
                merged = _overlay(merged, self._load(extended, (*seen, path)))
        options = as_object(config.get("compilerOptions"))
        bases = [join(folder_of(path), it) for it in as_strings(options.get("baseUrl"))]
        base = bases[0] if bases else None
        patterns = as_object(options.get("paths"))
        paths = tuple((key, tuple(as_strings(patterns[key]))) for key in patterns)
        # Paths start at the base URL, inherited too; without one at the file that has them.
        paths_base = folder_of(path) if base is None else base
        if paths and base is None and merged.base is not None:
            paths_base = merged.base
        # As TypeScript chooses: a name without a star first, then the longest part before the star.
        ordered = tuple(sorted(paths, key=lambda it: ("*" in it[0], -len(it[0].split("*")[0]))))
        return _overlay(merged, _Config(base, paths_base, ordered))

    def _extended(self, folder: str, name: str) -> str | None:
        """Return the path of an extended configuration; None for one from an external package."""
        if not name.startswith("."):
            return None
        path = join(folder, name)
        if path is None:
            return None
        options = (path, f"{path}.json", within(path, "tsconfig.json"))
        return next((it for it in options if self._project.read(it) is not None), None)


def _overlay(under: _Config, over: _Config) -> _Config:
    base = under.base if over.base is None else over.base
    if over.paths:
        return _Config(base, over.paths_base, over.paths)
    return _Config(base, under.paths_base, under.paths)


def _match(pattern: str, module: str) -> str | None:
    """Return what the star matches, empty in a pattern without one; None when nothing matches."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if module == pattern else None
    is_match = module.startswith(head) and module.endswith(tail)
    if not is_match or len(module) < len(head) + len(tail):
        return None
    return module[len(head) : len(module) - len(tail)]


_CONDITIONS = ("source", "development", "types", "import", "module", "node", "require", "default")
_ENTRIES = ("source", "types", "typings", "module", "main", "browser")
_BUILT = frozenset({"dist", "lib", "build", "out", "cjs", "esm", "es"})
# Levels of conditions to follow; real packages have two or three.
_MAX_NESTED_LEVELS = 20


@dataclass(frozen=True, slots=True)
class NodePackage:
    """One package of the project."""

    folder: str
    name: str
    manifest: dict[str, Json]

    @classmethod
    def read(cls, project: ProjectFiles, folder: str) -> "NodePackage | None":
        """Return the package in a folder, if one is there."""
        data = project.read(within(folder, "package.json"))
        if data is None:
            return None
        manifest = parse_object(data)
        name = manifest.get("name")
        return cls(folder, name if isinstance(name, str) else "", manifest)

    def entries(self, subpath: str) -> Iterator[str]:
        """Yield the paths that `name/subpath` may refer to, the most likely first.

        The source of a built file counts first: the built file is often missing, or only declares
        types.
        """
        targets = (join(self.folder, it) for it in self._targets(subpath))
        paths = [path for path in targets if path is not None]
        yield from (source for path in paths for source in islice(sources_of(path), 1))
        for path in paths:
            yield path
            yield from islice(sources_of(path), 1, None)
        yield within(self.folder, subpath)
        yield within(self.folder, f"src/{subpath}" if subpath else "src")

    def imports(self, name: str) -> Iterator[str]:
        """Yield the paths that a name such as `#util` may refer to."""
        for target in _lookup(as_object(self.manifest.get("imports")), name):
            path = join(self.folder, target)
            if path is not None:
                yield path
                yield from sources_of(path)

    def _targets(self, subpath: str) -> Iterator[str]:
        exports = self.manifest.get("exports")
        name = f"./{subpath}" if subpath else "."
        if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
            yield from _lookup(exports, name)
        elif not subpath:
            yield from _targets(exports)
        if not subpath:
            for entry in _ENTRIES:
                yield from as_strings(self.manifest.get(entry))


def sources_of(path: str) -> Iterator[str]:
    """Yield where the source of a built file may be: in `src`, or beside the build folder."""
    parts = path.split("/")
    built = [at for at, part in enumerate(parts[:-1]) if part in _BUILT]
    if built:
        # `pkg/dist/esm/a.js`: the last build folder, and those right before it, replace `src`.
        before, rest = parts[: built[-1]], parts[built[-1] + 1 :]
        while before and before[-1] in _BUILT:
            before.pop()
        yield "/".join([*before, "src", *rest])
        yield "/".join([*before, *rest])


def _lookup(table: dict[str, Json], name: str) -> Iterator[str]:
    """Yield the targets of a name in `exports` or `imports`; the longest pattern wins."""
    if name in table:
        yield from _targets(table[name])
        return
    for key in sorted(table, key=lambda it: -len(it.partition("*")[0])):
        head, star, tail = key.partition("*")
        if key.endswith("/") and name.startswith(key):
            yield from (target + name[len(key) :] for target in _targets(table[key]))
            return
        is_match = star and name.startswith(head) and name.endswith(tail)
        if is_match and len(name) >= len(head) + len(tail):
            filling = name[len(head) : len(name) - len(tail)]
            yield from (target.replace("*", filling) for target in _targets(table[key]))
            return


def _targets(value: Json, depth: int = 0) -> Iterator[str]:
    if depth > _MAX_NESTED_LEVELS:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _targets(item, depth + 1)
    elif isinstance(value, dict):
        known = [condition for condition in _CONDITIONS if condition in value]
        for condition in (*known, *(key for key in value if key not in known)):
            yield from _targets(value[condition], depth + 1)


_TYPED = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_FAMILY = "javascript"
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
            folder
            for file in project.files.values()
            if languages.family_of(file.language) == _FAMILY
            for folder in upwards(folder_of(file.path))
        }
        # Reversed, so that of packages of one name the one that is first by its folder stays.
        packages = map(self._package_in, sorted(folders, reverse=True))
        self._by_name = {it.name: it for it in packages if it is not None and it.name}

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        module = imported.module.partition("?")[0]
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
        if module == "$lib" or module.startswith("$lib/"):
            yield within(home, f"src/lib{module[4:]}")

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
        endings = (*_PLAIN, *_TYPED) if file.language == _FAMILY else (*_TYPED, *_PLAIN)
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


def _split(module: str) -> tuple[str, str]:
    """Split a module into the name of a package and the path inside it."""
    parts = module.split("/")
    length = 2 if module.startswith("@") else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


RESOLVER: MakeResolver = JavaScriptResolver
