"""Imports of Lua: `a.b` is `a/b.lua` or `a/b/init.lua`, below one of the usual folders.

Each parent folder of the file is tried, and `lua` and `src` in it; then any folder. A module that
is found nowhere is a rock, or part of the program that Lua is embedded in.
"""

from collections.abc import Iterator

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    join,
    nearest,
    upwards,
    within,
)

_ROOTS = ("", "lua", "src", "lib")


class LuaResolver:
    """Resolves the imports of Lua."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where a `require` or `dofile` leads."""
        module, folder = imported.module, folder_of(file.path)
        if imported.level:
            paths = [join(folder, module), join("", module)]
            known = self._project.first(it for it in paths if it)
            return found(known) if known else self._project.elsewhere(*(it for it in paths if it))
        path = module.replace(".", "/").strip("/")
        if not path:
            return external(module)
        endings = (f"{path}.lua", f"{path}/init.lua")
        known = self._project.first(self._places(folder, endings))
        if known is not None:
            return found(known)
        choices = nearest(
            [it for end in endings for it in self._project.ending_with(end)], file.path
        )
        if choices:
            return found(choices[0])
        top = path.partition("/")[0]
        is_own = any(within(root, top) in self._project.folders for root in _ROOTS)
        if is_own and "/" in path:
            return self._project.elsewhere(*self._places("", endings))
        return external(top)

    def _places(self, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
        for outer in upwards(folder):
            for root in _ROOTS:
                for ending in endings:
                    yield within(within(outer, root), ending)


RESOLVER: MakeResolver = LuaResolver
