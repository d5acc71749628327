"""composer.json: requirements of PHP packages, and the platform that they need."""

from collections.abc import Iterator

from .model import Command, Lines, Manifest, Table, table, text_or_none, texts
from .node import keyed, read_json


def read(path: str, text: str) -> Manifest:
    """Read a composer.json.

    Raises:
        Damaged: when it is no JSON object.
    """
    document, lines = read_json(text), Lines(text)
    licence = document.get("license")
    return Manifest(
        ecosystem="php",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(licence) or " OR ".join(texts(licence)) or None,
        dependencies=(
            *keyed(document.get("require"), "require", "direct", "php", lines, path),
            *keyed(document.get("require-dev"), "require-dev", "dev", "php", lines, path),
        ),
        commands=tuple(_commands(document, lines, path)),
    )


def _commands(document: Table, lines: Lines, path: str) -> Iterator[Command]:
    at = lines.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        runs = value if isinstance(value, str) else " && ".join(texts(value))
        line = lines.find(f'"{name}"', after=at)
        yield Command(name=name, runs=runs, kind="script", path=path, line=line)
    for program in texts(document.get("bin")):
        name = program.rpartition("/")[2]
        line = lines.find(f'"{program}"')
        yield Command(name=name, runs=program, kind="executable", path=path, line=line)
