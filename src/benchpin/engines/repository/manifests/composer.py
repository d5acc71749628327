"""composer.json: PHP packages, and the platform that they need."""

from collections.abc import Iterator

from .manifest import Command, Lines, Manifest, Origin, Table, table, text_or_none, texts
from .node import keyed, read_json


def read(path: str, text: str) -> Manifest:
    """Read a composer.json.

    Raises:
        Damaged: when it is not a JSON object.
    """
    document, lines, origin = read_json(text), Lines(text), Origin("php", path)
    licence = document.get("license")
    return Manifest(
        ecosystem="php",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(licence) or " OR ".join(texts(licence)) or None,
        dependencies=(
            *keyed(document.get("require"), "require", "direct", lines, origin),
            *keyed(document.get("require-dev"), "require-dev", "dev", lines, origin),
        ),
        commands=tuple(_commands(document, lines, origin)),
    )


def _commands(document: Table, lines: Lines, origin: Origin) -> Iterator[Command]:
    at = lines.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        runs = value if isinstance(value, str) else " && ".join(texts(value))
        yield origin.command(name, "script", runs, lines.find(f'"{name}"', after=at))
    for program in texts(document.get("bin")):
        name = program.rpartition("/")[2]
        yield origin.command(name, "executable", program, lines.find(f'"{program}"'))
