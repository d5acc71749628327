"""Manifests of all ecosystems: one reader each, chosen by the name of the file."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._manifest import DamagedManifest, DeclaredDependency, PackageManifest, RepositoryCommand
    from ._reading import complete, is_manifest, is_unread, read_manifest

__all__ = [
    "DamagedManifest",
    "DeclaredDependency",
    "PackageManifest",
    "RepositoryCommand",
    "complete",
    "is_manifest",
    "is_unread",
    "read_manifest",
]

__getattr__ = lazy(__name__)
