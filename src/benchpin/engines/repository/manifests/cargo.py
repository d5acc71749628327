"""Cargo.toml: dependencies for all targets, workspaces and binaries."""

from collections.abc import Iterator

from .model import (
    Command,
    Dependency,
    DependencyKind,
    Lines,
    Manifest,
    Table,
    table,
    text_or_none,
    texts,
)
from .toml import read_toml

_SECTIONS: dict[str, DependencyKind] = {
    "dependencies": "direct",
    "dev-dependencies": "dev",
    "build-dependencies": "build",
}


def read(path: str, text: str) -> Manifest:
    """Read a Cargo.toml.

    Raises:
        Damaged: when it is no TOML.
    """
    document, lines = read_toml(text), Lines(text)
    package, space = table(document.get("package")), table(document.get("workspace"))
    found = list(_sections(document, "", lines, path))
    for target, content in table(document.get("target")).items():
        found += _sections(table(content), f"target.{target}.", lines, path)
    at = lines.find("[workspace.dependencies]")
    found += _keyed(table(space.get("dependencies")), "direct", lines, at, path)
    members = (*texts(space.get("members")), *(f"!{it}" for it in texts(space.get("exclude"))))
    shared = table(space.get("package"))
    return Manifest(
        ecosystem="rust",
        path=path,
        name=text_or_none(package.get("name")),
        version=_own_or_shared(package.get("version"), shared.get("version")),
        licence=_own_or_shared(package.get("license"), shared.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, lines, path)),
        members=members,
        versions={
            name: version
            for name, value in table(space.get("dependencies")).items()
            if (version := _version(value)) is not None
        },
    )


def _version(value: object) -> str | None:
    """Return a version as it is written, or where else the code is from."""
    said = table(value)
    if said.get("workspace") is True:
        return "workspace"
    written = (value, said.get("version"), said.get("git"), said.get("path"))
    return next((text for it in written if (text := text_or_none(it)) is not None), None)


def _own_or_shared(own: object, shared: object) -> str | None:
    return text_or_none(shared if isinstance(own, dict) or own is None else own)


def _sections(holder: Table, prefix: str, lines: Lines, path: str) -> Iterator[Dependency]:
    for section, kind in _SECTIONS.items():
        quoted = prefix.replace("target.", "target.'", 1).removesuffix(".") + "'."
        at = lines.find(f"[{prefix}{section}", f"[{quoted}{section}", f'"].{section}')
        yield from _keyed(table(holder.get(section)), kind, lines, at, path)


def _keyed(
    wanted: Table, kind: DependencyKind, lines: Lines, after: int, path: str
) -> Iterator[Dependency]:
    for name, value in wanted.items():
        said = table(value)
        own: DependencyKind = "optional" if said.get("optional") is True else kind
        line = lines.find_table(name, after - 1) or lines.find_name(name, after - 1)
        yield Dependency(
            name=text_or_none(said.get("package")) or name,
            version=_version(value),
            kind=own,
            ecosystem="rust",
            path=path,
            line=line,
        )


def _commands(document: Table, lines: Lines, path: str) -> Iterator[Command]:
    programs = document.get("bin")
    for program in programs if isinstance(programs, list) else []:
        name = text_or_none(table(program).get("name"))
        if name is not None:
            line = lines.find(f'"{name}"', after=lines.find("[[bin]]"))
            is_main = name == table(document.get("package")).get("name")
            custom = "src/main.rs" if is_main else f"src/bin/{name}.rs"
            runs = text_or_none(table(program).get("path")) or custom
            yield Command(name=name, runs=runs, kind="executable", path=path, line=line)
