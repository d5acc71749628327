"""How much of a profile is read and kept."""

from dataclasses import dataclass

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Budget:
    """What reading may take; what does not fit is left out, and a fault says so."""

    text_bytes: int = 2 * _GIB
    """Unpacked text; set it to 16 MiB for the strict cap on what is unpacked."""
    events: int = 100_000_000
    tree_nodes: int = 500_000
    """Places in the call tree while reading; past that the cheapest fold into `(other)`."""
    tree_values: int = 1_000_000
    """Numbers kept in the tree: with more than two metrics fewer places fit."""
    functions: int = 200_000
    edges: int = 500_000
    kept_nodes: int = 20_000
    """Places in the call tree that the profile keeps."""
    kept_depth: int = 500
    """Calls within calls that it keeps: exports write out the whole stack of each place."""
    faults: int = 50
    """Listed one by one; the rest are counted."""

    def nodes_with(self, metrics: int) -> int:
        """Return how many places fit into the tree with so many metrics."""
        return max(1, min(self.tree_nodes, self.tree_values // max(1, metrics)))
