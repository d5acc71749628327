"""Manifests of all ecosystems: one reader each, chosen by the name of the file."""

import re
from collections.abc import Callable
from dataclasses import replace

from benchpin.repository.packing import redact, without_user
from benchpin.system.formats import NotToml

from . import (
    _cargo as cargo,
)
from . import (
    _cmake as cmake,
)
from . import (
    _composer as composer,
)
from . import (
    _gemfile as gemfile,
)
from . import (
    _go_mod as go_mod,
)
from . import (
    _gradle as gradle,
)
from . import (
    _maven as maven,
)
from . import (
    _node as node,
)
from . import (
    _pyproject as pyproject,
)
from . import (
    _requirements as requirements,
)
from ._completion import complete
from ._manifest import (
    DamagedManifest,
    DeclaredDependency,
    ManifestError,
    PackageManifest,
    RepositoryCommand,
)

__all__ = [
    "DamagedManifest",
    "DeclaredDependency",
    "PackageManifest",
    "RepositoryCommand",
    "complete",
    "is_manifest",
    "read_manifest",
]

_READERS: dict[str, Callable[[str, str], PackageManifest]] = {
    "CMakeLists.txt": cmake.read,
    "Cargo.toml": cargo.read,
    "Gemfile": gemfile.read_gemfile,
    "build.gradle": gradle.read_build,
    "build.gradle.kts": gradle.read_build,
    "composer.json": composer.read,
    "go.mod": go_mod.read,
    gradle.CATALOGUE: gradle.read_catalogue,
    "package.json": node.read,
    "pom.xml": maven.read,
    "pyproject.toml": pyproject.read,
    "settings.gradle": gradle.read_settings,
    "settings.gradle.kts": gradle.read_settings,
}
_REQUIREMENTS = re.compile(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.(?:txt|in))$"
)


_UNREAD = re.compile(
    r"(?:^|/)(?:[^/]+\.(?:cs|fs|vb)proj|Package\.swift|build\.sbt|mix\.exs|Podfile"
    r"|conanfile\.(?:py|txt)|vcpkg\.json)$"
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
    if name.endswith(".gemspec"):
        return gemfile.read_gemspec
    is_listed = name.endswith((".txt", ".in")) and _REQUIREMENTS.search(path)
    return requirements.read if is_listed else None
