"""pyproject.toml: the standard tables, dependency groups, Poetry, PDM and uv."""

import re
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


def read(path: str, text: str) -> Manifest:
    """Read a pyproject.toml.

    Raises:
        NotToml: when it is not TOML.
    """
    document = parse_toml(text)
    project, tools = table(document.get("project")), table(document.get("tool"))
    poetry = table(tools.get("poetry"))
    lines, origin = Lines(text), Origin("python", path)
    found = [*_standard(document, lines, origin), *_of_tools(tools, lines, origin)]
    licence = project.get("license", poetry.get("license"))
    return Manifest(
        ecosystem="python",
        path=path,
        name=text_or_none(project.get("name")) or text_or_none(poetry.get("name")),
        version=text_or_none(project.get("version")) or text_or_none(poetry.get("version")),
        licence=text_or_none(table(licence).get("text") if isinstance(licence, dict) else licence),
        dependencies=tuple(found),
        commands=tuple(_commands(project, poetry, lines, origin)),
        members=tuple(texts(table(table(tools.get("uv")).get("workspace")).get("members"))),
    )


def _standard(document: Table, lines: Lines, origin: Origin) -> Iterator[Dependency]:
    project = table(document.get("project"))
    at = lines.find("[project]")
    yield from _listed(texts(project.get("dependencies")), "direct", lines, at, origin)
    for group, wanted in table(project.get("optional-dependencies")).items():
        kind: DependencyKind = "dev" if is_dev_group(group) else "optional"
        start = lines.find(f"{group} =", f"{group}=", f'"{group}"')
        yield from _listed(texts(wanted), kind, lines, start - 1, origin)
    for group, wanted in table(document.get("dependency-groups")).items():
        start = lines.find("[dependency-groups]")
        start = lines.find(f"{group} =", f"{group}=", f'"{group}"', after=start)
        yield from _listed(texts(wanted), "dev", lines, start - 1, origin)
    build = texts(table(document.get("build-system")).get("requires"))
    yield from _listed(build, "build", lines, lines.find("[build-system]"), origin)


def _of_tools(tools: Table, lines: Lines, origin: Origin) -> Iterator[Dependency]:
    poetry = table(tools.get("poetry"))
    at = lines.find("[tool.poetry.dependencies]")
    yield from _keyed(table(poetry.get("dependencies")), "direct", lines, at, origin)
    at = lines.find("[tool.poetry.dev-dependencies]")
    yield from _keyed(table(poetry.get("dev-dependencies")), "dev", lines, at, origin)
    for group, content in table(poetry.get("group")).items():
        wanted = table(table(content).get("dependencies"))
        at = lines.find(f"[tool.poetry.group.{group}.dependencies]")
        yield from _keyed(wanted, "dev" if is_dev_group(group) else "optional", lines, at, origin)
    uv = texts(table(tools.get("uv")).get("dev-dependencies"))
    yield from _listed(uv, "dev", lines, lines.find("[tool.uv]"), origin)
    for listed in table(table(tools.get("pdm")).get("dev-dependencies")).values():
        at = lines.find("[tool.pdm.dev-dependencies]")
        yield from _listed(texts(listed), "dev", lines, at, origin)


def _listed(
    wanted: list[str], kind: DependencyKind, lines: Lines, after: int, origin: Origin
) -> Iterator[Dependency]:
    for written in wanted:
        parts = requirement(written)
        if parts is not None:
            line = lines.find(f'"{written}"', f"'{written}'", written, after=after)
            after = line - 1
            yield origin.dependency(*parts, kind, line)


def _keyed(
    wanted: Table, kind: DependencyKind, lines: Lines, after: int, origin: Origin
) -> Iterator[Dependency]:
    for name, value in wanted.items():
        if name != "python":
            fields = table(value)
            version = text_or_none(value) or text_or_none(fields.get("version", fields.get("git")))
            own: DependencyKind = "optional" if fields.get("optional") is True else kind
            yield origin.dependency(name, version, own, lines.find_name(name, after))


def _commands(project: Table, poetry: Table, lines: Lines, origin: Origin) -> Iterator[Command]:
    for header, scripts in (
        ("[project.scripts]", project.get("scripts")),
        ("[project.gui-scripts]", project.get("gui-scripts")),
        ("[tool.poetry.scripts]", poetry.get("scripts")),
    ):
        for name, value in table(scripts).items():
            if isinstance(value, str):
                line = lines.find_name(name, lines.find(header))
                yield origin.command(name, "executable", value, line)
