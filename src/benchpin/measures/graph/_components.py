"""The connected components of a directed graph."""

from collections.abc import Iterator, Sequence

Pairs = Sequence[tuple[int, int]]


def strong_components(count: int, pairs: Pairs) -> list[list[int]]:
    """Return the groups of nodes that reach one another, each after all those that it leads to."""
    search = _Search(count, pairs)
    for node in range(count):
        if not search.number[node]:
            search.run(node)
    return search.found


class _Search:
    """Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972).

    With a stack of its own instead of recursion: a chain of imports may be deeper than Python's.
    """

    def __init__(self, count: int, pairs: Pairs) -> None:
        self._after: list[list[int]] = [[] for _ in range(count)]
        for source, target in pairs:
            self._after[source].append(target)
        self.number = [0] * count
        """In which order nodes were reached, from 1; 0 for one that was not."""
        self._lowest = [0] * count
        """The lowest number of a pending node that a node is known to lead to."""
        self._is_pending = bytearray(count)
        self._pending: list[int] = []
        """Nodes that were reached and are in no component yet."""
        self._reached = 0
        self.found: list[list[int]] = []

    def run(self, start: int) -> None:
        """Find the components of all nodes that a node leads to."""
        number, lowest, is_pending = self.number, self._lowest, self._is_pending
        path = [(start, self._reach(start))]
        while path:
            node, targets = path[-1]
            for target in targets:
                if not number[target]:
                    path.append((target, self._reach(target)))
                    break
                if is_pending[target] and number[target] < lowest[node]:
                    lowest[node] = number[target]
            else:
                path.pop()
                if lowest[node] == number[node]:
                    self._close(node)
                elif lowest[node] < lowest[path[-1][0]]:
                    lowest[path[-1][0]] = lowest[node]

    def _reach(self, node: int) -> Iterator[int]:
        self._reached += 1
        self.number[node] = self._lowest[node] = self._reached
        self._pending.append(node)
        self._is_pending[node] = True
        return iter(self._after[node])

    def _close(self, node: int) -> None:
        """End a component with the node of it that was reached first."""
        members = [self._pending.pop()]
        while members[-1] != node:
            members.append(self._pending.pop())
        for member in members:
            self._is_pending[member] = False
        self.found.append(members)


def weak_components(count: int, pairs: Pairs) -> list[list[int]]:
    """Return the groups of nodes that edges connect, whatever their direction; nodes in order."""
    above = list(range(count))

    def find(node: int) -> int:
        while above[node] != node:
            above[node] = node = above[above[node]]
        return node

    for source, target in pairs:
        one, other = find(source), find(target)
        above[max(one, other)] = min(one, other)
    groups: dict[int, list[int]] = {}
    for node in range(count):
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())
