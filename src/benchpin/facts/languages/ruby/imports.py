"""Imports of Ruby: relative requires, and requires from a `lib` or test folder.

A name that is required is looked up in each parent folder of the file, and in `lib`, `test`, `spec`
and `app` below it; then in any `lib`. A name that is found nowhere is a gem.
"""

from collections.abc import Iterator

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
    nearest,
    upwards,
    within,
)

_ROOTS = ("lib", "test", "spec", "app", "")


class RubyResolver:
    """Resolves the requires of Ruby."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where a require leads."""
        folder = folder_of(file.path)
        name = imported.module.removesuffix(".rb")
        if imported.level or name.startswith("."):
            path = join(folder, name)
            if path is None:
                return LEAVES_WORKSPACE
            known = self._project.first((f"{path}.rb", path))
            return found(known) if known else self._project.elsewhere(f"{path}.rb", path)
        if name.startswith("/") or not name:
            return external(name)
        known = self._project.first(self._candidates(folder, name))
        if known is not None:
            return found(known)
        top = name.partition("/")[0]
        choices = nearest(self._project.ending_with(f"lib/{name}.rb"), file.path)
        if choices:
            return found(choices[0])
        return self._project.elsewhere(f"lib/{name}.rb") if self._is_own(name) else external(top)

    def _is_own(self, name: str) -> bool:
        """Whether a file that is missing should be here.

        Gems add to the namespaces of others: `lib/active_job` alone may hold an adapter for Rails.
        So the gem has to be here, and the folder of the file.
        """
        top, _, rest = name.partition("/")
        roots = ("lib", f"{top}/lib")
        return bool(rest) and any(
            self._project.first((f"{root}/{top}.rb",)) is not None
            and f"{root}/{folder_of(name)}" in self._project.folders
            for root in roots
        )

    def _candidates(self, folder: str, name: str) -> Iterator[str]:
        for outer in upwards(folder):
            for root in _ROOTS:
                yield within(within(outer, root), f"{name}.rb")


RESOLVER: MakeResolver = RubyResolver
