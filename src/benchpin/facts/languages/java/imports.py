"""Imports of Java, Kotlin and Scala: which files belong to a package, and which declares a name.

A file belongs to the package that its folder names, relative to a source root or as the end of the
path, and to the packages of the full names that it exports. A wildcard leads to the files of the
package that declare a name which the importing file uses, possibly none. A name that no file
declares is in Scala's package object, if there is one.
"""

from collections import defaultdict
from collections.abc import Iterator

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    nearest,
    unresolved,
)

LANGUAGES = ("java", "kotlin", "scala")
_WILDCARDS = frozenset({"*", "_", "given"})


class JvmResolver:
    """Resolves the imports of Java, Kotlin and Scala."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._members: defaultdict[str, list[str]] = defaultdict(list)
        for folder in sorted({folder_of(file.path) for file in project.of(*LANGUAGES)}):
            members = project.in_folder(folder, *LANGUAGES)
            for package in packages_of(folder):
                self._members[package] += members
        for file in project.of(*LANGUAGES):
            for package in {it.rpartition(".")[0] for it in file.links.exports} - {""}:
                if file.path not in self._members[package]:
                    self._members[package].append(file.path)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        names = imported.names or ("",)
        files: list[str] = []
        is_own = False
        for name in names:
            module = imported.module
            if not name:
                module, _, name = module.rpartition(".")  # noqa: PLW2901 - the class is the name
            found_files, is_package = self._named(file, module, name)
            files += found_files
            is_own = is_own or is_package
        if files or (is_own and not _WILDCARDS.isdisjoint(names)):
            return found(*files)
        if is_own:
            return unresolved("no file of its package declares the name")
        return external(imported.module)

    def _named(self, file: FileFacts, module: str, name: str) -> tuple[list[str], bool]:
        """Return the files that declare a name of a package, or of a class in a package."""
        is_own = False
        for package, inner in _splits(module, name):
            members = self._members.get(package)
            if not members:
                continue
            is_own = is_own or package == module
            if inner in _WILDCARDS:
                used = self._project.used_by(file, members)
                return used or _package_objects(members), is_own
            hits = self._declaring(members, inner)
            if hits:
                return nearest(hits, file.path)[:1], is_own
        return [], is_own

    def _declaring(self, members: list[str], name: str) -> list[str]:
        hits = [it for it in members if it.rpartition("/")[2].partition(".")[0] == name]
        hits = hits or [it for it in members if name in self._project.declared(it)]
        if hits:
            return hits
        objects = _package_objects(members)
        if objects:
            return objects
        mentioning = [it for it in members if name in self._project.files[it].links.references]
        return mentioning if len(mentioning) == 1 else []


def _package_objects(members: list[str]) -> list[str]:
    return [it for it in members if it.endswith("/package.scala")]


def package_of(folder: str) -> str:
    """Return the package of a folder: the longest name, where its source root is not known."""
    return next(packages_of(folder))


def packages_of(folder: str) -> Iterator[str]:
    """Yield the package names of a folder: one beneath a source root, else one for each suffix."""
    parts = folder.split("/")
    if "src" in parts:
        first = len(parts) - parts[::-1].index("src")
        for at in (first, first + 1):
            if at < len(parts) and parts[at].partition("-")[0] in LANGUAGES:
                first = at + 1
                break
        yield ".".join(parts[first:])
    else:
        for first in range(len(parts)):
            yield ".".join(parts[first:])


def _splits(module: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield a package and a name in it; then, for members of classes, the class and its package."""
    yield module, name
    while "." in module:
        module, _, name = module.rpartition(".")
        yield module, name


RESOLVER: MakeResolver = JvmResolver
