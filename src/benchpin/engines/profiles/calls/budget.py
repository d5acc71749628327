"""Limits on what is read and kept of a profile."""

from dataclasses import dataclass

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; what exceeds them is left out, and a fault says so."""

    text_bytes: int = 2 * _GIB
    """Of unpacked text."""
    events: int = 100_000_000
    tree_nodes: int = 500_000
    """Nodes of the call tree while reading; beyond that the cheapest fold into `(other)`."""
    tree_values: int = 1_000_000
    """Numbers in the tree: with more than two metrics fewer nodes fit."""
    functions: int = 200_000
    edges: int = 500_000
    kept_nodes: int = 20_000
    """Nodes of the call tree that the profile keeps."""
    kept_depth: int = 500
    """Nested calls that it keeps: exports write the whole stack of each node."""
    faults: int = 50
    """Listed in words; the rest are counted."""

    def nodes_with(self, metrics: int) -> int:
        """Return how many nodes fit into the tree with this number of metrics."""
        return max(1, min(self.tree_nodes, self.tree_values // max(1, metrics)))
