"""`package.json`: which file of a package a name refers to."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from benchpin.facts.imports import ProjectFiles, join, within
from benchpin.system.formats import Json, as_object, as_strings, parse_object

_CONDITIONS = ("source", "development", "types", "import", "module", "node", "require", "default")
_ENTRIES = ("source", "types", "typings", "module", "main", "browser")
_BUILT = frozenset({"dist", "lib", "build", "out", "cjs", "esm", "es"})
# Levels of conditions to follow; real packages have two or three.
_MAX_NESTED_LEVELS = 20


@dataclass(frozen=True, slots=True)
class NodePackage:
    """One package of the project."""

    folder: str
    name: str
    manifest: dict[str, Json]

    @classmethod
    def read(cls, project: ProjectFiles, folder: str) -> "NodePackage | None":
        """Return the package in a folder, if one is there."""
        data = project.read(within(folder, "package.json"))
        if data is None:
            return None
        manifest = parse_object(data)
        name = manifest.get("name")
        return cls(folder, name if isinstance(name, str) else "", manifest)

    def entries(self, subpath: str) -> Iterator[str]:
        """Yield the paths that `name/subpath` may refer to, the most likely first.

        The source of a built file counts first: the built file is often missing, or only declares
        types.
        """
        targets = (join(self.folder, it) for it in self._targets(subpath))
        paths = [path for path in targets if path is not None]
        yield from (source for path in paths for source in islice(sources_of(path), 1))
        for path in paths:
            yield path
            yield from islice(sources_of(path), 1, None)
        yield within(self.folder, subpath)
        yield within(self.folder, f"src/{subpath}" if subpath else "src")

    def imports(self, name: str) -> Iterator[str]:
        """Yield the paths that a name such as `#util` may refer to."""
        for target in _lookup(as_object(self.manifest.get("imports")), name):
            path = join(self.folder, target)
            if path is not None:
                yield path
                yield from sources_of(path)

    def _targets(self, subpath: str) -> Iterator[str]:
        exports = self.manifest.get("exports")
        name = f"./{subpath}" if subpath else "."
        if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
            yield from _lookup(exports, name)
        elif not subpath:
            yield from _targets(exports)
        if not subpath:
            for entry in _ENTRIES:
                yield from as_strings(self.manifest.get(entry))


def sources_of(path: str) -> Iterator[str]:
    """Yield where the source of a built file may be: in `src`, or beside the build folder."""
    parts = path.split("/")
    built = [at for at, part in enumerate(parts[:-1]) if part in _BUILT]
    if built:
        before, rest = parts[: built[-1]], parts[built[-1] + 1 :]
        while before and before[-1] in _BUILT:
            before.pop()
        yield "/".join([*before, "src", *rest])
        yield "/".join([*before, *rest])


def _lookup(table: dict[str, Json], name: str) -> Iterator[str]:
    """Yield the targets of a name in `exports` or `imports`; the longest pattern wins."""
    if name in table:
        yield from _targets(table[name])
        return
    for key in sorted(table, key=lambda it: -len(it.partition("*")[0])):
        head, star, tail = key.partition("*")
        if key.endswith("/") and name.startswith(key):
            yield from (target + name[len(key) :] for target in _targets(table[key]))
            return
        is_match = star and name.startswith(head) and name.endswith(tail)
        if is_match and len(name) >= len(head) + len(tail):
            filling = name[len(head) : len(name) - len(tail)]
            yield from (target.replace("*", filling) for target in _targets(table[key]))
            return


def _targets(value: Json, depth: int = 0) -> Iterator[str]:
    if depth > _MAX_NESTED_LEVELS:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _targets(item, depth + 1)
    elif isinstance(value, dict):
        known = [condition for condition in _CONDITIONS if condition in value]
        for condition in (*known, *(key for key in value if key not in known)):
            yield from _targets(value[condition], depth + 1)
