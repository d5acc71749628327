"""Projects of .NET: `*.csproj` and its kin, central versions, packages.config.

Expat reads no other files. A document that declares entities is refused: MSBuild does not need
them, and nested entities can expand a small file to gigabytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from ._manifest import DeclaredDependency, ManifestError, ManifestText, PackageManifest

CENTRAL = "Directory.Packages.props"
_REFERENCES = frozenset({"PackageReference", "GlobalPackageReference", "package"})
# Deeper nesting is an attack, not a project.
_MAX_DEPTH = 64


@dataclass(slots=True)
class _Reading:
    """The state of the parser, and what was read so far."""

    path: list[str] = field(default_factory=list)
    text: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Properties of the project, by the name of the element."""
    references: list[tuple[dict[str, str], int]] = field(default_factory=list)
    central: list[dict[str, str]] = field(default_factory=list)


def read_project(path: str, text: str) -> PackageManifest:
    """Read a project or a file of central versions.

    Raises:
        ManifestError: when it is not XML, or declares entities.
    """
    found, source = _parse(text), ManifestText("dotnet", path, text)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    is_project = path.endswith("proj")
    name = found.values.get("PackageId") or found.values.get("AssemblyName") or stem
    return PackageManifest(
        ecosystem="dotnet",
        path=path,
        name=name if is_project else None,
        version=found.values.get("Version") if is_project else None,
        licence=found.values.get("PackageLicenseExpression"),
        dependencies=tuple(_dependency(it, line, source) for it, line in found.references),
        versions={it["Include"]: it["Version"] for it in found.central if "Version" in it},
    )


def _dependency(fields: Mapping[str, str], line: int, source: ManifestText) -> DeclaredDependency:
    name = fields.get("Include") or fields.get("id") or "?"
    version = fields.get("Version") or fields.get("VersionOverride") or fields.get("version")
    # Tools of the build are kept from those who use the package in this way.
    is_private = fields.get("PrivateAssets", "").lower() == "all"
    return source.dependency(name, version, "build" if is_private else "direct", line)


def _end_element(found: _Reading, name: str) -> None:
    around = found.path[-1] if found.path else ""
    value, found.text = found.text.strip(), ""
    if around == "PackageReference" and found.references:
        found.references[-1][0].setdefault(name, value)  # <Version> as an element
    elif around == "PropertyGroup" and value:
        found.values.setdefault(name, value)


def _parse(text: str) -> _Reading:
    found = _Reading()
    parser = expat.ParserCreate(encoding="utf-8")

    def refuse(*_declared: object) -> None:
        raise ManifestError("declares an entity, which is not read", parser.CurrentLineNumber)

    def start(name: str, attributes: dict[str, str]) -> None:
        found.path.append(name)
        found.text = ""
        if len(found.path) > _MAX_DEPTH:
            raise ManifestError("nested too deep", parser.CurrentLineNumber)
        if name in _REFERENCES and not attributes.keys().isdisjoint({"Include", "id"}):
            found.references.append((dict(attributes), parser.CurrentLineNumber))
        elif name == "PackageVersion" and "Include" in attributes:
            found.central.append(dict(attributes))

    def end(name: str) -> None:
        found.path.pop()
        _end_element(found, name)

    def characters(data: str) -> None:
        found.text += data

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ManifestError(f"not XML: {expat.ErrorString(error.code)}", error.lineno) from error
    return found
