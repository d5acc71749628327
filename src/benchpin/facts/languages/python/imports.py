"""Imports of Python: packages, modules, namespace packages, relative levels.

A module is looked up from the folder that contains the outermost package of the importing file,
then from its parent folders, then from every other folder with packages, if only one of those has
the module. A name of the standard library is the standard library, unless the importing file's own
folder has a module of that name. When the workspace is itself a package, its name is the one under
which its files import one another.
"""

import sys
from collections import Counter
from collections.abc import Collection, Iterator
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

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_SOURCE_FOLDERS = frozenset({"src", "lib", "python"})
# Share of the imports under a name that must resolve for it to be that of the workspace.
_LIKELY = 0.8
_ENDINGS = (".py", ".pyi", ".pyw")


class PythonResolver:
    """Resolves the imports of Python."""

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._packages = {
            folder_of(file.path)
            for file in project.of("python")
            if file.path.rpartition("/")[2] in {"__init__.py", "__init__.pyi"}
        }
        self._folders = {
            folder for file in project.of("python") for folder in upwards(folder_of(file.path))
        }
        self._modules = _modules_of(project.files)
        self._is_installable = cache(self._has_manifest)
        # A namespace package has no file of its own: `src/` is a root for what is in it, too.
        sources = {
            it
            for it in self._folders
            if it.rpartition("/")[2] in _SOURCE_FOLDERS
            and it not in self._packages
            and self._is_installable(it)
        }
        self._roots = sorted({self._root(folder) for folder in self._packages} | sources)
        self.looks_into_files = "" in self._packages
        self._root_name = self._guess_root_name() if self.looks_into_files else None

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        path = imported.module.replace(".", "/")
        if imported.level:
            base = join(folder_of(file.path), "../" * (imported.level - 1))
            if base is None:
                return LEAVES_WORKSPACE
            place = within(base, path)
            return self._names(place, imported) or self._missing(place, imported)
        top, _, rest = imported.module.partition(".")
        if top == self._root_name:
            place = rest.replace(".", "/")
            return self._names(place, imported) or self._missing(place, imported)
        own = self._root(folder_of(file.path))
        # A module of a package is imported with the standard library before its own folder.
        is_inside = folder_of(file.path) in self._packages
        if top in sys.stdlib_module_names and (is_inside or not self._module(within(own, top))):
            return external(top)
        return self._absolute(own, path, imported) or self._not_found(own, top, imported)

    def _guess_root_name(self) -> str | None:
        """Guess the package name of the workspace from the absolute imports of its files."""
        tries: Counter[str] = Counter()
        hits: Counter[str] = Counter()
        for file in self._project.of("python"):
            for imported in file.links.imports:
                top, dot, rest = imported.module.partition(".")
                if dot and not imported.level and top not in sys.stdlib_module_names:
                    tries[top] += 1
                    hits[top] += self._module(rest.replace(".", "/")) is not None
        likely = [it for it in hits if hits[it] >= _LIKELY * tries[it]]
        return max(likely, key=lambda it: (hits[it], it), default=None)

    def _absolute(self, own: str, path: str, imported: Import) -> Resolution | None:
        for root in upwards(own):
            resolution = self._names(within(root, path), imported)
            if resolution is not None:
                return resolution
        others = (self._names(within(root, path), imported) for root in self._roots)
        known = {resolution for resolution in others if resolution is not None}
        return known.pop() if len(known) == 1 else None

    def _not_found(self, own: str, top: str, imported: Import) -> Resolution:
        """Resolve a module that was not found: missing if its package is here, else external."""
        installed = filter(self._is_installable, self._roots)
        homes = [root for root in (*upwards(own), *installed) if self._is_own(within(root, top))]
        path = imported.module.replace(".", "/")
        return self._missing(within(homes[0], path), imported) if homes else external(top)

    def _is_own(self, place: str) -> bool:
        return place in self._packages or self._module(place) is not None

    def _has_manifest(self, root: str) -> bool:
        """Whether a folder holds installable packages, not just tests or examples."""
        home = folder_of(root) if root.rpartition("/")[2] in _SOURCE_FOLDERS else root
        return any(self._project.read(within(home, name)) is not None for name in _MANIFESTS)

    def _missing(self, place: str, imported: Import) -> Resolution:
        """Resolve a module without a measured file; the imported names may be generated modules."""
        inside = (within(place, f"{name}.py") for name in imported.names if name != "*")
        return self._project.elsewhere(*_candidates(place), *inside)

    def _root(self, folder: str) -> str:
        """Return the folder that contains the outermost package around a folder."""
        while folder and folder in self._packages:
            folder = folder_of(folder)
        return folder

    def _module(self, place: str) -> str | None:
        """Return the file of a module or package."""
        return self._modules.get(place)

    def _names(self, place: str, imported: Import) -> Resolution | None:
        """Follow the imported names: each is a module of the package, or something in it."""
        module = self._module(place)
        if module is None and place not in self._folders:
            return None
        modules: list[tuple[str, str]] = []
        for name in imported.names:
            inner = self._module(within(place, name)) if self._holds(place, module) else None
            if inner is not None and inner != module:
                modules.append((name, inner))
        files = [path for _, path in modules]
        if module is not None and len(modules) < max(len(imported.names), 1):
            files.insert(0, module)
        return found(*files, modules=modules) if files else None

    def _holds(self, place: str, module: str | None) -> bool:
        """Whether there can be modules inside: a module `a.py` hides a folder `a` beside it."""
        return module is None or folder_of(module) == place


def _candidates(place: str) -> Iterator[str]:
    """Yield the paths that the file of a module may have; the first that exists counts."""
    for ending in _ENDINGS:
        yield within(place, f"__init__{ending}")
    if place:
        for ending in _ENDINGS:
            yield place + ending


def _modules_of(paths: Collection[str]) -> dict[str, str]:
    """Return the file of each module, by its path without extension."""
    plain: dict[str, str] = {}
    packages: dict[str, str] = {}
    for ending in reversed(_ENDINGS):
        files = [path for path in paths if path.endswith(ending) and path != ending]
        plain |= {path.removesuffix(ending): path for path in files}
        packages |= {
            folder_of(path): path
            for path in files
            if path.rpartition("/")[2] == f"__init__{ending}"
        }
    return plain | packages


RESOLVER: MakeResolver = PythonResolver
