"""Betweenness and closeness: measures over the shortest paths between all nodes.

rustworkx holds the GIL while it computes and cannot be interrupted. Long computations therefore run
in a child process, which can be killed: `python -m benchpin.engines.metrics.graph.shortest_paths`
reads a graph from stdin and writes the measures to stdout.
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
"""Above so many steps along edges, about 0.1 s, a child process is worth its start."""
_SAMPLED = 64
_POLL_S = 0.1
"""How often the deadline is checked."""

Pairs = Sequence[tuple[int, int]]


class ShortestPaths(msgspec.Struct, frozen=True):
    """The measures of each node."""

    betweenness: list[float]
    closeness: list[float]


class _Request(msgspec.Struct, frozen=True):
    count: int
    pairs: list[tuple[int, int]]


def as_digraph(count: int, pairs: Pairs) -> "Digraph":
    """Return the graph as rustworkx needs it."""
    import rustworkx

    digraph: Digraph = rustworkx.PyDiGraph(multigraph=False)
    digraph.add_nodes_from(range(count))
    digraph.add_edges_from([(source, target, None) for source, target in pairs])
    return digraph


def measure_paths(digraph: "Digraph", job: Job) -> ShortestPaths | None:
    """Measure in this process or, for a big graph, in a child; None when it did not finish."""
    if _estimated_steps(digraph) <= _MOST_STEPS_HERE:
        return _measure(digraph)
    request = _Request(digraph.num_nodes(), [(one, other) for one, other in digraph.edge_list()])
    answer = _ask_child(msgspec.msgpack.encode(request), job)
    return msgspec.msgpack.decode(answer, type=ShortestPaths) if answer else None


def _measure(digraph: "Digraph") -> ShortestPaths:
    import rustworkx

    betweenness = rustworkx.digraph_betweenness_centrality(digraph, normalized=True)
    closeness = rustworkx.digraph_closeness_centrality(digraph, wf_improved=True)
    nodes = range(digraph.num_nodes())
    return ShortestPaths([betweenness[it] for it in nodes], [closeness[it] for it in nodes])


def _estimated_steps(digraph: "Digraph") -> int:
    """Estimate from a sample of nodes how many edges a search from every node visits."""
    import rustworkx

    count, edges = digraph.num_nodes(), digraph.num_edges()
    if count * edges <= _MOST_STEPS_HERE:
        return count * edges
    sampled = range(0, count, max(1, count // _SAMPLED))
    reached = sum(len(rustworkx.descendants(digraph, node)) for node in sampled)
    return int(reached / len(sampled) * edges)


def _ask_child(request: bytes, job: Job) -> bytes | None:
    to_send: bytes | None = request
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
                        answer, _ = child.communicate(to_send, timeout=_POLL_S)
                    except subprocess.TimeoutExpired:
                        to_send = None  # a second call goes on with the first
                    else:
                        job.check()
                        return answer
                return None
        finally:
            child.kill()


def main() -> None:
    """Answer one request."""
    request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=_Request)
    measured = _measure(as_digraph(request.count, request.pairs))
    sys.stdout.buffer.write(msgspec.msgpack.encode(measured))


if __name__ == "__main__":
    main()
