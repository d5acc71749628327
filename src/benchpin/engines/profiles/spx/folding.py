"""Cut a call tree to a size by folding the cheapest paths into `(other)`; all sums stay."""

from array import array
from collections.abc import Sequence

from .call_tree import OTHER, ROOT, CallTree


def depths(tree: CallTree) -> Sequence[int]:
    """Return for each place how many calls lead to it."""
    found = array("q", [0])
    for node in range(1, len(tree)):
        found.append(found[tree.parents[node]] + 1)
    return found


def worth_keeping(
    tree: CallTree, inclusive: Sequence[int], limit: int, deepest: int | None = None
) -> bytearray:
    """Mark the dearest places, so that with an `(other)` for the rest of each they fit the limit.

    Calls that are open are always kept, whatever the limit.
    """
    kept = bytearray(len(tree))
    kept[ROOT] = 1
    missing = array("q", bytes(8 * len(tree)))
    for node in range(1, len(tree)):
        missing[tree.parents[node]] += 1
    levels = depths(tree)
    taken: list[int] = []
    others = int(missing[ROOT] > 0)
    fitting = opened = len(tree.open) - 1
    for node in tree.open[1:] + sorted(
        range(1, len(tree)), key=inclusive.__getitem__, reverse=True
    ):
        parent = tree.parents[node]
        is_too_deep = deepest is not None and levels[node] > deepest
        if kept[node] or not kept[parent] or tree.functions[node] == OTHER or is_too_deep:
            continue
        kept[node] = 1
        taken.append(node)
        missing[parent] -= 1
        others += (missing[node] > 0) - (missing[parent] == 0)
        if len(taken) + others <= limit:
            fitting = max(opened, len(taken))
        elif len(taken) >= max(limit, opened):
            break
    for node in taken[fitting:]:
        kept[node] = 0
    return kept


def fold(tree: CallTree, kept: bytearray) -> CallTree:
    """Return the tree with the marked places; what hung below them is `(other)`.

    No events can be added to the tree that was folded.
    """
    tree.forget_paths()
    folded = CallTree(len(tree.costs))
    folded.seen |= tree.seen
    places = array("q", bytes(8 * len(tree)))
    others: dict[int, int] = {}
    for node in range(1, len(tree)):
        parent = places[tree.parents[node]]
        if kept[node]:
            place = folded.grow(parent, tree.functions[node])
        elif folded.functions[parent] == OTHER and parent != ROOT:
            place = parent
        else:
            place = others.get(parent) or folded.grow(parent, OTHER)
            others[parent] = place
        places[node] = place
        folded.calls[place] += tree.calls[node]
        for sums, costs in zip(folded.costs, tree.costs, strict=True):
            sums[place] += costs[node]
    folded.open = [places[node] for node in tree.open]
    return folded
