"""Gradle builds, line by line: they are programs, and none of them is run; and the catalogue.

`libs.junit` in a build is an alias in `gradle/libs.versions.toml`; `complete` resolves it when all
manifests are read.
"""

import re
from collections.abc import Iterator

from benchpin.system.formats import parse_toml

from ._manifest import (
    DeclaredDependency,
    DependencyKind,
    ManifestText,
    PackageManifest,
    RepositoryCommand,
    Table,
    table,
    text_or_none,
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
    r"|(?<![\w.])libs\.(?P<alias>[\w.]+?)(?:\.get\(\)|\))"
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
    return PackageManifest(
        ecosystem="gradle",
        path=path,
        versions={
            "libs." + re.sub("[-_]", ".", alias): written
            for alias, value in libraries.items()
            if (written := _library(value, versions)) is not None
        },
    )


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
