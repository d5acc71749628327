"""A made-up project full of clones of every type, edited at random, the same way for a seed."""

import random
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar, cast

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts
from benchpin.facts.store import content_digest
from benchpin.measures.clones import (
    DuplicateOptions,
    Duplicates,
    Minimum,
    find_duplicates,
)
from benchpin.memory import Inputs, Measure, Reduction, remember
from clones import read

T = TypeVar("T")

_LINES = [
    f"    {name} {sign}= {first}({other}, {number}) {sign} {name}.{second}[{other}{end}]"
    for name, other in (("x", "y"), ("y", "x"), ("total", "x"), ("z", "total"))
    for first, second in (("load", "parts"), ("read", "rows"), ("pick", "parts"))
    for number, (sign, end) in enumerate((("+", ""), ("-", ", 1"), ("*", ":")))
]
OPTIONS = (
    DuplicateOptions(threshold=0.7, minimum=Minimum(3, 30)),
    DuplicateOptions(minimum=Minimum(3)),
)
"""The second has small functions too."""


def edits(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield the files of the project, and again after each of so many edits."""
    chance = random.Random(seed)  # noqa: S311 - test data
    pieces = [
        "\n".join((f"def f{at}(x, y):", *chance.choices(_LINES, k=chance.randint(3, 9))))
        for at in range(12)
    ]

    def piece() -> str:
        """Return a function, sometimes with another line or with its lines in another order."""
        head, *lines = chance.choice(pieces).splitlines()
        how = chance.random()
        if how < 0.3:
            lines.insert(chance.randrange(len(lines)), chance.choice(_LINES))
        elif how < 0.5:
            chance.shuffle(lines)
        return "\n".join((head, *lines))

    def text() -> str:
        return "\n\n".join(piece() for _ in range(chance.randint(1, 5))) + "\n"

    files = {f"p{at}.py": text() for at in range(9)}
    yield dict(files)
    for _ in range(count):
        path = f"p{chance.randrange(12)}.py"
        how = chance.random()
        if how < 0.2 and len(files) > 3:
            files.pop(path, None)
        elif how < 0.6 and path in files:
            lines = files[path].splitlines()
            lines[chance.randrange(1, len(lines))] = chance.choice(_LINES)
            files[path] = "\n".join((*lines, ""))
        else:
            files[path] = text()
        yield dict(files)


class SearchMemory:
    """Remembers searches as `Inputs` does, for files that are in no workspace."""

    def __init__(self, session: WorkspaceSession, job: Job, files: Sequence[FileFacts]) -> None:
        self._session = session
        self._job = job
        self._digest = content_digest(files)
        self.computed: set[str] = set()
        """The names of the searches that began from nothing."""

    def get(self, measure: Measure[Inputs, Hashable, T], options: Hashable, /) -> T:
        """Return what was found."""
        inputs = cast("Inputs", None)  # these measures read nothing but the files
        update = measure.update
        assert update is not None

        def reduce() -> T:
            self.computed.add(measure.name)
            return measure.reduce(inputs, options)

        return remember(
            self._session,
            self._job,
            Reduction[T](measure.name, measure.type),
            (self._digest, options),
            reduce,
            update=lambda before: update(before, inputs, options),
            slot=options,
        )


def shown(it: Duplicates) -> tuple[object, ...]:
    """Return all but the time that it took."""
    return it.summary, it.groups, it.files, it.tokens


def different(folder: Path, seed: int, count: int, options: DuplicateOptions) -> list[int]:
    """Return the numbers of the edits after which an updated search differs from a new one.

    Raises:
        AssertionError: when a search after the first one remembers nothing.
    """
    found: list[int] = []
    session = WorkspaceSession(folder, folder / "cache")
    for number, files in enumerate(edits(seed, count)):
        facts = read(files)
        if number % 5 == 4:  # as in another process
            session.close()
            session = WorkspaceSession(folder, folder / "cache")
        job = Job()
        memory = SearchMemory(session, job, facts)
        updated = find_duplicates(facts, options, job, memory)
        assert not number or not memory.computed
        if shown(updated) != shown(find_duplicates(facts, options, Job())):
            found.append(number)
    session.close()
    return found
