"""Measure graphs beside NetworkX, in one run: the same graphs, the same numbers, how much faster.

    python bench/graph.py PATH [--dag-type import-graph call-graph]

NetworkX is handed its graph ready-made and works with its own defaults; our time includes making
the graph that rustworkx works on. Its PageRank is measured with scipy where that is installed, and
in pure Python. Every number is compared before a time is believed.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar, cast

import networkx as nx
from networkx.algorithms.link_analysis import pagerank_alg

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.graph import DagType, Graph, Measures, build_graph
from benchpin.measures.graph._measures import Metric, measure
from results import machine, write_section

T = TypeVar("T")
ROUNDS = 3
SLOW_S = 5.0
TOLERANCE = 1e-6
HEADER = "| graph | measure | NetworkX s | benchpin s | ratio |\n|---|---|--:|--:|--:|"


@dataclass(frozen=True)
class Row:
    """One measure of one graph."""

    graph: str
    name: str
    theirs_s: float
    ours_s: float

    def __str__(self) -> str:
        """Return a line of the table."""
        ratio = f"{self.theirs_s / self.ours_s:,.0f}×"
        return f"| {self.graph} | {self.name} | {self.theirs_s:.3f} | {self.ours_s:.3f} | {ratio} |"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the best time of a few rounds; what takes long is done once."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
        if best > SLOW_S:
            break
    return best, result


def as_networkx(graph: Graph) -> "nx.DiGraph[int]":
    """Return the same graph for NetworkX."""
    digraph: nx.DiGraph[int] = nx.DiGraph()
    digraph.add_nodes_from(range(len(graph.nodes)))
    digraph.add_edges_from(graph.pairs())
    return digraph


def same(ours: list[float], theirs: Mapping[int, float], what: str) -> None:
    """Stop when two measures differ."""
    worst = max(abs(value - theirs[node]) for node, value in enumerate(ours))
    assert worst <= TOLERANCE, f"{what} differs by {worst}"


def ours(graph: Graph, metric: Metric) -> tuple[float, Measures]:
    """Measure one thing with Benchpin."""
    return timed(lambda: measure(graph, [metric], Job()))


def centrality(name: str, graph: Graph, rival: "nx.DiGraph[int]") -> list[Row]:
    """Compare degree, betweenness and closeness."""
    ours_s, measured = ours(graph, "centrality")
    theirs_s, (degree, betweenness, closeness) = timed(
        lambda: (
            nx.degree_centrality(rival),
            nx.betweenness_centrality(rival),
            nx.closeness_centrality(rival),
        )
    )
    same(measured.degree_centralities or [], degree, "degree")
    same(measured.betweennesses or [], betweenness, "betweenness")
    same(measured.closenesses or [], closeness, "closeness")
    return [Row(name, "degree, betweenness, closeness", theirs_s, ours_s)]


def pagerank(name: str, graph: Graph, rival: "nx.DiGraph[int]") -> list[Row]:
    """Compare PageRank with both of NetworkX's ways."""
    ways: dict[str, Callable[..., dict[int, float]]] = {
        # The stubs do not know it.
        "PageRank, pure Python": pagerank_alg._pagerank_python  # type: ignore[attr-defined] # noqa: SLF001
    }
    if find_spec("scipy") is not None:
        ways["PageRank, scipy"] = nx.pagerank
    else:
        print("scipy is not installed: NetworkX's PageRank is measured in pure Python only")
    ours_s, measured = ours(graph, "pagerank")
    rows = []
    for label, rank in ways.items():
        theirs_s, _ = timed(lambda rank=rank: rank(rival))  # type: ignore[misc] # bound now
        same(measured.pageranks or [], rank(rival, tol=1e-12, max_iter=1_000), label)
        rows.append(Row(name, label, theirs_s, ours_s))
    return rows


def clustering(name: str, graph: Graph, rival: "nx.DiGraph[int]") -> list[Row]:
    """Compare clustering and communities; of these the quality, since ways lead to many."""
    plain = rival.to_undirected()
    ours_s, measured = ours(graph, "clustering")
    theirs_s, (coefficients, quality) = timed(lambda: (nx.clustering(plain), louvain(plain)))
    same(measured.clusterings or [], cast("Mapping[int, float]", coefficients), "clustering")
    groups: dict[int, set[int]] = {}
    for node, group in enumerate(measured.communities or []):
        groups.setdefault(group, set()).add(node)
    expected = nx.community.modularity(plain, groups.values())
    same([measured.modularity or 0.0], {0: expected}, "modularity")
    print(f"{name}: modularity {measured.modularity:.4f}, NetworkX's Louvain {quality:.4f}")
    return [Row(name, "clustering, communities, modularity", theirs_s, ours_s)]


def louvain(plain: "nx.Graph[int]") -> float:
    """Return the modularity that NetworkX's communities reach."""
    return float(nx.community.modularity(plain, nx.community.louvain_communities(plain, seed=1)))


def components(name: str, graph: Graph, rival: "nx.DiGraph[int]") -> list[Row]:
    """Compare weakly and strongly connected components; ours finds a cycle in each as well."""
    ours_s, measured = ours(graph, "components")
    theirs_s, (weak, strong) = timed(
        lambda: (
            list(nx.weakly_connected_components(rival)),
            list(nx.strongly_connected_components(rival)),
        )
    )
    assert max(measured.components or [], default=-1) + 1 == len(weak)
    assert measured.strong_components == len(strong)
    return [Row(name, "components", theirs_s, ours_s)]


def all_of(name: str, rows: list[Row]) -> Row:
    """Add up, with the faster of NetworkX's two ways to PageRank."""
    ranks = [row for row in rows if row.name.startswith("PageRank")]
    fastest = min(ranks, key=lambda row: row.theirs_s)
    counted = [row for row in rows if row not in ranks or row is fastest]
    theirs_s, ours_s = sum(it.theirs_s for it in counted), sum(it.ours_s for it in counted)
    return Row(name, "**together**", theirs_s, ours_s)


def read_graph(root: Path, dag_type: DagType) -> Graph:
    """Build the graph of a tree."""

    def read(path: str) -> bytes | None:
        place = root / path
        return place.read_bytes() if place.is_file() else None

    with tempfile.TemporaryDirectory() as cache:
        index = SourceIndex(root, Path(cache))
        sources = index.read(SourceQuery(sections=("outline", "links")), Job())
        index.close()
    seconds, graph = timed(lambda: build_graph(sources.files, read, dag_type, Job()))
    print(f"{dag_type}: {len(graph.nodes):,} nodes, {len(graph.edges):,} edges in {seconds:.2f} s")
    return graph


def main() -> None:
    """Measure, compare, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    kinds: tuple[DagType, ...] = ("import-graph", "call-graph")
    parser.add_argument("--dag-type", nargs="+", default=kinds)
    given = parser.parse_args()
    lines = [f"{given.path.name}; {machine()}.\n", HEADER]
    for dag_type in given.dag_type:
        graph = read_graph(given.path.resolve(), dag_type)
        rival = as_networkx(graph)
        name = f"{dag_type}, {len(graph.nodes):,} nodes, {len(graph.edges):,} edges"
        rows: list[Row] = []
        for compare in (components, clustering, pagerank, centrality):
            found = compare(name, graph, rival)
            print(*found, sep="\n", flush=True)
            rows += found
        lines += [str(row) for row in (*rows, all_of(name, rows))]
    write_section("Graph metrics beside NetworkX", "\n".join(lines))


if __name__ == "__main__":
    main()
