"""Cargo.toml: dependencies of all targets, workspaces and binaries."""

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
    texts,
)

_SECTIONS: dict[str, DependencyKind] = {
    "dependencies": "direct",
    "dev-dependencies": "dev",
    "build-dependencies": "build",
}


def read_cargo(path: str, text: str) -> PackageManifest:
    """Read a Cargo.toml.

    Raises:
        NotToml: when it is not TOML.
    """
    document, source = parse_toml(text), ManifestText("rust", path, text)
    package, workspace = table(document.get("package")), table(document.get("workspace"))
    found = list(_sections(document, "", source))
    for target, content in table(document.get("target")).items():
        found += _sections(table(content), f"target.{target}.", source)
    at = source.find("[workspace.dependencies]")
    shared_dependencies = table(workspace.get("dependencies"))
    found += _keyed(shared_dependencies, "direct", source, at)
    excluded = (f"!{it}" for it in texts(workspace.get("exclude")))
    shared = table(workspace.get("package"))
    return PackageManifest(
        ecosystem="rust",
        path=path,
        name=text_or_none(package.get("name")),
        version=_own_or_shared(package.get("version"), shared.get("version")),
        licence=_own_or_shared(package.get("license"), shared.get("license")),
        dependencies=tuple(found),
        commands=tuple(_commands(document, source)),
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


def _sections(holder: Table, prefix: str, source: ManifestText) -> Iterator[DeclaredDependency]:
    for section, kind in _SECTIONS.items():
        quoted = prefix.replace("target.", "target.'", 1).removesuffix(".") + "'."
        at = source.find(f"[{prefix}{section}", f"[{quoted}{section}", f'"].{section}')
        yield from _keyed(table(holder.get(section)), kind, source, at)


def _keyed(
    wanted: Table, kind: DependencyKind, source: ManifestText, after: int
) -> Iterator[DeclaredDependency]:
    for key, value in wanted.items():
        fields = table(value)
        own: DependencyKind = "optional" if fields.get("optional") is True else kind
        line = source.find_table(key, after - 1) or source.find_name(key, after - 1)
        name = text_or_none(fields.get("package")) or key
        yield source.dependency(name, _version(value), own, line)


def _commands(document: Table, source: ManifestText) -> Iterator[RepositoryCommand]:
    programs = document.get("bin")
    for program in programs if isinstance(programs, list) else []:
        name = text_or_none(table(program).get("name"))
        if name is not None:
            line = source.find(f'"{name}"', after=source.find("[[bin]]"))
            is_main = name == table(document.get("package")).get("name")
            default = "src/main.rs" if is_main else f"src/bin/{name}.rs"
            runs = text_or_none(table(program).get("path")) or default
            yield source.command(name, "executable", runs, line)
