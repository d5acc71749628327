"""What all comparisons share: finding files, matching functions, counting differences by class."""

import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agreement.table import Missing
from benchpin.facts import Function, Outline
from benchpin.facts.parsing import extract

SHOWN = 3
"""How many differences of each class are shown."""


@dataclass(frozen=True, slots=True)
class Theirs:
    """What the reference says about one function."""

    name: str
    line: int
    value: int


@dataclass(slots=True)
class Tally:
    """How often two tools agree, and where they do not."""

    title: str
    compared: int = 0
    equal: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    only_ours: int = 0
    only_theirs: int = 0

    def add(self, place: str, ours: int, theirs: int, why: str) -> None:
        """Count one function; the class matters only where the values differ."""
        self.compared += 1
        if ours == theirs:
            self.equal += 1
            return
        self.classes[why] += 1
        if len(self.examples[why]) < SHOWN:
            self.examples[why].append(f"{place}: ours {ours}, theirs {theirs}")

    def show(self) -> None:
        """Print it."""
        share = 100 * self.equal / max(self.compared, 1)
        print(f"{self.title}: {self.compared} compared, {self.equal} equal, {share:.2f} %")
        print(f"  found by us alone {self.only_ours}, by them alone {self.only_theirs}")
        for why, count in self.classes.most_common():
            print(f"  {count} × {why}")
            for example in self.examples[why]:
                print(f"      {example}")


def find_files(project: Path, endings: Sequence[str]) -> list[Path]:
    """Return the files of a project, by their endings."""
    found = (place for place in project.rglob("*") if place.suffix in endings)
    return sorted(place for place in found if place.is_file() and ".git" not in place.parts)


def outline_of(place: Path, language: str) -> Outline:
    """Return what we find in a file."""
    return extract(place.read_bytes(), language).outline


def last_part(name: str) -> str:
    """Return a name without its containers."""
    return name.replace("::", ".").rpartition(".")[2]


def pair(
    ours: Iterable[Function], theirs: Iterable[Theirs], tally: Tally
) -> Iterator[tuple[Function, Theirs]]:
    """Match functions of one file by name; those of one name in their order, if as many."""
    mine: defaultdict[str, list[Function]] = defaultdict(list)
    for function in sorted(ours, key=lambda it: it.line):
        mine[last_part(function.name)].append(function)
    others: defaultdict[str, list[Theirs]] = defaultdict(list)
    for other in sorted(theirs, key=lambda it: it.line):
        others[last_part(other.name)].append(other)
    for name in mine.keys() | others.keys():
        surplus = len(mine[name]) - len(others[name])
        tally.only_ours += max(surplus, 0)
        tally.only_theirs += max(-surplus, 0)
        if not surplus:
            yield from zip(mine[name], others[name], strict=True)


def program(name: str) -> str:
    """Return where a reference tool is: beside this Python, or on the path.

    Raises:
        Missing: when it is not installed.
    """
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed; README.md says how to get it")
    return found
