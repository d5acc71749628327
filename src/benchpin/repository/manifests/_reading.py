"""Manifests of all ecosystems: one reader each, chosen by the name of the file."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from benchpin.repository.packing import redact, without_user
from benchpin.system.formats import NotToml

from ._builds import read_sbt, read_swift
from ._cargo import read_cargo
from ._cmake import read_cmake
from ._dotnet import CENTRAL, read_project
from ._gemfile import read_gemfile, read_gemspec
from ._go_mod import read_go_mod
from ._jvm import CATALOGUE, read_build, read_catalogue, read_pom, read_settings
from ._manifest import DamagedManifest, DeclaredDependency, ManifestError, PackageManifest
from ._native import read_conanfile, read_vcpkg
from ._package_json import read_composer, read_package_json
from ._python import read_pipfile, read_pyproject, read_requirements
from ._setuptools import read_setup_cfg, read_setup_py

_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
# Ends cycles of parents.
_MAX_PARENTS = 16
_READERS: dict[str, Callable[[str, str], PackageManifest]] = {
    "CMakeLists.txt": read_cmake,
    "Cargo.toml": read_cargo,
    CENTRAL: read_project,
    "Gemfile": read_gemfile,
    "Package.swift": read_swift,
    "Pipfile": read_pipfile,
    "build.gradle": read_build,
    "build.gradle.kts": read_build,
    "build.sbt": read_sbt,
    "composer.json": read_composer,
    "conanfile.txt": read_conanfile,
    "go.mod": read_go_mod,
    CATALOGUE: read_catalogue,
    "package.json": read_package_json,
    "packages.config": read_project,
    "pom.xml": read_pom,
    "pyproject.toml": read_pyproject,
    "settings.gradle": read_settings,
    "settings.gradle.kts": read_settings,
    "setup.cfg": read_setup_cfg,
    "setup.py": read_setup_py,
    "vcpkg.json": read_vcpkg,
}
_ENDINGS: tuple[tuple[str | tuple[str, ...], Callable[[str, str], PackageManifest]], ...] = (
    (".gemspec", read_gemspec),
    ((".csproj", ".fsproj", ".vbproj"), read_project),
)
_REQUIREMENTS = re.compile(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.(?:txt|in))$"
)
_UNREAD = re.compile(
    r"(?:^|/)(?:mix\.exs|Podfile|conanfile\.py|environment\.ya?ml|project\.clj|rebar\.config"
    r"|pubspec\.yaml|WORKSPACE(?:\.bazel)?|MODULE\.bazel|build\.xml)$"
)


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
    central = {
        name: version
        for it in manifests
        if it.ecosystem == "dotnet"
        for name, version in it.versions.items()
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
                found.append(
                    _with(manifest, (one for it in wanted for one in _of_gradle(it, catalogue)))
                )
            case "dotnet":
                wanted = manifest.dependencies
                found.append(_with(manifest, (_of_dotnet(it, central) for it in wanted)))
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


def _of_gradle(
    dependency: DeclaredDependency, catalogue: Mapping[str, str]
) -> Iterator[DeclaredDependency]:
    """Yield what an alias of the catalogue means: a library, or those of a bundle."""
    is_bundle = dependency.name.startswith("libs.bundles.")
    aliases = catalogue.get(dependency.name, "").split() if is_bundle else [dependency.name]
    for alias in aliases or [dependency.name]:
        written = catalogue.get(alias)
        if written is None or alias.startswith("libs.bundles."):
            yield dependency
            continue
        group, _, rest = written.partition(":")
        name, _, version = rest.partition(":")
        update = {"name": f"{group}:{name}", "version": version or dependency.version}
        yield dependency.model_copy(update=update)


def _of_dotnet(dependency: DeclaredDependency, central: Mapping[str, str]) -> DeclaredDependency:
    version = dependency.version or central.get(dependency.name)
    return dependency.model_copy(update={"version": version})


def _of_cargo(dependency: DeclaredDependency, shared: Mapping[str, str]) -> DeclaredDependency:
    is_shared = dependency.version == "workspace"
    return (
        dependency.model_copy(update={"version": shared.get(dependency.name, dependency.version)})
        if is_shared
        else dependency
    )


def is_unread(path: str) -> bool:
    """Whether a file is a manifest of an ecosystem without a reader, by its name."""
    return _UNREAD.search(path) is not None


def is_manifest(path: str) -> bool:
    """Whether a file is a manifest that can be read, by its name."""
    return _reader(path) is not None


def read_manifest(path: str, data: bytes) -> PackageManifest | DamagedManifest:
    """Read a manifest; a damaged one says why it cannot be read."""
    reader = _reader(path)
    if reader is None:
        return DamagedManifest(path=path, line=None, reason="not a known manifest")
    try:
        return _without_secrets(reader(path, data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return DamagedManifest(path=path, line=line, reason="not UTF-8")
    except NotToml as error:
        return DamagedManifest(path=path, line=error.line, reason=f"not TOML: {error}")
    except ManifestError as damage:
        return DamagedManifest(path=path, line=damage.line, reason=damage.reason)


def _without_secrets(manifest: PackageManifest) -> PackageManifest:
    """Remove keys and passwords from the texts of a manifest."""

    def clean(text: str) -> str:
        return redact(without_user(text), manifest.path)

    return replace(
        manifest,
        dependencies=tuple(
            it.model_copy(
                update={"name": clean(it.name), "version": it.version and clean(it.version)}
            )
            for it in manifest.dependencies
        ),
        commands=tuple(it.model_copy(update={"runs": clean(it.runs)}) for it in manifest.commands),
    )


def _reader(path: str) -> Callable[[str, str], PackageManifest] | None:
    name = path.rpartition("/")[2]
    if name in _READERS:
        return _READERS[name]
    for endings, reader in _ENDINGS:
        if name.endswith(endings):
            return reader
    is_listed = name.endswith((".txt", ".in")) and _REQUIREMENTS.search(path)
    return read_requirements if is_listed else None
