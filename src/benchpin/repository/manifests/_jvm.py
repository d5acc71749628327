"""pom.xml: dependencies with their scopes, modules, and versions from properties."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchpin.system.formats import parse_toml

from ._manifest import (
    DeclaredDependency,
    DependencyKind,
    ManifestText,
    PackageManifest,
    RepositoryCommand,
    Table,
    XmlReading,
    parse_xml,
    table,
    text_or_none,
    texts,
)

CATALOGUE = "libs.versions.toml"
_CONFIGURATION = re.compile(r"""^\s*+["']?+(?P<name>[A-Za-z]\w*+)["']?+[\s(]\s*+(?P<rest>.+)""")
_ROLES = tuple(
    """
    implementation Implementation api Api compile Compile compileOnly CompileOnly runtime Runtime
    runtimeOnly RuntimeOnly provided Provided processor Processor classpath detektPlugins
    DetektPlugins
    """.split()  # noqa: SIM905 - a table
)
_WRITTEN = re.compile(
    r"""["'](?P<name>[\w.-]++:[\w.-]++)(?::(?P<version>[^"'@:]++))?+[^"']*+["']"""
    # Kotlin has it in parentheses, Groovy need not; what is left out is no library.
    r"|(?<![\w.])libs\.(?P<alias>(?!versions\.|plugins\.)[\w.]+?)(?:\.get\(\)|(?=[\s),{]|$))"
)
_PLUGIN = re.compile(
    r"""^\s*+id\s*+\(?+\s*+["'](?P<name>[\w.-]++)["'](?:\s*+\))?+\s++version"""
    r"""\s*+\(?+\s*+["'](?P<version>[^"']++)"""
)
_MAIN = re.compile(r"""\bmainClass(?:Name)?(?:\.set\s*\(|\s*=)\s*["'](?P<name>[\w.$]+)["']""")
_INCLUDE = re.compile(r"""^\s*include\b(?!Build)(?P<rest>.*)""")
_QUOTED = re.compile(r"""["']([^"']+)["']""")
_ROOT_NAME = re.compile(r"""^[ \t]*+rootProject\.name\s*+=\s*+["']([^"']++)["']""", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?://|/?\*).*|\s//\s.*")
_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
_KINDS: dict[str, DependencyKind] = {"test": "dev", "provided": "build"}
_DEPENDENCY = ("project", "dependencies", "dependency")
_MANAGED = ("project", "dependencyManagement", "dependencies", "dependency")
_IN_PROFILE = ("project", "profiles", "profile", "dependencies", "dependency")


def read_build(path: str, text: str) -> PackageManifest:
    """Read a build.gradle or build.gradle.kts; a project has the name of its folder."""
    source = ManifestText("gradle", path, text)
    found: list[DeclaredDependency] = []
    commands: list[RepositoryCommand] = []
    for number, raw in source.numbered_lines():
        line = _COMMENT.sub("", raw)
        found += _dependencies(line, source, number)
        if (main := _MAIN.search(line)) is not None:
            name = main["name"].rpartition(".")[2]
            commands.append(source.command(name, "executable", main["name"], number))
    return PackageManifest(
        ecosystem="gradle",
        path=path,
        name=path.rpartition("/")[0].rpartition("/")[2] or None,
        dependencies=tuple(found),
        commands=tuple(commands),
    )


def _dependencies(line: str, source: ManifestText, number: int) -> Iterator[DeclaredDependency]:
    plugin = _PLUGIN.match(line)
    if plugin is not None:
        yield source.dependency(plugin["name"], plugin["version"], "build", number)
    configuration = _CONFIGURATION.match(line)
    if configuration is None or not _is_configuration(configuration["name"]):
        return
    for match in _WRITTEN.finditer(configuration["rest"]):
        name = match["name"] or f"libs.{match['alias']}"
        yield source.dependency(name, match["version"], _kind(configuration["name"]), number)


def _is_configuration(name: str) -> bool:
    """Whether this names a set of dependencies, such as `testImplementation` or `kaptTest`."""
    is_known = name.endswith(_ROLES) or "kapt" in name or "ksp" in name
    return name in _ROLES or (name[0].islower() and is_known)


def _kind(configuration: str) -> DependencyKind:
    name = configuration.lower()
    if "test" in name:
        return "dev"
    is_for_the_build = name.startswith(("kapt", "ksp", "classpath", "detekt"))
    is_build = is_for_the_build or name.endswith(("only", "provided", "processor"))
    return "build" if is_build and not name.endswith("runtimeonly") else "direct"


def read_settings(path: str, text: str) -> PackageManifest:
    """Read a settings.gradle or settings.gradle.kts: the projects of the build."""
    members = []
    is_open = False
    for _, raw in ManifestText("gradle", path, text).numbered_lines():
        line = _COMMENT.sub("", raw)
        include = _INCLUDE.match(line)
        rest = include["rest"] if include else line if is_open else ""
        members += [it.strip(":").replace(":", "/") for it in _QUOTED.findall(rest)]
        is_open = bool(rest) and rest.rstrip().endswith((",", "("))
    name = _ROOT_NAME.search(text)
    return PackageManifest(
        ecosystem="gradle", path=path, name=name[1] if name else None, members=tuple(members)
    )


def read_catalogue(path: str, text: str) -> PackageManifest:
    """Read a catalogue: the names and versions of libraries by alias; none is a dependency yet.

    Raises:
        NotToml: when it is not TOML.
    """
    document = parse_toml(text)
    versions = table(document.get("versions"))
    libraries = table(document.get("libraries"))
    bundles = table(document.get("bundles"))
    return PackageManifest(
        ecosystem="gradle",
        path=path,
        versions={
            _accessor(alias): written
            for alias, value in libraries.items()
            if (written := _library(value, versions)) is not None
        }
        | {
            _accessor(f"bundles.{alias}"): " ".join(map(_accessor, texts(members)))
            for alias, members in bundles.items()
        },
    )


def _accessor(alias: str) -> str:
    """Return how builds write an alias of the catalogue."""
    return "libs." + re.sub("[-_]", ".", alias)


def _library(value: object, versions: Table) -> str | None:
    """Return a library as `group:name:version`, or without a version if it has none."""
    if isinstance(value, str):
        return value
    fields = table(value)
    name = text_or_none(fields.get("module")) or f"{fields.get('group')}:{fields.get('name')}"
    version = fields.get("version")
    if isinstance(version, dict):
        version = versions.get(str(version.get("ref")), version)
    if isinstance(version, dict):
        version = next((it for it in version.values() if isinstance(it, str)), None)
    return f"{name}:{version}" if isinstance(version, str) else name


@dataclass(slots=True)
class _Reading(XmlReading):
    """What was read so far."""

    path: list[str] = field(default_factory=list)
    text: str = ""
    values: dict[tuple[str, ...], str] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    current_line: int = 0
    dependencies: list[tuple[dict[str, str], int]] = field(default_factory=list)
    managed: list[dict[str, str]] = field(default_factory=list)
    """Versions that are set for other manifests."""
    mains: dict[str, int] = field(default_factory=dict)
    """Main classes, with their lines."""
    properties: dict[str, str] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)
    licences: list[str] = field(default_factory=list)

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:  # noqa: ARG002 - the path has the name
        if tuple(self.path) in {_DEPENDENCY, _IN_PROFILE, _MANAGED}:
            self.current, self.current_line = {}, line

    def ended(self, name: str, line: int) -> None:  # noqa: ARG002 - the path has the name
        path, text = tuple(self.path), self.text.strip()
        if path in {_DEPENDENCY, _IN_PROFILE}:
            self.dependencies.append((self.current, self.current_line))
        elif path == _MANAGED:
            self.managed.append(self.current)
        elif path[:-1] in {_DEPENDENCY, _IN_PROFILE, _MANAGED}:
            self.current[path[-1]] = text
        elif path[:-1] == ("project", "properties"):
            self.properties[path[-1]] = text
        elif path[-1] == "mainClass" and text:
            self.mains.setdefault(text, line)
        elif path == ("project", "modules", "module"):
            self.modules.append(text)
        elif path == ("project", "licenses", "license", "name"):
            self.licences.append(text)
        elif text:
            self.values.setdefault(path, text)


def read_pom(path: str, text: str) -> PackageManifest:
    """Read a pom.xml.

    Raises:
        ManifestError: when it is not XML, or declares entities.
    """
    found, source = _Reading(), ManifestText("java", path, text)
    parse_xml(text, found)
    values = found.values
    version = values.get(("project", "version")) or values.get(("project", "parent", "version"))
    group = values.get(("project", "groupId")) or values.get(("project", "parent", "groupId"))
    properties = found.properties | {
        "project.version": version or "",
        "project.groupId": group or "",
        "project.parent.version": values.get(("project", "parent", "version"), ""),
    }
    artifact = values.get(("project", "artifactId"))
    parent = [values.get(("project", "parent", it)) for it in ("groupId", "artifactId")]
    return PackageManifest(
        ecosystem="java",
        path=path,
        name=f"{group}:{artifact}" if group and artifact else artifact,
        version=None if version is None else _filled(version, properties),
        licence=" OR ".join(found.licences) or None,
        dependencies=tuple(
            _dependency(it, line, properties, source) for it, line in found.dependencies
        ),
        commands=tuple(_commands(found, properties, source)),
        members=tuple(found.modules),
        versions=_versions(found, properties),
        parent=":".join(it for it in parent if it) or None,
    )


def _versions(found: _Reading, properties: Mapping[str, str]) -> dict[str, str]:
    """Return the versions by name and the properties as `${name}` that other manifests inherit.

    An imported list of versions has the additional key `import NAME`.
    """
    known = {f"${{{name}}}": value for name, value in properties.items() if value}
    for managed in found.managed:
        name = _filled(
            f"{managed.get('groupId', '?')}:{managed.get('artifactId', '?')}", properties
        )
        known[name] = _filled(managed.get("version", ""), properties)
        if managed.get("scope") == "import":
            known[f"import {name}"] = known[name]
    return known


def _commands(
    found: _Reading, properties: Mapping[str, str], source: ManifestText
) -> Iterator[RepositoryCommand]:
    for written, line in found.mains.items():
        runs = _filled(written, properties)
        name = runs.rpartition(".")[2]
        yield source.command(name, "executable", runs, line)


def _dependency(
    fields: Mapping[str, str], line: int, properties: Mapping[str, str], source: ManifestText
) -> DeclaredDependency:
    kind = _KINDS.get(fields.get("scope", ""), "direct")
    version = fields.get("version")
    return source.dependency(
        _filled(f"{fields.get('groupId', '?')}:{fields.get('artifactId', '?')}", properties),
        None if version is None else _filled(version, properties),
        "optional" if fields.get("optional") == "true" else kind,
        line,
    )


def _filled(text: str, properties: Mapping[str, str]) -> str:
    """Substitute known properties; unknown ones stay as written."""
    return _PROPERTY.sub(lambda it: properties.get(it[1]) or it[0], text)
