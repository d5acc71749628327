"""package.json: dependencies of four kinds, scripts, executables and workspaces."""

import json
from collections.abc import Iterator

from .manifest import (
    Command,
    Damaged,
    Dependency,
    DependencyKind,
    Lines,
    Manifest,
    Origin,
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
_CONDITIONS = ("import", "node", "module", "default", "require")
"""Conditions of `exports`, in the order of preference."""
_DEEPEST_CONDITIONS = 4


def read_json(text: str) -> Table:
    """Return a JSON object.

    Raises:
        Damaged: when it is something else.
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise Damaged(f"not JSON: {error.msg}", error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise Damaged("not JSON: nested too deep, or a number too long") from error
    if not isinstance(document, dict):
        raise Damaged("not a JSON object", 1)
    return document


def keyed(
    section: object, header: str, kind: DependencyKind, lines: Lines, origin: Origin
) -> Iterator[Dependency]:
    """Yield the dependencies of an object from names to versions."""
    line = lines.find(f'"{header}"')
    for name, version in table(section).items():
        line = lines.find(f'"{name}"', after=line - 1)
        yield origin.dependency(name, text_or_none(version), kind, line)


def read(path: str, text: str) -> Manifest:
    """Read a package.json.

    Raises:
        Damaged: when it is not a JSON object.
    """
    document, lines, origin = read_json(text), Lines(text), Origin("node", path)
    found = [
        dependency
        for header, kind in _SECTIONS.items()
        for dependency in keyed(document.get(header), header, kind, lines, origin)
    ]
    workspaces = document.get("workspaces")
    members = texts(workspaces) or texts(table(workspaces).get("packages"))
    return Manifest(
        ecosystem="node",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(document.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, lines, origin)),
        members=tuple(members),
    )


def _commands(document: Table, lines: Lines, origin: Origin) -> Iterator[Command]:
    at = lines.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        if isinstance(value, str):
            yield origin.command(name, "script", value, lines.find(f'"{name}"', after=at))
    programs = document.get("bin")
    if isinstance(programs, str):
        programs = {str(document.get("name", "")).rpartition("/")[2]: programs}
    at = lines.find('"bin"')
    for name, value in table(programs).items():
        if isinstance(value, str) and name:
            line = lines.find(f'"{name}"', after=at - 1)
            yield origin.command(name, "executable", value, line)
    main = _main(document)
    if main is not None:
        key, runs = main
        name = str(document.get("name", "")) or "."
        yield origin.command(name, "library", runs, lines.find(f'"{key}"'))


def _main(document: Table) -> tuple[str, str] | None:
    """Return the field that declares the main module of the package, and its value."""
    exported = document.get("exports")
    if isinstance(exported, dict):
        exported = exported.get(".", exported)
    for _ in range(_DEEPEST_CONDITIONS):
        if not isinstance(exported, dict):
            break
        exported = next((exported[it] for it in _CONDITIONS if it in exported), None)
    if isinstance(exported, str):
        return "exports", exported
    return next(
        ((it, main) for it in ("module", "main") if (main := text_or_none(document.get(it)))), None
    )
