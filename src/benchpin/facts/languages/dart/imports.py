"""Imports of Dart: relative paths, and `package:` by the names in the `pubspec.yaml` files."""

import re

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

_NAME = re.compile(rb"^name:[ \t]*+['\"]?(\w++)", re.MULTILINE)


class DartResolver:
    """Resolves the imports of Dart."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        folders = {it for file in project.of("dart") for it in upwards(folder_of(file.path))}
        self._packages: dict[str, str] = {}
        # Reversed, so that of packages of one name the one that is first by its folder stays.
        for folder in sorted(folders, reverse=True):
            name = _NAME.search(project.read(within(folder, "pubspec.yaml")) or b"")
            if name is not None:
                self._packages[name[1].decode()] = folder

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import, an export or a part leads."""
        scheme, colon, rest = imported.module.partition(":")
        if not colon:
            path = join(folder_of(file.path), imported.module)
        elif scheme == "package" and rest.partition("/")[0] in self._packages:
            name, _, inner = rest.partition("/")
            path = within(within(self._packages[name], "lib"), inner)
        else:
            return external(rest.partition("/")[0] if scheme == "package" else imported.module)
        if path is None:
            return LEAVES_WORKSPACE
        return found(path) if path in self._project.files else self._project.elsewhere(path)


RESOLVER: MakeResolver = DartResolver
