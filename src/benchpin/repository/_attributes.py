"""Attributes for GitHub's linguist in `.gitattributes`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from itertools import islice

from benchpin.core.calls import Job

from ._patterns import fits
from ._tree import RepositoryTree

# Lines for linguist that are read; each is matched with every file.
MAX_LINES = 1_000
_NAME = ".gitattributes"


@dataclass(frozen=True, slots=True)
class _Line:
    """The attributes of one line, and the files it applies to."""

    folder: str
    glob: tuple[str, ...]
    name: re.Pattern[str]
    attributes: Mapping[str, str]

    def matches(self, local: str) -> bool:
        """Whether it applies to a file, by its path relative to the repository."""
        if not local.startswith(self.folder) or not self.name.match(local.rpartition("/")[2]):
            return False
        names = local.split("/")
        return fits(names[self.folder.count("/") :], self.glob)


class Attributes:
    """The attributes of a repository; a later line wins, and a deeper file."""

    def __init__(self, contents: Iterable[tuple[str, str]] = ()) -> None:
        """Read pairs of folder, with a trailing slash, and text; those nearest the root first."""
        lines = (it for folder, text in contents for it in _lines(folder, text))
        self._lines = list(islice(lines, MAX_LINES))
        self.is_whole = next(lines, None) is None
        """Whether every line was read."""

    def of(self, local: str) -> dict[str, str]:
        """Return the attributes of a file, by name without `linguist-`."""
        found: dict[str, str] = {}
        for line in self._lines:
            if line.matches(local):
                found |= line.attributes
        return found

    def of_all(self, files: Sequence[str], job: Job) -> dict[str, dict[str, str]] | None:
        """Return the attributes of files; None when there was no time for all of them."""
        if not self._lines:
            return {}
        found = {it: self.of(it) for it in job.each(files, f"files matched with {_NAME}")}
        return found if len(found) == len(files) else None


def read_attributes(tree: RepositoryTree) -> Attributes:
    """Read every `.gitattributes` of a repository."""
    places = [it.path for it in tree.files if it.path.endswith(_NAME)]
    return Attributes(_contents(tree, sorted(places, key=lambda it: it.count("/"))))


def _contents(tree: RepositoryTree, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    for place in places:
        text = (tree.read(place) or b"").decode("utf-8", errors="replace")
        yield tree.local(place).removesuffix(_NAME), text


def _lines(folder: str, text: str) -> Iterable[_Line]:
    for line in text.splitlines():
        pattern, *words = line.split() or [""]
        attributes = dict(_attribute(it) for it in words if "linguist-" in it)
        if attributes and not pattern.startswith(("#", "!", "[attr]")):
            names = pattern.strip("/").split("/")
            glob = tuple(names if "/" in pattern.rstrip("/") else ("**", *names))
            last = "*" if names[-1] == "**" else names[-1]
            yield _Line(folder, glob, re.compile(translate(last)), attributes)


def _attribute(word: str) -> tuple[str, str]:
    name, _, value = word.lstrip("-!").partition("=")
    value = "false" if word.startswith(("-", "!")) else value or "true"
    return name.removeprefix("linguist-"), value
