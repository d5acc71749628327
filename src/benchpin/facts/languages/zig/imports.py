"""Imports of Zig: files by their path, and the modules that a `build.zig` names."""

import re
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

# `addModule("name", .{ … b.path("src/name.zig")`, and the same with `addImport`, `createModule`.
_MODULE = re.compile(rb'\b(?:addModule|addImport|addAnonymousImport)\(\s*+"([^"\n]++)"')
_NAMED = re.compile(rb'\.name\s*+=\s*+"([^"\n]++)"')
_PATH = re.compile(rb'(?<=")(?!/)([\w./-]++)(?=")')
# How far the path of a module is from its name.
_NEAR_BYTES = 400


class ZigResolver:
    """Resolves the imports of Zig."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._modules = cache(self._read_modules)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an `@import` leads."""
        module, folder = imported.module, folder_of(file.path)
        if module.endswith((".zig", ".zon")):
            path = join(folder, module)
            if path is None:
                return LEAVES_WORKSPACE
            return found(path) if path in self._project.files else self._project.elsewhere(path)
        for outer in upwards(folder):
            path = self._modules(outer).get(module)
            if path is not None and path in self._project.files:
                return found(path)
        return external(module)

    def _read_modules(self, folder: str) -> dict[str, str]:
        """Read which file each module of a build is, if one is near its name."""
        build = self._project.read(within(folder, "build.zig"))
        modules: dict[str, str] = {}
        for pattern in (_NAMED, _MODULE) if build is not None else ():
            for name in pattern.finditer(build or b""):
                near = _PATH.findall(build or b"", name.end(), name.end() + _NEAR_BYTES)
                path = next((it.decode() for it in near if it.endswith(b".zig")), None)
                place = None if path is None else join(folder, path)
                if place is not None:
                    modules[name[1].decode(errors="replace")] = place
        return modules


RESOLVER: MakeResolver = ZigResolver
