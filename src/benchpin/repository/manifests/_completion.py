"""Fill in versions that a manifest takes from another one of the same repository.

These are Maven's parents and imported lists, Gradle's catalogue and Cargo's workspace. What no
manifest defines stays as written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ._manifest import DeclaredDependency, PackageManifest

_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
# Ends cycles of parents.
_MAX_PARENTS = 16


def complete(manifests: Sequence[PackageManifest]) -> list[PackageManifest]:
    """Return manifests with the versions that others of them define."""
    by_name = {it.name: it for it in manifests if it.ecosystem == "java" and it.name}
    catalogue = {
        alias: written
        for it in manifests
        if it.ecosystem == "gradle"
        for alias, written in it.versions.items()
    }
    workspaces = {
        it.folder: it.versions for it in manifests if it.ecosystem == "rust" and it.versions
    }
    found = []
    for manifest in manifests:
        match manifest.ecosystem:
            case "java":
                known = _inherited(manifest, by_name)
                found.append(
                    _with(manifest, (_of_maven(it, known) for it in manifest.dependencies))
                )
            case "gradle":
                wanted = manifest.dependencies
                found.append(_with(manifest, (_of_gradle(it, catalogue) for it in wanted)))
            case "rust":
                above = (it for it in _above(manifest.folder) if it in workspaces)
                shared = next((workspaces[it] for it in above), {})
                wanted = manifest.dependencies
                found.append(_with(manifest, (_of_cargo(it, shared) for it in wanted)))
            case _:
                found.append(manifest)
    return found


def _with(manifest: PackageManifest, dependencies: Iterable[DeclaredDependency]) -> PackageManifest:
    return replace(manifest, dependencies=tuple(dependencies))


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and those that contain it, each with a trailing slash, the nearest first."""
    while folder:
        yield folder
        folder = folder.rstrip("/").rpartition("/")[0]
        folder += "/" if folder else ""
    yield ""


def _inherited(manifest: PackageManifest, by_name: Mapping[str, PackageManifest]) -> dict[str, str]:
    """Return the versions and properties that apply in a Maven manifest; its own win."""
    line: list[PackageManifest] = []
    current: PackageManifest | None = manifest
    while current is not None and len(line) < _MAX_PARENTS:
        line.append(current)
        current = by_name.get(current.parent) if current.parent else None
    known: dict[str, str] = {}
    for ancestor in reversed(line):
        known |= ancestor.versions
    imported = [by_name[it] for it in known if f"import {it}" in known and it in by_name]
    for bill in imported:
        known = dict(bill.versions) | known
    return known


def _of_maven(dependency: DeclaredDependency, known: Mapping[str, str]) -> DeclaredDependency:
    name = _filled(dependency.name, known)
    version = dependency.version or known.get(name)
    return dependency.model_copy(
        update={"name": name, "version": None if version is None else _filled(version, known)}
    )


def _filled(text: str, known: Mapping[str, str]) -> str:
    """Substitute properties; unknown ones stay as written."""
    for _ in range(3):  # a property may refer to another one
        text = _PROPERTY.sub(lambda it: known.get(it[0]) or it[0], text)
    return text


def _of_gradle(dependency: DeclaredDependency, catalogue: Mapping[str, str]) -> DeclaredDependency:
    written = catalogue.get(dependency.name)
    if written is None:
        return dependency
    group, name, *version = written.split(":", 2)
    return dependency.model_copy(
        update={"name": f"{group}:{name}", "version": version[0] if version else dependency.version}
    )


def _of_cargo(dependency: DeclaredDependency, shared: Mapping[str, str]) -> DeclaredDependency:
    is_shared = dependency.version == "workspace"
    return (
        dependency.model_copy(update={"version": shared.get(dependency.name, dependency.version)})
        if is_shared
        else dependency
    )
