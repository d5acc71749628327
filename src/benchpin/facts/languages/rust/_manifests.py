"""`Cargo.toml`: the crates of a project, and which of them each may use."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from benchpin.facts.imports import ProjectFiles, folder_of, upwards, within
from benchpin.system.formats import Json, NotToml, as_object, parse_toml

ROOT_FILES = ("lib.rs", "main.rs")
_FOR_TESTS = "dev-dependencies"
_TABLES = ("dependencies", "build-dependencies", _FOR_TESTS)


@dataclass(frozen=True, slots=True)
class Dependency:
    """A crate as another one knows it."""

    crate: "Crate"
    is_for_tests: bool
    """Whether only tests, examples and benchmarks may use it."""


@dataclass(frozen=True, eq=False)
class Crate:
    """One package of Cargo."""

    folder: str
    manifest: dict[str, Json]
    project: ProjectFiles = field(repr=False)

    @property
    def package(self) -> str:
        """The name under which others depend on it; empty for a workspace without a package."""
        name = as_object(self.manifest.get("package")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def name(self) -> str:
        """The name under which code refers to it."""
        name = as_object(self.manifest.get("lib")).get("name")
        return (name if isinstance(name, str) else self.package).replace("-", "_")

    @cached_property
    def root(self) -> str | None:
        """The file of its outermost module."""
        path = as_object(self.manifest.get("lib")).get("path")
        files = [path] if isinstance(path, str) else [f"src/{it}" for it in ROOT_FILES]
        return self.project.first(within(self.folder, it) for it in files)


class Crates:
    """The crates of a project."""

    def __init__(self, project: ProjectFiles) -> None:
        folders = {it for file in project.of("rust") for it in upwards(folder_of(file.path))}
        read = ((it, _read(project, it)) for it in sorted(folders))
        self._at = {it: Crate(it, manifest, project) for it, manifest in read if manifest}
        self._by_package = {it.package: it for it in self._at.values() if it.package and it.root}
        self._known: dict[str, dict[str, Dependency]] = {}

    def around(self, path: str) -> Crate | None:
        """Return the crate that a file belongs to."""
        known = (self._at.get(it) for it in upwards(folder_of(path)))
        return next((it for it in known if it is not None and it.package), None)

    def named(self, path: str, name: str) -> Dependency | None:
        """Return the crate that a name refers to in a file; it needs to be declared."""
        own = self.around(path)
        if own is None:
            known = (it for it in self._by_package.values() if it.name == name)
            return next((Dependency(it, is_for_tests=False) for it in known), None)
        if own.folder not in self._known:
            self._known[own.folder] = dict(self._dependencies(own))
        return self._known[own.folder].get(name)

    def _dependencies(self, own: Crate) -> Iterator[tuple[str, Dependency]]:
        """Yield what a crate may use, by the names in its code; the strongest of a name last."""
        shared = self._shared_by(own.folder)
        targets = as_object(own.manifest.get("target")).values()
        for table in reversed(_TABLES):
            for holder in (own.manifest, *map(as_object, targets)):
                for key, value in as_object(holder.get(table)).items():
                    given = as_object(value)
                    renamed = given.get("package") or as_object(shared.get(key)).get("package")
                    crate = self._by_package.get(renamed if isinstance(renamed, str) else key)
                    if crate is not None:
                        name = key.replace("-", "_") if renamed else crate.name
                        yield name, Dependency(crate, table == _FOR_TESTS)
        if own.root is not None:
            yield own.name, Dependency(own, is_for_tests=False)

    def _shared_by(self, folder: str) -> dict[str, Json]:
        """Return the dependencies that the workspace around a crate declares for its members."""
        spaces = (
            as_object(self._at[it].manifest.get("workspace"))
            for it in upwards(folder)
            if it in self._at
        )
        return next((as_object(it.get("dependencies")) for it in spaces if it), {})


def _read(project: ProjectFiles, folder: str) -> dict[str, Json]:
    data = project.read(within(folder, "Cargo.toml"))
    try:
        return as_object(parse_toml(data.decode(errors="replace"))) if data is not None else {}
    except NotToml:
        return {}
