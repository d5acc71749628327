"""What a manifest says, whatever the ecosystem."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchpin.core import Item
from benchpin.engines.repository.shown import ShownPath

DependencyKind = Literal["direct", "dev", "optional", "peer", "build", "indirect"]
CommandKind = Literal["script", "executable", "target", "library"]


class Dependency(Item):
    """Something that a project needs, where it says so."""

    name: str
    version: str | None
    """As written; null when the manifest leaves it open."""
    kind: DependencyKind
    ecosystem: str
    path: ShownPath
    line: int


class Command(Item):
    """Something that can be run by name."""

    name: str
    runs: str
    """What it stands for: a script, a module and function, a file."""
    kind: CommandKind
    path: ShownPath
    line: int


class DamagedManifest(Item):
    """A manifest that could not be read, and why."""

    path: ShownPath
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest."""

    ecosystem: str
    path: str
    name: str | None = None
    version: str | None = None
    licence: str | None = None
    dependencies: tuple[Dependency, ...] = ()
    commands: tuple[Command, ...] = ()
    members: tuple[str, ...] = field(default=())
    """Globs of the folders of further packages, from the folder of this one; `!` excludes."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions that it sets for dependencies of others: of Maven by name, of Gradle by alias."""
    parent: str | None = None
    """The name of the manifest that it takes versions from."""

    @property
    def folder(self) -> str:
        """Where it stands, with a slash behind; empty at the root."""
        head, slash, _ = self.path.rpartition("/")
        return head + slash


class Damaged(Exception):
    """A manifest that is not what its format asks for."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        """Say what is wrong, and in which line."""
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Lines:
    """Finds the lines of a text on which things are said."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()

    def find(self, *wanted: str, after: int = 0) -> int:
        """Return the first line after another one with a text, the first of some that is found.

        That other line when none is.
        """
        for text in wanted:
            for number, line in enumerate(self._lines[after:], start=after + 1):
                if text in line:
                    return number
        return max(after, 1)

    def find_name(self, name: str, after: int = 0) -> int:
        """Return the first line after another one with a name that is not part of a longer one."""
        whole = re.compile(rf"(?<![\w.@/-]){re.escape(name)}(?![\w/-])")
        for number, line in enumerate(self._lines[after:], start=after + 1):
            if name in line and whole.search(line):
                return number
        return max(after, 1)

    def find_table(self, name: str, after: int) -> int | None:
        """Return the first line after another one that opens a TOML table of some name."""
        endings = (f".{name}]", f'."{name}"]')
        for number, line in enumerate(self._lines[after:], start=after + 1):
            if line.startswith("[") and line.partition("#")[0].rstrip().endswith(endings):
                return number
        return None


_LONGEST_LINE = 2_000


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines of a text with their numbers, each as far as a person writes them."""
    for number, line in enumerate(text.splitlines(), start=1):
        yield number, line[:_LONGEST_LINE]


Table = dict[str, object]


def table(value: object) -> Table:
    """Return a table of a document; an empty one where it has something else."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """Return the texts of a list; nothing where there is no list."""
    return [it for it in value if isinstance(it, str)] if isinstance(value, list) else []


def text_or_none(value: object) -> str | None:
    """Return a text that is not empty."""
    return value if isinstance(value, str) and value else None
