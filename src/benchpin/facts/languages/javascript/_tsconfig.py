"""`tsconfig.json` and `jsconfig.json`: module names mapped by `paths` and `baseUrl`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchpin.facts.imports import ProjectFiles, folder_of, join, upwards, within
from benchpin.system.formats import as_object, as_strings, parse_object

_NAMES = ("tsconfig.json", "jsconfig.json")
# Length of a chain of `extends` to follow; a real one has two or three links.
_MAX_EXTENDED_FILES = 16


@dataclass(frozen=True, slots=True)
class _Config:
    """The module settings of a configuration, merged with those that it extends."""

    base: str | None = None
    """The folder to which plain names may be relative."""
    paths_base: str = ""
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()


class TsConfigs:
    """The configurations of a project, each read once."""

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._governing = cache(self._find)

    def candidates(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths of a module imported in a folder: by `paths`, then by `baseUrl`."""
        config = self._governing(folder)
        if config is None:
            return
        for pattern, targets in config.paths:
            filling = _match(pattern, module)
            if filling is None:
                continue
            for target in targets:
                path = join(config.paths_base, target.replace("*", filling))
                if path is not None:
                    yield path
            break
        if config.base is not None:
            path = join(config.base, module)
            if path is not None:
                yield path

    def _find(self, folder: str) -> _Config | None:
        for outer in upwards(folder):
            for name in _NAMES:
                path = within(outer, name)
                if self._project.read(path) is not None:
                    return self._with_references(path)
        return None

    def _with_references(self, path: str) -> _Config:
        """Load a configuration; one without module settings defers to those that it references."""
        config = self._load(path, ())
        if config.paths or config.base is not None:
            return config
        listed = parse_object(self._project.read(path)).get("references")
        for item in listed if isinstance(listed, list) else []:
            for name in as_strings(as_object(item).get("path")):
                inner = join(folder_of(path), name)
                if inner is None:
                    continue
                if not inner.endswith(".json"):
                    inner = within(inner, "tsconfig.json")
                referenced = self._load(inner, (path,))
                if referenced.paths or referenced.base is not None:
                    return referenced
        return config

    def _load(self, path: str, seen: tuple[str, ...]) -> _Config:
        text = self._project.read(path)
        if text is None or path in seen or len(seen) > _MAX_EXTENDED_FILES:
            return _Config()
        config = parse_object(text)
        merged = _Config()
        for name in as_strings(config.get("extends")):
            extended = self._extended(folder_of(path), name)
            if extended is not None:
                merged = _overlay(merged, self._load(extended, (*seen, path)))
        options = as_object(config.get("compilerOptions"))
        bases = [join(folder_of(path), it) for it in as_strings(options.get("baseUrl"))]
        base = bases[0] if bases else None
        patterns = as_object(options.get("paths"))
        paths = tuple((key, tuple(as_strings(patterns[key]))) for key in patterns)
        paths_base = folder_of(path) if base is None else base
        if paths and base is None and merged.base is not None:
            paths_base = merged.base
        ordered = tuple(sorted(paths, key=lambda it: ("*" in it[0], -len(it[0].split("*")[0]))))
        return _overlay(merged, _Config(base, paths_base, ordered))

    def _extended(self, folder: str, name: str) -> str | None:
        """Return the path of an extended configuration; None for one from an external package."""
        if not name.startswith("."):
            return None
        path = join(folder, name)
        if path is None:
            return None
        options = (path, f"{path}.json", within(path, "tsconfig.json"))
        return next((it for it in options if self._project.read(it) is not None), None)


def _overlay(under: _Config, over: _Config) -> _Config:
    base = under.base if over.base is None else over.base
    if over.paths:
        return _Config(base, over.paths_base, over.paths)
    return _Config(base, under.paths_base, under.paths)


def _match(pattern: str, module: str) -> str | None:
    """Return what the star matches, empty in a pattern without one; None when nothing matches."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if module == pattern else None
    is_match = module.startswith(head) and module.endswith(tail)
    if not is_match or len(module) < len(head) + len(tail):
        return None
    return module[len(head) : len(module) - len(tail)]
