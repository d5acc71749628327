"""Match requests with the connections that fit them."""

from collections.abc import Sequence


def can_all_be_matched(candidates: Sequence[Sequence[int]]) -> bool:
    """Whether every request can have a connection of its own, by augmenting paths."""
    holder: dict[int, int] = {}

    def place(request: int, tried: set[int]) -> bool:
        for candidate in candidates[request]:
            if candidate not in tried:
                tried.add(candidate)
                if candidate not in holder or place(holder[candidate], tried):
                    holder[candidate] = request
                    return True
        return False

    return all(place(request, set()) for request in range(len(candidates)))


def only_candidates(candidates: Sequence[Sequence[int]], *, in_order: bool) -> list[int | None]:
    """Return the only possible connection of each request, or None where there are several.

    Requests that follow one another have connections in ascending order: then the leftmost and the
    rightmost assignment enclose all others, and agree where there is no choice.
    """
    if not in_order:
        return [_only_taker(candidates, request) for request in range(len(candidates))]
    leftmost = _in_order(candidates)
    mirrored = [[-place for place in reversed(places)] for places in reversed(candidates)]
    rightmost = [-place for place in reversed(_in_order(mirrored))]
    if len(leftmost) != len(candidates) or len(rightmost) != len(candidates):
        return [None] * len(candidates)
    return [
        left if left == right else None for left, right in zip(leftmost, rightmost, strict=True)
    ]


def _in_order(candidates: Sequence[Sequence[int]]) -> list[int]:
    """Give each request the first connection after the previous one, while there are any."""
    placed: list[int] = []
    for places in candidates:
        later = [place for place in places if not placed or place > placed[-1]]
        if not later:
            break
        placed.append(later[0])
    return placed


def _only_taker(candidates: Sequence[Sequence[int]], request: int) -> int | None:
    """Return the single candidate of a request, if no other request can have it."""
    if len(candidates[request]) != 1:
        return None
    (place,) = candidates[request]
    takers = sum(place in places for places in candidates)
    return place if takers == 1 else None
