"""Limits on what is read and kept of a profile."""

from dataclasses import dataclass

from benchpin.core.errors import InvalidParams

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; what exceeds them is left out, and a fault says so."""

    text_bytes: int = 2 * _GIB
    """Of unpacked text."""
    events: int = 100_000_000
    tree_nodes: int = 500_000
    """Nodes of the call tree while reading; beyond that the cheapest fold into `(other)`."""
    metrics: int = 64
    """SPX, which has the most, has 22; each node has a number for each."""
    tree_values: int = 1_000_000
    """Numbers in the tree: with more than two metrics fewer nodes fit."""
    stack_frames: int = 100_000
    """Frames of one sample; what is inside of them is `(other)`."""
    functions: int = 200_000
    edges: int = 500_000
    kept_nodes: int = 20_000
    """Nodes of the call tree that the profile keeps."""
    kept_depth: int = 500
    """Nested calls that it keeps: exports write the whole stack of each node."""
    faults: int = 50
    """Listed in words; the rest are counted."""

    def check_metrics(self, count: int) -> None:
        """Return if a profile may have this many metrics.

        Raises:
            InvalidParams: when it has more.
        """
        if count > self.metrics:
            raise InvalidParams(
                f"the profile has {count:,} metrics; at most {self.metrics} are read",
                suggestion="Record the profile again with fewer of them.",
            )

    def nodes_with(self, metrics: int) -> int:
        """Return how many nodes fit into the tree with this number of metrics."""
        return max(1, min(self.tree_nodes, self.tree_values // max(1, metrics)))
