"""Imports of Go: a package is a folder beneath the module that a `go.mod` names.

An import leads to the files of the package that declare a name which the importing file uses; an
import for its side effects alone to those with an `init` function, or to all if there is none. Test
files are part of a package only for the tests beside them.
"""

import re

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
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

_MODULE = re.compile(rb'^[ \t]*+module\s++"?([^\s"]++)', re.MULTILINE)


class GoResolver:
    """Resolves the imports of Go."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._modules: dict[str, str] = {}
        folders = {it for file in project.of("go") for it in upwards(folder_of(file.path))}
        for folder in sorted(folders):
            named = _MODULE.search(project.read(within(folder, "go.mod")) or b"")
            if named is not None:
                self._modules.setdefault(named[1].decode(errors="replace"), folder)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        path = imported.module
        modules = [it for it in self._modules if path == it or path.startswith(f"{it}/")]
        if not modules:
            return external(path)
        module = max(modules, key=len)
        folder = within(self._modules[module], path.removeprefix(module).lstrip("/"))
        is_beside = folder_of(file.path) == folder
        members = self._project.in_folder(folder, "go")
        members = [it for it in members if is_beside or not it.endswith("_test.go")]
        if not members:
            return self._without_members(folder)
        if imported.aliases == ("_",):
            return found(*(self._with_init(members) or members))
        if not imported.uses:
            return found(*(self._project.used_by(file, members) or members))
        used = [it for it in members if not self._project.declared(it).isdisjoint(imported.uses)]
        # All that a package declares is known: what is not there is in a file that was left out.
        return found(*used) if used else Resolution("outside")

    def _with_init(self, members: list[str]) -> list[str]:
        return [it for it in members if "init" in self._project.declared(it)]

    def _without_members(self, folder: str) -> Resolution:
        """Resolve to a folder without measured files; those that are there may be generated."""
        if any(it.endswith(".go") for it in self._project.names_in(folder)):
            return Resolution("outside")
        return unresolved(f"no Go files in {folder or '.'}")


RESOLVER: MakeResolver = GoResolver
