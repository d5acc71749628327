"""What `.gitattributes` says to GitHub's linguist about files."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from itertools import islice

from benchpin.core import Job

from .patterns import fits
from .tree import RepositoryTree

MOST_LINES = 1_000
"""Lines about linguist that are heeded; each is held against every file."""
_NAME = ".gitattributes"


@dataclass(frozen=True, slots=True)
class _Line:
    """What one line says, and of which files."""

    folder: str
    glob: tuple[str, ...]
    name: re.Pattern[str]
    said: Mapping[str, str]

    def means(self, local: str) -> bool:
        """Whether a file is meant, by its path from the repository."""
        if not local.startswith(self.folder) or not self.name.match(local.rpartition("/")[2]):
            return False
        names = local.split("/")
        return fits(names[self.folder.count("/") :], self.glob)


class Attributes:
    """What is said to linguist: a later line wins, and one further down the tree."""

    def __init__(self, contents: Iterable[tuple[str, str]] = ()) -> None:
        """Read files: each with its folder and a slash, those nearest the root first."""
        lines = (it for folder, text in contents for it in _lines(folder, text))
        self._lines = list(islice(lines, MOST_LINES))
        self.is_whole = next(lines, None) is None
        """Whether every line is heeded."""

    def of(self, local: str) -> dict[str, str]:
        """Return what is said of a file, by the name of the attribute without `linguist-`."""
        said: dict[str, str] = {}
        for line in self._lines:
            if line.means(local):
                said |= line.said
        return said

    def of_all(self, files: Sequence[str], job: Job) -> dict[str, dict[str, str]] | None:
        """Return what is said of files; None when there was no time to look at them all.

        Raises:
            Cancelled: when the job was cancelled.
        """
        if not self._lines:
            return {}
        said = {it: self.of(it) for it in job.each(files, f"files that {_NAME} may speak of")}
        return said if len(said) == len(files) else None


def read_attributes(tree: RepositoryTree) -> Attributes:
    """Return what a repository says to linguist."""
    places = [it.path for it in tree.files if it.path.endswith(_NAME)]
    return Attributes(_contents(tree, sorted(places, key=lambda it: it.count("/"))))


def _contents(tree: RepositoryTree, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    for place in places:
        text = (tree.read(place) or b"").decode("utf-8", errors="replace")
        yield tree.local(place).removesuffix(_NAME), text


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
