"""Imports of Elixir: a module is in the file that defines it, or around it."""

from collections import defaultdict

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    found,
    nearest,
    unresolved,
)


class ElixirResolver:
    """Resolves the imports of Elixir, by the exports of its files: full names of modules."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._defining: defaultdict[str, list[str]] = defaultdict(list)
        for file in project.of("elixir"):
            for name in file.links.exports:
                self._defining[name].append(file.path)
        self._tops = {name.partition(".")[0] for name in self._defining}

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where `alias`, `import`, `require` or `use` leads."""
        module = imported.module
        if module in self._defining:
            return found(nearest(self._defining[module], file.path)[0])
        # A module that a macro makes, such as `Shop.Router.Helpers`, is in the one around it.
        outer = module.rpartition(".")[0]
        if "." in outer and outer in self._defining:
            return found(nearest(self._defining[outer], file.path)[0])
        top = module.partition(".")[0]
        is_own = "." in module and top in self._tops
        return unresolved(f"no file defines {module}") if is_own else external(top)


RESOLVER: MakeResolver = ElixirResolver
