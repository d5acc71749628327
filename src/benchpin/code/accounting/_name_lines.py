"""The lines of the workspace that have a name as a whole word: what a plain search finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.facts import FileSelection
from benchpin.workspace.search import search_words


@dataclass(frozen=True, slots=True)
class NameLines:
    """The lines with a name, and how far the search went."""

    name: str
    found: Mapping[str, frozenset[int]]
    """Lines by path."""
    searched: int
    """Files."""
    missing: tuple[str, ...] = ()
    """What was not searched, in words."""

    @property
    def lines(self) -> int:
        return sum(map(len, self.found.values()))


def find_lines(selection: FileSelection, names: Sequence[str]) -> list[NameLines]:
    """Search all text files that may be read: code, tests, documents, settings.

    Files that git ignores are not searched, and neither are binary ones: as with `git grep`.
    """
    job, omissions = selection.job, selection.job.omissions
    paths = selection.all_paths()
    places, outcome = search_words(selection.root, paths, list(dict.fromkeys(names)), job)
    missing = job.left_out_since(omissions)
    missing += (
        f"{count:,} {reason} files"
        for reason, count in outcome.skipped.items()
        if reason != "binary"
    )
    return [NameLines(it, places[it], outcome.files_searched, tuple(missing)) for it in names]
