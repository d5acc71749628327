"""What `.gitattributes` says to GitHub's linguist about files."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate

from .patterns import fits


@dataclass(frozen=True, slots=True)
class _Line:
    """What one line says, and of which files."""

    folder: str
    glob: tuple[str, ...]
    name: re.Pattern[str]
    said: Mapping[str, str]

    def means(self, local: str) -> bool:
        """Whether a file is meant, by its path from the repository."""
        names = local.split("/")
        if not local.startswith(self.folder) or not self.name.match(names[-1]):
            return False
        return fits(names[self.folder.count("/") :], self.glob)


class Attributes:
    """What is said to linguist: a later line wins, and one further down the tree."""

    def __init__(self, contents: Iterable[tuple[str, str]] = ()) -> None:
        """Read files: each with its folder and a slash, those nearest the root first."""
        self._lines = [it for folder, text in contents for it in _lines(folder, text)]

    def of(self, local: str) -> dict[str, str]:
        """Return what is said of a file, by the name of the attribute without `linguist-`."""
        said: dict[str, str] = {}
        for line in self._lines:
            if line.means(local):
                said |= line.said
        return said


def _lines(folder: str, text: str) -> Iterable[_Line]:
    for line in text.splitlines():
        pattern, *words = line.split() or [""]
        said = dict(_attribute(it) for it in words if "linguist-" in it)
        if said and not pattern.startswith(("#", "!", "[attr]")):
            names = pattern.strip("/").split("/")
            glob = tuple(names if "/" in pattern.rstrip("/") else ("**", *names))
            last = "*" if names[-1] == "**" else names[-1]
            yield _Line(folder, glob, re.compile(translate(last)), said)


def _attribute(word: str) -> tuple[str, str]:
    name, _, value = word.lstrip("-!").partition("=")
    value = "false" if word.startswith(("-", "!")) else value or "true"
    return name.removeprefix("linguist-"), value
