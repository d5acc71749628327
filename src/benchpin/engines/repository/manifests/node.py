"""package.json: dependencies of four kinds, scripts, executables and workspaces."""

import json
from collections.abc import Iterator

from .model import (
    Command,
    Damaged,
    Dependency,
    DependencyKind,
    Lines,
    Manifest,
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
_DEEPEST_CONDITIONS = 4


def read_json(text: str) -> Table:
    """Return a JSON object.

    Raises:
        Damaged: when it is none.
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
    section: object, header: str, kind: DependencyKind, ecosystem: str, lines: Lines, path: str
) -> Iterator[Dependency]:
    """Give the dependencies of an object from names to versions."""
    line = lines.find(f'"{header}"')
    for name, version in table(section).items():
        line = lines.find(f'"{name}"', after=line - 1)
        yield Dependency(
            name=name,
            version=text_or_none(version),
            kind=kind,
            ecosystem=ecosystem,
            path=path,
            line=line,
        )


def read(path: str, text: str) -> Manifest:
    """Read a package.json.

    Raises:
        Damaged: when it is no JSON object.
    """
    document, lines = read_json(text), Lines(text)
    found = [
        dependency
        for header, kind in _SECTIONS.items()
        for dependency in keyed(document.get(header), header, kind, "node", lines, path)
    ]
    spaces = document.get("workspaces")
    members = texts(spaces) or texts(table(spaces).get("packages"))
    return Manifest(
        ecosystem="node",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(document.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, lines, path)),
        members=tuple(members),
    )


def _commands(document: Table, lines: Lines, path: str) -> Iterator[Command]:
    at = lines.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        if isinstance(value, str):
            line = lines.find(f'"{name}"', after=at)
            yield Command(name=name, runs=value, kind="script", path=path, line=line)
    programs = document.get("bin")
    if isinstance(programs, str):
        programs = {str(document.get("name", "")).rpartition("/")[2]: programs}
    at = lines.find('"bin"')
    for name, value in table(programs).items():
        if isinstance(value, str) and name:
            line = lines.find(f'"{name}"', after=at - 1)
            yield Command(name=name, runs=value, kind="executable", path=path, line=line)
    main = _main(document)
    if main is not None:
        key, runs = main
        name = str(document.get("name", "")) or "."
        line = lines.find(f'"{key}"')
        yield Command(name=name, runs=runs, kind="library", path=path, line=line)


def _main(document: Table) -> tuple[str, str] | None:
    """Return the field that says what is imported by the name of the package, and what it says."""
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
        ((it, said) for it in ("module", "main") if (said := text_or_none(document.get(it)))), None
    )
