"""package.json: dependencies of four kinds, scripts, executables and workspaces."""

import json
from collections.abc import Iterator

from ._manifest import (
    DeclaredDependency,
    DependencyKind,
    ManifestError,
    ManifestText,
    PackageManifest,
    RepositoryCommand,
    Table,
    table,
    text_or_none,
    texts,
)

_SECTIONS: dict[str, DependencyKind] = {
    "dependencies": "direct",
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}
# Conditions of `exports`, in the order of preference.
_CONDITIONS = ("import", "node", "module", "default", "require")
_MAX_CONDITION_DEPTH = 4


def read_composer(path: str, text: str) -> PackageManifest:
    """Read a composer.json.

    Raises:
        ManifestError: when it is not a JSON object.
    """
    document, source = read_json(text), ManifestText("php", path, text)
    licence = document.get("license")
    return PackageManifest(
        ecosystem="php",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(licence) or " OR ".join(texts(licence)) or None,
        dependencies=(
            *keyed(document.get("require"), "require", "direct", source),
            *keyed(document.get("require-dev"), "require-dev", "dev", source),
        ),
        commands=tuple(_composer_commands(document, source)),
    )


def _composer_commands(document: Table, source: ManifestText) -> Iterator[RepositoryCommand]:
    at = source.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        runs = value if isinstance(value, str) else " && ".join(texts(value))
        yield source.command(name, "script", runs, source.find(f'"{name}"', after=at))
    for program in texts(document.get("bin")):
        name = program.rpartition("/")[2]
        yield source.command(name, "executable", program, source.find(f'"{program}"'))


def read_json(text: str) -> Table:
    """Return a JSON object.

    Raises:
        ManifestError: when it is something else.
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise ManifestError(f"not JSON: {error.msg}", error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise ManifestError("not JSON: nested too deep, or a number too long") from error
    if not isinstance(document, dict):
        raise ManifestError("not a JSON object", 1)
    return document


def keyed(
    section: object, header: str, kind: DependencyKind, source: ManifestText
) -> Iterator[DeclaredDependency]:
    """Yield the dependencies of an object from names to versions."""
    line = source.find(f'"{header}"')
    for name, version in table(section).items():
        line = source.find(f'"{name}"', after=line - 1)
        yield source.dependency(name, text_or_none(version), kind, line)


def read_package_json(path: str, text: str) -> PackageManifest:
    """Read a package.json.

    Raises:
        ManifestError: when it is not a JSON object.
    """
    document, source = read_json(text), ManifestText("node", path, text)
    found = [
        dependency
        for header, kind in _SECTIONS.items()
        for dependency in keyed(document.get(header), header, kind, source)
    ]
    workspaces = document.get("workspaces")
    members = texts(workspaces) or texts(table(workspaces).get("packages"))
    return PackageManifest(
        ecosystem="node",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(document.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, source)),
        members=tuple(members),
    )


def _commands(document: Table, source: ManifestText) -> Iterator[RepositoryCommand]:
    at = source.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        if isinstance(value, str):
            yield source.command(name, "script", value, source.find(f'"{name}"', after=at))
    programs = document.get("bin")
    if isinstance(programs, str):
        programs = {str(document.get("name", "")).rpartition("/")[2]: programs}
    at = source.find('"bin"')
    for name, value in table(programs).items():
        if isinstance(value, str) and name:
            line = source.find(f'"{name}"', after=at - 1)
            yield source.command(name, "executable", value, line)
    main = _main(document)
    if main is not None:
        key, runs = main
        name = str(document.get("name", "")) or "."
        yield source.command(name, "library", runs, source.find(f'"{key}"'))


def _main(document: Table) -> tuple[str, str] | None:
    """Return the field that declares the main module of the package, and its value."""
    exported = document.get("exports")
    if isinstance(exported, dict):
        exported = exported.get(".", exported)
    for _ in range(_MAX_CONDITION_DEPTH):
        if not isinstance(exported, dict):
            break
        exported = next((exported[it] for it in _CONDITIONS if it in exported), None)
    if isinstance(exported, str):
        return "exports", exported
    return next(
        ((it, main) for it in ("module", "main") if (main := text_or_none(document.get(it)))), None
    )
