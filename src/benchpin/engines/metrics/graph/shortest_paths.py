"""Betweenness and closeness: measures over the shortest paths between all nodes.

The library holds the interpreter while it works and cannot be stopped, so long work is done by a
child: `python -m benchpin.engines.metrics.graph.shortest_paths` takes a graph on stdin and answers
on stdout. It can be killed at any time.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from benchpin.core import Job

if TYPE_CHECKING:
    import rustworkx

    Digraph = rustworkx.PyDiGraph[int, None]

_MOST_STEPS_HERE = 5_000_000
"""Steps along edges that are taken in this process: some tenth of a second."""
_SAMPLED = 64
_POLL_S = 0.1

Pairs = Sequence[tuple[int, int]]


class ShortestPaths(msgspec.Struct, frozen=True):
    """The measures of each node."""

    betweenness: list[float]
    closeness: list[float]


class _Order(msgspec.Struct, frozen=True):
    count: int
    pairs: list[tuple[int, int]]


def as_digraph(count: int, pairs: Pairs) -> "Digraph":
    """Return a graph that rustworkx can measure."""
    import rustworkx

    digraph: Digraph = rustworkx.PyDiGraph(multigraph=False)
    digraph.add_nodes_from(range(count))
    digraph.add_edges_from([(source, target, None) for source, target in pairs])
    return digraph


def measure_paths(digraph: "Digraph", job: Job) -> ShortestPaths | None:
    """Measure here or in a child, as the size asks for; None when nothing came of it.

    Raises:
        Cancelled: when the job was cancelled.
    """
    if _estimated_steps(digraph) <= _MOST_STEPS_HERE:
        return _measure(digraph)
    order = _Order(digraph.num_nodes(), [(one, other) for one, other in digraph.edge_list()])
    answer = _ask_child(msgspec.msgpack.encode(order), job)
    return msgspec.msgpack.decode(answer, type=ShortestPaths) if answer else None


def _measure(digraph: "Digraph") -> ShortestPaths:
    import rustworkx

    betweenness = rustworkx.digraph_betweenness_centrality(digraph, normalized=True)
    closeness = rustworkx.digraph_closeness_centrality(digraph, wf_improved=True)
    nodes = range(digraph.num_nodes())
    return ShortestPaths([betweenness[it] for it in nodes], [closeness[it] for it in nodes])


def _estimated_steps(digraph: "Digraph") -> int:
    """Estimate from some nodes how many edges the shortest paths from all nodes go along."""
    import rustworkx

    count, edges = digraph.num_nodes(), digraph.num_edges()
    if count * edges <= _MOST_STEPS_HERE:
        return count * edges
    sampled = range(0, count, max(1, count // _SAMPLED))
    reached = sum(len(rustworkx.descendants(digraph, node)) for node in sampled)
    return int(reached / len(sampled) * edges)


def _ask_child(order: bytes, job: Job) -> bytes | None:
    given: bytes | None = order
    with subprocess.Popen(
        (sys.executable, "-m", "benchpin.engines.metrics.graph.shortest_paths"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
    ) as child:
        try:
            with job.stopping(child.kill):
                while not job.is_expired:
                    job.check()
                    try:
                        answer, _ = child.communicate(given, timeout=_POLL_S)
                    except subprocess.TimeoutExpired:
                        given = None
                    else:
                        job.check()
                        return answer
                return None
        finally:
            child.kill()


def main() -> None:
    """Answer one order."""
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=_Order)
    measured = _measure(as_digraph(order.count, order.pairs))
    sys.stdout.buffer.write(msgspec.msgpack.encode(measured))


if __name__ == "__main__":
    main()
