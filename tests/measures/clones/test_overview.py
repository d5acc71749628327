import random

import pytest

from benchpin.facts import FileFacts
from benchpin.measures.clones import ALL, CloneGroup, Fragment
from benchpin.measures.clones import _overview as overview
from benchpin.measures.clones._grouping import CloneType, group_of, is_covered
from benchpin.measures.clones._overview import Overview, overview_of
from clones import read

FILES = read({f"p{at:02}.py": "x = 1\n" * 40 for at in range(40)})


def group(kind: CloneType, *places: tuple[int, int, int]) -> CloneGroup:
    """Return a group with places by the number of a file, the first line and the last one."""
    fragments = [
        Fragment(f"p{file:02}.py", line, end_line, None, 1.0, ())
        for file, line, end_line in sorted(places)
    ]
    return group_of(kind, 10 * len(places), 1.0, fragments)


def shown(it: Overview) -> tuple[object, ...]:
    return it.groups, it.ranked_shares()


def in_order(groups: list[CloneGroup]) -> list[CloneGroup]:
    """Return groups as searches hand them over: by type."""
    return [it for kind in ALL for it in groups if it.type == kind]


def test_an_overview_after_changes_is_the_one_from_nothing() -> None:
    chance = random.Random(25)  # noqa: S311 - test data

    def any_group() -> CloneGroup:
        files = chance.sample(range(10), chance.choice((1, 2, 2, 3)))
        first, last = sorted(chance.sample(range(1, 40), 2))
        places = [(it, first, last) for it in files]
        if len(files) == 1:
            places.append((files[0], first + 1, last + 1))
        return group(chance.choice(ALL), *places)

    groups = in_order([any_group() for _ in range(120)])
    known = overview_of(groups, FILES, Overview())
    covered = 0
    for _ in range(60):
        kept = chance.sample(groups, len(groups) - 3)
        groups = in_order([it for it in groups if it in kept] + [any_group() for _ in range(3)])
        known = overview_of(groups, FILES, known)
        assert shown(known) == shown(overview_of(groups, FILES, Overview()))
        covered += len(known.covered)
    assert covered > 60


def test_only_groups_in_the_files_of_changed_ones_are_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups = [group("renamed", (at, 1, 9), (at + 1, 1, 9)) for at in range(0, 40, 2)]
    known = overview_of(groups, FILES, Overview())
    looked_at: list[CloneGroup] = []

    def watched(it: CloneGroup, *others: object) -> bool:
        looked_at.append(it)
        return is_covered(it, *others)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(overview, "is_covered", watched)
    new = group("exact", (0, 1, 9), (1, 1, 9))
    found = overview_of([new, *groups], FILES, known)
    assert looked_at == [new, groups[0]]
    assert groups[0] not in found.groups
    assert known.groups == groups, "the one before stays as it was"


def test_a_file_that_grew_has_another_share() -> None:
    groups = [group("exact", (0, 1, 9), (1, 1, 9))]
    known = overview_of(groups, FILES, Overview())
    longer: list[FileFacts] = [*read({"p00.py": "x = 1\n" * 90}), *FILES[1:]]
    found = overview_of(groups, longer, known)
    assert {it.file: it.total_lines for it in found.shares.values()} == {"p00.py": 90, "p01.py": 40}
