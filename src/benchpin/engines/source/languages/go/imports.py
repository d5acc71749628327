"""Imports of Go: a package is a folder beneath the module that a `go.mod` names.

An import leads to the files of the package that declare a name which the importing file uses, or to
all of them if none does. Test files are not part of a package for others.
"""

import re

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

_MODULE = re.compile(rb'^[ \t]*+module\s++"?([^\s"]++)', re.MULTILINE)


class GoResolver:
    """Resolves the imports of Go."""

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
        members = self._project.in_folder(folder, "go")
        members = [it for it in members if not it.endswith("_test.go")]
        if not members:
            return unresolved(f"no Go files in {folder or '.'}")
        return found(*(self._project.used_by(file, members) or members))


RESOLVER: MakeResolver = GoResolver
