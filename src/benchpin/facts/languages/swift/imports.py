"""Imports of Swift: a module is a target of the package, with its files in one folder.

A target is found by the `path` in a `Package.swift`, by the standard layout (`Sources/Name`,
`Tests/Name`), or as a folder of that name at the root. An import leads to the files of the target
that declare a name which the importing file uses.
"""

import re
from functools import cache

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
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

_NAME = re.compile(rb'\s*+name:\s*+"([^"]++)"')
_PATH = re.compile(rb'path:\s*+"([^"]++)"')
_LAYOUT = ("Sources", "Source", "src", "Tests", "Plugins", "")


class SwiftResolver:
    """Resolves the imports of Swift."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._members_of = cache(self._members)
        files = project.of("swift")
        self._folders = {it for file in files for it in upwards(folder_of(file.path))}
        self._package_folders: list[str] = []
        self._named: dict[str, str] = {}
        for folder in sorted(self._folders):
            manifest = project.read(within(folder, "Package.swift"))
            if manifest is not None:
                self._package_folders.append(folder)
            for target in (manifest or b"").split(b"arget(")[1:]:
                name = _NAME.match(target)
                path = name and _PATH.search(target, name.end())
                place = path and join(folder, path[1].decode(errors="replace"))
                if name and place is not None:
                    self._named.setdefault(name[1].decode(errors="replace"), place)

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import leads."""
        name = imported.module.partition(".")[0]
        members = self._members_of(name)
        return found(*self._project.used_by(file, members)) if members else external(name)

    def _members(self, name: str) -> list[str]:
        folder = self._folder(name)
        if folder is None:
            return []
        inside = f"{folder}/" if folder else ""
        return [it.path for it in self._project.of("swift") if it.path.startswith(inside)]

    def _folder(self, name: str) -> str | None:
        if name in self._named:
            return self._named[name]
        packages = self._package_folders or [""]
        places = (within(within(package, it), name) for package in packages for it in _LAYOUT)
        return next((it for it in places if it in self._folders), None)


RESOLVER: MakeResolver = SwiftResolver
