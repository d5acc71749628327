"""pom.xml: dependencies with their scopes, modules, and versions that properties give.

Expat reads no other files, and a document that declares entities is refused: nothing that Maven
reads needs them, and they are how a small file becomes a big one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from .model import Command, Damaged, Dependency, DependencyKind, Manifest

_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
_KINDS: dict[str, DependencyKind] = {"test": "dev", "provided": "build"}
_DEEPEST = 64
_DEPENDENCY = ("project", "dependencies", "dependency")
_MANAGED = ("project", "dependencyManagement", "dependencies", "dependency")
_IN_PROFILE = ("project", "profiles", "profile", "dependencies", "dependency")


@dataclass(slots=True)
class _Reading:
    """What was read so far."""

    way: list[str] = field(default_factory=list)
    text: str = ""
    values: dict[tuple[str, ...], str] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    current_line: int = 0
    dependencies: list[tuple[dict[str, str], int]] = field(default_factory=list)
    managed: list[dict[str, str]] = field(default_factory=list)
    """Versions that are set for others."""
    mains: dict[str, int] = field(default_factory=dict)
    """Classes that are to be started."""
    properties: dict[str, str] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)
    licences: list[str] = field(default_factory=list)


def read(path: str, text: str) -> Manifest:
    """Read a pom.xml.

    Raises:
        Damaged: when it is no XML, or declares entities.
    """
    found = _parse(text)
    said = found.values
    version = said.get(("project", "version")) or said.get(("project", "parent", "version"))
    group = said.get(("project", "groupId")) or said.get(("project", "parent", "groupId"))
    properties = found.properties | {
        "project.version": version or "",
        "project.groupId": group or "",
        "project.parent.version": said.get(("project", "parent", "version"), ""),
    }
    artifact = said.get(("project", "artifactId"))
    parent = [said.get(("project", "parent", it)) for it in ("groupId", "artifactId")]
    return Manifest(
        ecosystem="java",
        path=path,
        name=f"{group}:{artifact}" if group and artifact else artifact,
        version=None if version is None else _filled(version, properties),
        licence=" OR ".join(found.licences) or None,
        dependencies=tuple(
            _dependency(it, line, properties, path) for it, line in found.dependencies
        ),
        commands=tuple(_commands(found, properties, path)),
        members=tuple(found.modules),
        versions=_versions(found, properties),
        parent=":".join(it for it in parent if it) or None,
    )


def _parse(text: str) -> _Reading:
    found = _Reading()
    parser = expat.ParserCreate(encoding="utf-8")

    def refuse(*_declared: object) -> None:
        raise Damaged("declares an entity, which is not read", parser.CurrentLineNumber)

    def start(name: str, _attributes: object) -> None:
        found.way.append(name)
        found.text = ""
        if len(found.way) > _DEEPEST:
            raise Damaged("nested too deep", parser.CurrentLineNumber)
        if tuple(found.way) in {_DEPENDENCY, _IN_PROFILE, _MANAGED}:
            found.current, found.current_line = {}, parser.CurrentLineNumber

    def end(_name: str) -> None:
        _take(found, parser.CurrentLineNumber)
        found.way.pop()

    def characters(data: str) -> None:
        found.text += data

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise Damaged(f"not XML: {expat.ErrorString(error.code)}", error.lineno) from error
    return found


def _take(found: _Reading, line: int) -> None:
    """Keep the text of the element that ends."""
    way, text = tuple(found.way), found.text.strip()
    found.text = ""
    if way in {_DEPENDENCY, _IN_PROFILE}:
        found.dependencies.append((found.current, found.current_line))
    elif way == _MANAGED:
        found.managed.append(found.current)
    elif way[:-1] in {_DEPENDENCY, _IN_PROFILE, _MANAGED}:
        found.current[way[-1]] = text
    elif way[:-1] == ("project", "properties"):
        found.properties[way[-1]] = text
    elif way[-1] == "mainClass" and text:
        found.mains.setdefault(text, line)
    elif way == ("project", "modules", "module"):
        found.modules.append(text)
    elif way == ("project", "licenses", "license", "name"):
        found.licences.append(text)
    elif text:
        found.values.setdefault(way, text)


def _versions(found: _Reading, properties: Mapping[str, str]) -> dict[str, str]:
    """Return what is set for others: versions by name, properties as they are written in use.

    A list that is imported has its name marked.
    """
    known = {f"${{{name}}}": value for name, value in properties.items() if value}
    for it in found.managed:
        name = _filled(f"{it.get('groupId', '?')}:{it.get('artifactId', '?')}", properties)
        known[name] = _filled(it.get("version", ""), properties)
        if it.get("scope") == "import":
            known[f"import {name}"] = known[name]
    return known


def _commands(found: _Reading, properties: Mapping[str, str], path: str) -> Iterator[Command]:
    for written, line in found.mains.items():
        runs = _filled(written, properties)
        name = runs.rpartition(".")[2]
        yield Command(name=name, runs=runs, kind="executable", path=path, line=line)


def _dependency(
    said: Mapping[str, str], line: int, properties: Mapping[str, str], path: str
) -> Dependency:
    kind = _KINDS.get(said.get("scope", ""), "direct")
    version = said.get("version")
    return Dependency(
        name=_filled(f"{said.get('groupId', '?')}:{said.get('artifactId', '?')}", properties),
        version=None if version is None else _filled(version, properties),
        kind="optional" if said.get("optional") == "true" else kind,
        ecosystem="java",
        path=path,
        line=line,
    )


def _filled(text: str, properties: Mapping[str, str]) -> str:
    """Put in the properties that are known; the others stay as they are written."""
    return _PROPERTY.sub(lambda it: properties.get(it[1]) or it[0], text)
