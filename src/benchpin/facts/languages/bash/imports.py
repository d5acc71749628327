"""Files that shell scripts source.

A first part that is only known at run time is dropped, as in `$DIR/lib.sh`. The rest is looked up
beside the script, then in its parent folders, then as the end of any path.
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
    join,
    nearest,
    unresolved,
    upwards,
)

_VARIABLE_HEAD = re.compile(r"""^["']?(?:\$\{[^}]*\}|\$\w+|\$\(.*\)|`[^`]*`)["']?/""")


class BashResolver:
    """Finds the files that shell scripts source."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where a sourced file is."""
        path = _VARIABLE_HEAD.sub("", imported.module.strip("\"'")).strip("\"'")
        if path.startswith(("/", "~")):
            return external(path)
        if "$" in path or "`" in path or not path:
            return unresolved("the path is only known at run time")
        places = [join(folder, path) for folder in upwards(folder_of(file.path))]
        known = self._project.first(it for it in places if it)
        if known is None:
            choices = nearest(self._project.ending_with(path.lstrip("./")), file.path)
            known = choices[0] if len(choices) == 1 else None
        return found(known) if known else self._project.elsewhere(*(it for it in places if it))


RESOLVER: MakeResolver = BashResolver
