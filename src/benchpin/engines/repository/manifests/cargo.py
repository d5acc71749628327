"""Cargo.toml: dependencies of all targets, workspaces and binaries."""

from collections.abc import Iterator

from benchpin.engines.toml import parse_toml

from .manifest import (
    Command,
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
    "dev-dependencies": "dev",
    "build-dependencies": "build",
}


def read(path: str, text: str) -> Manifest:
    """Read a Cargo.toml.

    Raises:
        NotToml: when it is not TOML.
    """
    document, lines, origin = parse_toml(text), Lines(text), Origin("rust", path)
    package, workspace = table(document.get("package")), table(document.get("workspace"))
    found = list(_sections(document, "", lines, origin))
    for target, content in table(document.get("target")).items():
        found += _sections(table(content), f"target.{target}.", lines, origin)
    at = lines.find("[workspace.dependencies]")
    shared_dependencies = table(workspace.get("dependencies"))
    found += _keyed(shared_dependencies, "direct", lines, at, origin)
    excluded = (f"!{it}" for it in texts(workspace.get("exclude")))
    shared = table(workspace.get("package"))
    return Manifest(
        ecosystem="rust",
        path=path,
        name=text_or_none(package.get("name")),
        version=_own_or_shared(package.get("version"), shared.get("version")),
        licence=_own_or_shared(package.get("license"), shared.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, lines, origin)),
        members=(*texts(workspace.get("members")), *excluded),
        versions={
            name: version
            for name, value in shared_dependencies.items()
            if (version := _version(value)) is not None
        },
    )


def _version(value: object) -> str | None:
    """Return a version as written, or the repository or path of the code."""
    fields = table(value)
    if fields.get("workspace") is True:
        return "workspace"
    written = (value, fields.get("version"), fields.get("git"), fields.get("path"))
    return next((text for it in written if (text := text_or_none(it)) is not None), None)


def _own_or_shared(own: object, shared: object) -> str | None:
    return text_or_none(shared if isinstance(own, dict) or own is None else own)


def _sections(holder: Table, prefix: str, lines: Lines, origin: Origin) -> Iterator[Dependency]:
    for section, kind in _SECTIONS.items():
        quoted = prefix.replace("target.", "target.'", 1).removesuffix(".") + "'."
        at = lines.find(f"[{prefix}{section}", f"[{quoted}{section}", f'"].{section}')
        yield from _keyed(table(holder.get(section)), kind, lines, at, origin)


def _keyed(
    wanted: Table, kind: DependencyKind, lines: Lines, after: int, origin: Origin
) -> Iterator[Dependency]:
    for key, value in wanted.items():
        fields = table(value)
        own: DependencyKind = "optional" if fields.get("optional") is True else kind
        line = lines.find_table(key, after - 1) or lines.find_name(key, after - 1)
        name = text_or_none(fields.get("package")) or key
        yield origin.dependency(name, _version(value), own, line)


def _commands(document: Table, lines: Lines, origin: Origin) -> Iterator[Command]:
    programs = document.get("bin")
    for program in programs if isinstance(programs, list) else []:
        name = text_or_none(table(program).get("name"))
        if name is not None:
            line = lines.find(f'"{name}"', after=lines.find("[[bin]]"))
            is_main = name == table(document.get("package")).get("name")
            default = "src/main.rs" if is_main else f"src/bin/{name}.rs"
            runs = text_or_none(table(program).get("path")) or default
            yield origin.command(name, "executable", runs, line)
