r"""Files that a script of SQL runs: `\i`, `@@`, `:r` and `source`."""

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    folder_of,
    found,
    join,
    nearest,
    unresolved,
)


class SqlResolver:
    """Finds the files that scripts run."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where a file is: beside the script, or below an unknown folder."""
        path = imported.module.replace("\\", "/")
        if "&" in path or "$" in path or path.startswith("/"):
            return unresolved("the path is only known at run time")
        folder = folder_of(file.path)
        bases = (folder,) if imported.level else (folder, "")
        places = [place for base in bases if (place := join(base, path))]
        places += [f"{it}.sql" for it in places]
        known = self._project.first(places)
        if known is None and not imported.level:
            choices = nearest(self._project.ending_with(path.lstrip("./")), file.path)
            known = choices[0] if len(choices) == 1 else None
        return found(known) if known else self._project.elsewhere(*places)


RESOLVER: MakeResolver = SqlResolver
