"""Cut a profile to what a flame graph can show."""

import msgspec

from benchpin.engines.profiles.merging import wall_index
from benchpin.engines.profiles.values import Node, Profile

MAX_NODES = 20_000
"""As many as a stored profile has at most; about a megabyte of page."""
_OTHER = -1


def drawable(profile: Profile, max_nodes: int = MAX_NODES) -> Profile:
    """Keep the longest calls, and sum up the others of each caller as `(other)`."""
    wall = wall_index(profile)
    if wall is None or len(profile.tree) <= max_nodes:
        return profile
    tree = profile.tree
    longest = sorted(range(len(tree)), key=lambda it: (-tree[it].inclusive[wall], it))
    places: dict[int, int] = {-1: -1}
    kept: list[Node] = []
    for old in sorted(_with_callers(tree, longest[:max_nodes])):
        places[old] = len(kept)
        kept.append(msgspec.structs.replace(tree[old], parent=places[tree[old].parent]))
    return msgspec.structs.replace(profile, tree=(*kept, *_others(tree, places)))


def _with_callers(tree: tuple[Node, ...], chosen: list[int]) -> set[int]:
    """Add missing callers: in a damaged profile a caller can have less time than its callees."""
    found: set[int] = set()
    for node in chosen:
        place = node
        while place >= 0 and place not in found:
            found.add(place)
            place = tree[place].parent
    return found


def _others(tree: tuple[Node, ...], places: dict[int, int]) -> list[Node]:
    """Make one node for each caller, with all of its calls that were left out."""
    others: dict[int, Node] = {}
    for old, node in enumerate(tree):
        if old in places or node.parent not in places:
            continue
        parent = places[node.parent]
        before = others.get(parent)
        times = node.inclusive if before is None else _sum(before.self, node.inclusive)
        calls = node.calls + (0 if before is None else before.calls)
        others[parent] = Node(parent, _OTHER, calls, times, times)
    return list(others.values())


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
