"""Imports of C#: a `using` leads to the files of the namespace whose types the file uses.

A namespace of the project of which no type is used resolves to no file, but is not unresolved.
"""

from collections import defaultdict

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import MakeResolver, ProjectFiles, Resolution, external, found


class CSharpResolver:
    """Resolves the usings of C#, by the exports of its files: the full names of types."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._types: defaultdict[str, list[str]] = defaultdict(list)
        self._namespaces: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        self._declaring: defaultdict[str, list[str]] = defaultdict(list)
        for file in project.of("csharp"):
            for name in project.declared(file.path):
                self._declaring[name].append(file.path)
            for full_name in file.links.exports:
                namespace, _, name = full_name.rpartition(".")
                self._types[full_name].append(file.path)
                self._namespaces[namespace].setdefault(name, []).append(file.path)
        for namespace in list(self._namespaces):
            outer = namespace
            while "." in outer:
                outer = outer.rpartition(".")[0]
                self._namespaces.setdefault(outer, {})

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where a using leads."""
        module = imported.module.removeprefix("global::")
        if module in self._types:
            return found(*self._types[module])
        if module not in self._namespaces:
            outer, _, name = module.rpartition(".")
            declaring = self._declaring.get(name, ()) if outer in self._namespaces else ()
            return found(*declaring) if len(declaring) == 1 else external(module)
        types = self._namespaces[module]
        used = sorted(types.keys() & file.links.references.keys())
        return found(*(path for name in used for path in types[name] if path != file.path))


RESOLVER: MakeResolver = CSharpResolver
