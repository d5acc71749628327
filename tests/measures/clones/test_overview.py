import random

from benchpin.measures.clones import ALL, CloneGroup, Fragment
from benchpin.measures.clones._grouping import CloneType, group_of
from benchpin.measures.clones._overview import overview_of

LINES = {f"p{at:02}.py": 40 for at in range(40)}


def group(kind: CloneType, *places: tuple[int, int, int]) -> CloneGroup:
    """Return a group with places by the number of a file, the first line and the last one."""
    fragments = [
        Fragment(f"p{file:02}.py", line, end_line, None, 1.0, ())
        for file, line, end_line in sorted(places)
    ]
    return group_of(kind, 10 * len(places), 1.0, fragments)


def is_inside(inner: CloneGroup, outer: CloneGroup) -> bool:
    """Whether each place of a group is inside a place of another that no other place is in."""
    around = [
        {
            (it.file, it.line)
            for it in outer.fragments
            if it.file == place.file and it.line <= place.line and place.end_line <= it.end_line
        }
        for place in inner.fragments
    ]
    return all(around) and len(set[tuple[str, int]]().union(*around)) >= len(around)


def test_a_group_inside_one_of_a_stricter_type_is_not_reported() -> None:
    chance = random.Random(25)  # noqa: S311 - test data

    def any_group() -> CloneGroup:
        files = chance.sample(range(10), chance.choice((1, 2, 2, 3)))
        first, last = sorted(chance.sample(range(1, 40), 2))
        places = [(it, first, last) for it in files]
        if len(files) == 1:
            places.append((files[0], first + 1, last + 1))
        return group(chance.choice(ALL), *places)

    covered = 0
    for _ in range(20):
        groups = [any_group() for _ in range(120)]
        expected: list[CloneGroup] = []
        for kind in ALL:
            here = [it for it in groups if it.type == kind]
            expected += [it for it in here if not any(is_inside(it, at) for at in expected)]
        found = overview_of(groups, LINES).groups
        assert {id(it) for it in found} == {id(it) for it in expected}
        covered += len(groups) - len(found)
    assert covered > 60


def test_the_share_of_a_file_counts_each_line_once() -> None:
    groups = [
        group("exact", (0, 1, 9), (1, 1, 9)),
        group("renamed", (0, 5, 14), (2, 5, 14)),
        group("semantic", (0, 20, 30), (3, 20, 30)),
    ]
    found = overview_of(groups, LINES | {"p00.py": 90})
    assert [
        (it.file, it.groups, it.duplicated_lines, it.similar_lines, it.total_lines)
        for it in found.shares
    ] == [
        ("p00.py", 2, 9, 14, 90),
        ("p01.py", 1, 9, 9, 40),
        ("p02.py", 1, 0, 10, 40),
    ]


def test_groups_come_in_the_order_of_their_size_and_place() -> None:
    small, large = (
        group("exact", (3, 1, 9), (4, 1, 9)),
        group("exact", (5, 1, 9), (6, 1, 9), (7, 1, 9)),
    )
    first = group("renamed", (1, 1, 9), (2, 1, 9))
    assert overview_of([small, large, first], LINES).groups == [large, first, small]
