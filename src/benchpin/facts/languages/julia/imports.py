"""Files of Julia: `include` names one, and a module is in the file that has its name."""

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
)


class JuliaResolver:
    """Resolves the imports of Julia."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an `include`, `using` or `import` leads."""
        if imported.level:
            path = join(folder_of(file.path), imported.module)
            if path is None or path not in self._project.files:
                return self._project.elsewhere(path or "")
            return found(path)
        name = imported.module.strip(".").partition(".")[0]
        known = [it for it in self._project.ending_with(f"{name}.jl") if it != file.path]
        return found(nearest(known, file.path)[0]) if known else external(name)


RESOLVER: MakeResolver = JuliaResolver
