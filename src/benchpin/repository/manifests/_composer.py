"""composer.json: PHP packages, and the platform that they need."""

from collections.abc import Iterator

from ._manifest import (
    ManifestText,
    PackageManifest,
    RepositoryCommand,
    Table,
    table,
    text_or_none,
    texts,
)
from ._node import keyed, read_json


def read(path: str, text: str) -> PackageManifest:
    """Read a composer.json.

    Raises:
        ManifestError: when it is not a JSON object.
    """
    document, source = read_json(text), ManifestText("php", path, text)
    licence = document.get("license")
    return PackageManifest(
        ecosystem="php",
        path=path,
        name=text_or_none(document.get("name")),
        version=text_or_none(document.get("version")),
        licence=text_or_none(licence) or " OR ".join(texts(licence)) or None,
        dependencies=(
            *keyed(document.get("require"), "require", "direct", source),
            *keyed(document.get("require-dev"), "require-dev", "dev", source),
        ),
        commands=tuple(_commands(document, source)),
    )


def _commands(document: Table, source: ManifestText) -> Iterator[RepositoryCommand]:
    at = source.find('"scripts"')
    for name, value in table(document.get("scripts")).items():
        runs = value if isinstance(value, str) else " && ".join(texts(value))
        yield source.command(name, "script", runs, source.find(f'"{name}"', after=at))
    for program in texts(document.get("bin")):
        name = program.rpartition("/")[2]
        yield source.command(name, "executable", program, source.find(f'"{program}"'))
