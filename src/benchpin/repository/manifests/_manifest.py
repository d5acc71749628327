"""The content of a manifest, the same for every ecosystem, and helpers of its readers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from xml.parsers import expat

from benchpin.core.results import Item
from benchpin.repository.packing import ShownPath, ShownText

DependencyKind = Literal["direct", "dev", "optional", "peer", "build", "indirect"]
CommandKind = Literal["script", "executable", "target", "library", "main file"]
# The line of each is searched for, so that time grows with the square of their number.
_MAX_DECLARED_DEPENDENCIES = 5_000
_MAX_LINE_CHARS = 2_000
# Deeper nesting is an attack, not a build.
_MAX_DEPTH = 64
Table = dict[str, object]


class DeclaredDependency(Item):
    """A dependency, and where it is declared."""

    name: str
    version: str | None
    """As written; null when the manifest does not give one."""
    kind: DependencyKind
    ecosystem: str
    path: ShownPath
    line: int


class RepositoryCommand(Item):
    """Something that can be run by name."""

    name: ShownText
    kind: CommandKind
    runs: ShownText
    """The script, the module and function, or the file that it runs."""
    path: ShownPath
    line: int


class DamagedManifest(Item):
    """A manifest that could not be read, and why."""

    path: ShownPath
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class PackageManifest:
    """One manifest."""

    ecosystem: str
    path: str
    name: str | None = None
    version: str | None = None
    licence: str | None = None
    dependencies: tuple[DeclaredDependency, ...] = ()
    commands: tuple[RepositoryCommand, ...] = ()
    members: tuple[str, ...] = ()
    """Globs of the folders of further packages, relative to its own folder; `!` excludes."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions that it sets for other manifests: in Maven by name, in Gradle by alias."""
    parent: str | None = None
    """The name of the manifest that it inherits versions from."""

    @property
    def folder(self) -> str:
        """Its folder with a trailing slash; empty at the root."""
        head, slash, _ = self.path.rpartition("/")
        return head + slash


class ManifestError(Exception):
    """A manifest that violates its format."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        """Say what is wrong, and in which line."""
        super().__init__(reason)
        self.reason = reason
        self.line = line


class ManifestText:
    """The text of a manifest: finds lines in it, and makes the values that it declares."""

    def __init__(self, ecosystem: str, path: str, text: str) -> None:
        self._ecosystem = ecosystem
        self._path = path
        self._lines = text.splitlines()
        self._declared = 0

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with their numbers, cut to a length that people write."""
        for number, line in enumerate(self._lines, start=1):
            yield number, line[:_MAX_LINE_CHARS]

    def find(self, *wanted: str, after: int = 0) -> int:
        """Return the first line after `after` that contains a text; earlier texts are preferred.

        Returns `after` when none is found.
        """
        for text in wanted:
            for number, line in enumerate(self._lines[after:], start=after + 1):
                if text in line:
                    return number
        return max(after, 1)

    def find_name(self, name: str, after: int = 0) -> int:
        """Return the first line after `after` that has a name as a whole word."""
        whole = re.compile(rf"(?<![\w.@/-]){re.escape(name)}(?![\w/-])")
        for number, line in enumerate(self._lines[after:], start=after + 1):
            if name in line and whole.search(line):  # `in` first: it is much faster
                return number
        return max(after, 1)

    def find_table(self, name: str, after: int) -> int | None:
        """Return the first line after `after` that opens a TOML table with a name."""
        endings = (f".{name}]", f'."{name}"]')
        for number, line in enumerate(self._lines[after:], start=after + 1):
            if line.startswith("[") and line.partition("#")[0].rstrip().endswith(endings):
                return number
        return None

    def dependency(
        self, name: str, version: str | None, kind: DependencyKind, line: int
    ) -> DeclaredDependency:
        """Return a dependency that the manifest declares.

        Raises:
            ManifestError: when there are too many.
        """
        self._count()
        return DeclaredDependency(
            name=name,
            version=version,
            kind=kind,
            ecosystem=self._ecosystem,
            path=self._path,
            line=line,
        )

    def command(self, name: str, kind: CommandKind, runs: str, line: int) -> RepositoryCommand:
        """Return a command that the manifest declares.

        Raises:
            ManifestError: when there are too many.
        """
        self._count()
        return RepositoryCommand(name=name, kind=kind, runs=runs, path=self._path, line=line)

    def _count(self) -> None:
        self._declared += 1
        if self._declared > _MAX_DECLARED_DEPENDENCIES:
            reason = (
                f"it declares more than {_MAX_DECLARED_DEPENDENCIES:,} dependencies and commands"
            )
            raise ManifestError(reason)


class XmlReading:
    """What a reader of XML follows: the path of the current element, and its text so far."""

    path: list[str]
    text: str

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Handle the beginning of an element, which `path` ends with."""

    def ended(self, name: str, line: int) -> None:
        """Handle the end of an element, which `path` still ends with."""


def parse_xml(text: str, found: XmlReading) -> None:
    """Read a document. Expat reads no other files.

    One that declares entities is refused: none needs them, and nested ones can expand a small
    file to gigabytes.

    Raises:
        ManifestError: when it is not XML, nested too deep, or declares entities.
    """
    parser = expat.ParserCreate(encoding="utf-8")

    def refuse(*_declared: object) -> None:
        raise ManifestError("declares an entity, which is not read", parser.CurrentLineNumber)

    def start(name: str, attributes: dict[str, str]) -> None:
        found.path.append(name)
        found.text = ""
        if len(found.path) > _MAX_DEPTH:
            raise ManifestError("nested too deep", parser.CurrentLineNumber)
        found.started(name, attributes, parser.CurrentLineNumber)

    def end(name: str) -> None:
        found.ended(name, parser.CurrentLineNumber)
        found.path.pop()
        found.text = ""

    def characters(data: str) -> None:
        found.text += data

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ManifestError(f"not XML: {expat.ErrorString(error.code)}", error.lineno) from error


def table(value: object) -> Table:
    """Return a table of a document; an empty one when it is something else."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """Return the texts in a list; nothing when it is something else."""
    return [it for it in value if isinstance(it, str)] if isinstance(value, list) else []


def text_or_none(value: object) -> str | None:
    """Return a text that is not empty."""
    return value if isinstance(value, str) and value else None
