"""pyproject.toml: the standard tables, dependency groups, Poetry, PDM and uv."""

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
    texts,
)

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:@\s*(?P<url>[^;\s]+)|(?P<version>[^;#]*))"
)
_DEV_GROUP = re.compile(
    r"(?i)(?:^|[-_.])(?:dev|develop|development|tests?|testing|lint|docs?|typing)"
)


def requirement(written: str) -> tuple[str, str | None] | None:
    """Return the name and version of a PEP 508 requirement."""
    found = _REQUIREMENT.match(written)
    if found is None:
        return None
    version = found["url"] or (found["version"] or "").strip(" ()")
    return found["name"], version or None


def is_dev_group(name: str) -> bool:
    """Whether a group of requirements is for developers of the project."""
    return _DEV_GROUP.search(name) is not None


def read(path: str, text: str) -> PackageManifest:
    """Read a pyproject.toml.

    Raises:
        NotToml: when it is not TOML.
    """
    document = parse_toml(text)
    project, tools = table(document.get("project")), table(document.get("tool"))
    poetry = table(tools.get("poetry"))
    source = ManifestText("python", path, text)
    found = [*_standard(document, source), *_of_tools(tools, source)]
    licence = project.get("license", poetry.get("license"))
    return PackageManifest(
        ecosystem="python",
        path=path,
        name=text_or_none(project.get("name")) or text_or_none(poetry.get("name")),
        version=text_or_none(project.get("version")) or text_or_none(poetry.get("version")),
        licence=text_or_none(table(licence).get("text") if isinstance(licence, dict) else licence),
        dependencies=tuple(found),
        commands=tuple(_commands(project, poetry, source)),
        members=tuple(texts(table(table(tools.get("uv")).get("workspace")).get("members"))),
    )


def _standard(document: Table, source: ManifestText) -> Iterator[DeclaredDependency]:
    project = table(document.get("project"))
    at = source.find("[project]")
    yield from _listed(texts(project.get("dependencies")), "direct", source, at)
    for group, wanted in table(project.get("optional-dependencies")).items():
        kind: DependencyKind = "dev" if is_dev_group(group) else "optional"
        start = source.find(f"{group} =", f"{group}=", f'"{group}"')
        yield from _listed(texts(wanted), kind, source, start - 1)
    for group, wanted in table(document.get("dependency-groups")).items():
        start = source.find("[dependency-groups]")
        start = source.find(f"{group} =", f"{group}=", f'"{group}"', after=start)
        yield from _listed(texts(wanted), "dev", source, start - 1)
    build = texts(table(document.get("build-system")).get("requires"))
    yield from _listed(build, "build", source, source.find("[build-system]"))


def _of_tools(tools: Table, source: ManifestText) -> Iterator[DeclaredDependency]:
    poetry = table(tools.get("poetry"))
    at = source.find("[tool.poetry.dependencies]")
    yield from _keyed(table(poetry.get("dependencies")), "direct", source, at)
    at = source.find("[tool.poetry.dev-dependencies]")
    yield from _keyed(table(poetry.get("dev-dependencies")), "dev", source, at)
    for group, content in table(poetry.get("group")).items():
        wanted = table(table(content).get("dependencies"))
        at = source.find(f"[tool.poetry.group.{group}.dependencies]")
        yield from _keyed(wanted, "dev" if is_dev_group(group) else "optional", source, at)
    uv = texts(table(tools.get("uv")).get("dev-dependencies"))
    yield from _listed(uv, "dev", source, source.find("[tool.uv]"))
    for listed in table(table(tools.get("pdm")).get("dev-dependencies")).values():
        at = source.find("[tool.pdm.dev-dependencies]")
        yield from _listed(texts(listed), "dev", source, at)


def _listed(
    wanted: list[str], kind: DependencyKind, source: ManifestText, after: int
) -> Iterator[DeclaredDependency]:
    for written in wanted:
        parts = requirement(written)
        if parts is not None:
            line = source.find(f'"{written}"', f"'{written}'", written, after=after)
            after = line - 1
            yield source.dependency(*parts, kind, line)


def _keyed(
    wanted: Table, kind: DependencyKind, source: ManifestText, after: int
) -> Iterator[DeclaredDependency]:
    for name, value in wanted.items():
        if name != "python":
            fields = table(value)
            version = text_or_none(value) or text_or_none(fields.get("version", fields.get("git")))
            own: DependencyKind = "optional" if fields.get("optional") is True else kind
            yield source.dependency(name, version, own, source.find_name(name, after))


def _commands(project: Table, poetry: Table, source: ManifestText) -> Iterator[RepositoryCommand]:
    for header, scripts in (
        ("[project.scripts]", project.get("scripts")),
        ("[project.gui-scripts]", project.get("gui-scripts")),
        ("[tool.poetry.scripts]", poetry.get("scripts")),
    ):
        for name, value in table(scripts).items():
            if isinstance(value, str):
                line = source.find_name(name, source.find(header))
                yield source.command(name, "executable", value, line)
