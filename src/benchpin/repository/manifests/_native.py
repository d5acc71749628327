"""Dependencies of C and C++ from package managers: vcpkg.json, conanfile.txt."""

import re

from ._manifest import DependencyKind, ManifestText, PackageManifest, table, text_or_none
from ._package_json import read_json

_CONAN = re.compile(r"^\s*(?P<name>[A-Za-z0-9_][\w.+-]*)/(?P<version>[^@#\s]+)")


def read_vcpkg(path: str, text: str) -> PackageManifest:
    """Read a vcpkg.json.

    Raises:
        ManifestError: when it is not a JSON object.
    """
    document = read_json(text)
    source = ManifestText("cpp", path, text)
    wanted = document.get("dependencies")
    found = []
    at = source.find('"dependencies"')
    for entry in wanted if isinstance(wanted, list) else ():
        fields = table(entry)
        name = text_or_none(entry) or text_or_none(fields.get("name"))
        if name is not None:
            kind: DependencyKind = "build" if fields.get("host") is True else "direct"
            least = text_or_none(fields.get("version>="))
            found.append(source.dependency(name, least, kind, source.find(f'"{name}"', after=at)))
    version = next((it for key, it in document.items() if key.startswith("version")), None)
    return PackageManifest(
        ecosystem="cpp",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(version),
        licence=text_or_none(document.get("license")),
        dependencies=tuple(found),
    )


def read_conanfile(path: str, text: str) -> PackageManifest:
    """Read a conanfile.txt: its sections of what is required."""
    source, found = ManifestText("cpp", path, text), []
    section = ""
    for number, line in source.numbered_lines():
        if line.startswith("["):
            section = line.strip().strip("[]")
        match = _CONAN.match(line)
        if match is not None and section.endswith("requires"):
            kind: DependencyKind = "direct" if section == "requires" else "build"
            found.append(source.dependency(match["name"], match["version"], kind, number))
    return PackageManifest(ecosystem="cpp", path=path, dependencies=tuple(found))
