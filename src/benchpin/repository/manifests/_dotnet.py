"""Projects of .NET: `*.csproj` and its kin, central versions, packages.config."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._manifest import DeclaredDependency, ManifestText, PackageManifest, XmlReading, parse_xml

CENTRAL = "Directory.Packages.props"
_REFERENCES = frozenset({"PackageReference", "GlobalPackageReference", "package"})


@dataclass(slots=True)
class _Reading(XmlReading):
    """What was read so far."""

    path: list[str] = field(default_factory=list)
    text: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Properties of the project, by the name of the element."""
    references: list[tuple[dict[str, str], int]] = field(default_factory=list)
    central: list[dict[str, str]] = field(default_factory=list)

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if name in _REFERENCES and not attributes.keys().isdisjoint({"Include", "id"}):
            self.references.append((dict(attributes), line))
        elif name == "PackageVersion" and "Include" in attributes:
            self.central.append(dict(attributes))

    def ended(self, name: str, line: int) -> None:  # noqa: ARG002 - versions have no place
        around = self.path[-2] if len(self.path) > 1 else ""
        value = self.text.strip()
        if around == "PackageReference" and self.references:
            self.references[-1][0].setdefault(name, value)  # <Version> as an element
        elif around == "PropertyGroup" and value:
            self.values.setdefault(name, value)


def read_project(path: str, text: str) -> PackageManifest:
    """Read a project or a file of central versions.

    Raises:
        ManifestError: when it is not XML, or declares entities.
    """
    found, source = _Reading(), ManifestText("dotnet", path, text)
    parse_xml(text, found)
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
