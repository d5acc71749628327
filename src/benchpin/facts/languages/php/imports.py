"""Imports of PHP: names of classes and functions, and included files.

A name leads to the file that declares it, the nearest if there are several; else to where
`autoload` of a `composer.json` (PSR-4) puts it.
"""

from collections import defaultdict
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
from benchpin.system.formats import as_object, as_strings, parse_object


class PhpResolver:
    """Resolves the imports of PHP, by the exports of its files: full names."""

    looks_into_files = True

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._declaring: defaultdict[str, list[str]] = defaultdict(list)
        self._namespaces: set[str] = set()
        for file in project.of("php"):
            for name in file.links.exports:
                # Names of classes and namespaces have no case in PHP.
                self._declaring[name.lower()].append(file.path)
                outer = name.lower().rpartition("\\")[0]
                while outer and outer not in self._namespaces:
                    self._namespaces.add(outer)
                    outer = outer.rpartition("\\")[0]
        folders = {it for file in project.of("php") for it in upwards(folder_of(file.path))}
        self._prefixes = [it for folder in sorted(folders) for it in self._autoloaded(folder)]
        # PSR-4: the longest prefix that fits wins.
        self._prefixes.sort(key=lambda it: -len(it[0]))

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an import of a file leads."""
        module = imported.module
        if imported.level or "/" in module or module.endswith(".php"):
            return self._included(file.path, imported)
        declaring = self._declaring.get(module.lower())
        if declaring:
            return found(nearest(declaring, file.path)[0])
        places = [
            within(folder, module.removeprefix(prefix).replace("\\", "/") + ".php")
            for prefix, folder in self._prefixes
            if module.startswith(prefix)
        ]
        known = self._project.first(places) or self._beside(places, module)
        if known is not None:
            return found(known)
        if module.lower() in self._namespaces:
            return found()
        own = [it for it in places if folder_of(it) in self._project.folders]
        return self._project.elsewhere(*own) if own else external(module.split("\\")[0])

    def _beside(self, places: list[str], module: str) -> str | None:
        """Find the file that declares a function among the files in the folder of its namespace."""
        name = module.rpartition("\\")[2]
        files = (path for it in places for path in self._project.in_folder(folder_of(it), "php"))
        return next((it for it in files if name in self._project.declared(it)), None)

    def _included(self, path: str, imported: Import) -> Resolution:
        folder = folder_of(path)
        if imported.level:
            above = join(folder, "../" * (imported.level - 1))
            starts = [] if above is None else [above]
        else:
            starts = list(upwards(folder))
        places = [join(start, imported.module) for start in starts]
        known = self._project.first(it for it in places if it)
        if known is not None:
            return found(known)
        return self._project.elsewhere(*(it for it in places if it)) if places else LEAVES_WORKSPACE

    def _autoloaded(self, folder: str) -> Iterator[tuple[str, str]]:
        manifest = parse_object(self._project.read(within(folder, "composer.json")))
        for section in ("autoload", "autoload-dev"):
            listed = as_object(as_object(manifest.get(section)).get("psr-4"))
            for prefix, places in listed.items():
                for place in as_strings(places):
                    path = join(folder, place)
                    if prefix and path is not None:
                        yield prefix, path


RESOLVER: MakeResolver = PhpResolver
