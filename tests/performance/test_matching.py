from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.findings._requests import can_all_be_matched, only_candidates

_CANDIDATES = st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4).map(sorted), max_size=5)


def assignments(candidates: list[list[int]]) -> list[tuple[int, ...]]:
    """Try every way to give each request a connection of its own."""
    return [way for way in product(*candidates) if len(set(way)) == len(way)]


@given(_CANDIDATES)
def test_all_can_be_matched_when_one_way_does(candidates: list[list[int]]) -> None:
    assert can_all_be_matched(candidates) == bool(assignments(candidates))


@given(_CANDIDATES)
def test_in_order_a_request_is_matched_when_all_assignments_agree(
    candidates: list[list[int]],
) -> None:
    ways = [way for way in assignments(candidates) if list(way) == sorted(way)]
    expected = [
        min(places) if len(places) == 1 else None
        for places in ({way[request] for way in ways} for request in range(len(candidates)))
    ]
    assert only_candidates(candidates, in_order=True) == expected


@given(_CANDIDATES)
def test_out_of_order_no_other_way_contradicts_a_place(candidates: list[list[int]]) -> None:
    for request, place in enumerate(only_candidates(candidates, in_order=False)):
        if place is not None:
            assert candidates[request] == [place]
            assert sum(place in others for others in candidates) == 1


def test_places_are_found_where_there_is_no_choice() -> None:
    assert only_candidates([[0, 1], [1, 2], [2]], in_order=True) == [0, 1, 2]
    assert only_candidates([[0, 1], [0, 1, 2], [3]], in_order=True) == [None, None, 3]
    assert only_candidates([[0], [1, 2]], in_order=False) == [0, None]
