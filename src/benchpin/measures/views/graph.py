"""How a dependency graph is shown."""

from collections.abc import Callable, Iterator
from typing import Any

from benchpin.core.text import counted
from benchpin.measures.graph import DependencyCycle, GraphTotals, NodeMetrics, UnresolvedImport
from benchpin.present import Column, Table, location
from benchpin.present.charts import node_link
from benchpin.present.pictures import Picture, Specification, bars

from .dependency_map import DependencyMap

# How much of a long cycle a line has room for.
_MAX_STEPS = 8


def _steps(cycle: DependencyCycle) -> str:
    path = cycle.steps()
    shown = path if len(path) <= _MAX_STEPS else [*path[:_MAX_STEPS], "…"]
    return " -> ".join([*shown, cycle.path[0]])


NODES: Table[Any, NodeMetrics] = Table(
    rows=lambda it: it.nodes,
    columns=(
        Column("name"),
        Column("kind", is_detail=True),
        location(is_detail=True),
        Column("in_degree", heading="in"),
        Column("out_degree", heading="out"),
        Column("degree_centrality", heading="degree", is_detail=True),
        Column("betweenness_centrality", heading="betweenness"),
        Column("closeness_centrality", heading="closeness", is_detail=True),
        Column("pagerank"),
        Column("clustering_coefficient", heading="clustering", is_detail=True),
        Column("community", is_detail=True),
        Column("component", is_detail=True),
    ),
    title="Nodes, most important first",
)
CYCLES: Table[Any, DependencyCycle] = Table(
    rows=lambda it: it.cycles or (),
    columns=(Column("size", heading="nodes"), Column("path", _steps)),
    title=lambda it: f"Cycles, {len(it.cycles or ())} of {it.total_cycles:,}",
    summary_rows=3,
)
OTHER_CYCLES: Table[Any, DependencyCycle] = Table(
    rows=lambda it: it.other_cycles or (),
    columns=(Column("kind"), *CYCLES.columns),
    title=lambda it: (
        "Cycles only with edges of another kind, "
        f"{len(it.other_cycles or ())} of {it.total_other_cycles:,}"
    ),
    summary_rows=3,
)
UNRESOLVED_IMPORTS: Table[Any, UnresolvedImport] = Table(
    rows=lambda it: it.unresolved_imports,
    columns=(
        location(),
        Column("import", lambda it: " ".join([it.module, *it.names])),
        Column("reason"),
    ),
    title=lambda it: f"Unresolved imports, {len(it.unresolved_imports)} of {_unresolved(it):,}",
    summary_rows=3,
)
TABLES = (NODES, CYCLES, OTHER_CYCLES, UNRESOLVED_IMPORTS)
DEPENDED_ON: Table[Any, Any] = Table(
    rows=lambda it: it.most_depended_on,
    columns=(Column("dependents"), Column("depends_on"), Column("name")),
    title="Most depended on",
)
# Those at run time, then those of other kinds, in full.
ALL_CYCLES: Table[Any, DependencyCycle] = Table(
    rows=lambda it: [*it.cycles, *it.other_cycles],
    columns=(
        Column("kind"),
        Column("size"),
        Column("path", lambda it: " → ".join(it.steps())),
    ),
    title="Import cycles",
)


def _map_picture(
    name: str, title: str, found: Callable[[Any], DependencyMap | None]
) -> Picture[Any]:
    def spec(report: object) -> Specification:
        drawn = found(report)
        return {} if drawn is None else node_link(drawn.kinds, drawn.height, "Imports")

    return Picture(
        name=name,
        title=title,
        rows=lambda it: drawn.rows if (drawn := found(it)) else (),
        spec=spec,
        alt=lambda it, _: drawn.seen if (drawn := found(it)) else "",
        text=lambda rows: bars("edge", "count")(
            [
                {"edge": f"{it['source']} → {it['target']}", "count": it["count"]}
                for it in rows
                if it.get("is_edge")
            ]
        ),
        link="id",
    )


MAPS = (
    _map_picture("folders", "How folders depend on one another", lambda it: it.folders),
    _map_picture("files", "The files with the most imports", lambda it: it.files),
)


def headline(totals: GraphTotals) -> Iterator[str]:
    """Yield the totals of a graph."""
    size = f"{counted(totals.total_nodes, 'node')}, {counted(totals.total_edges, 'edge')}"
    pairs = (
        f" between {totals.connected_pairs:,} pairs"
        if totals.connected_pairs != totals.total_edges
        else ""
    )
    yield f"{totals.dag_type}: {size}{pairs}"
    if totals.edges_by_kind.keys() - {"runtime"}:
        kinds = (f"{count:,} {kind}" for kind, count in totals.edges_by_kind.items())
        yield f"edges by kind: {', '.join(kinds)}"
    for counts in totals.references:
        names = ("external", "outside", "resolved", "unresolved")
        found = ((getattr(counts, name), name) for name in names)
        yield f"{counts.kind}: " + ", ".join(f"{count:,} {name}" for count, name in found if count)
    if totals.density is not None:
        yield (
            f"density {totals.density:g}; edges per node: {totals.average_degree:.3g} on average, "
            f"{totals.max_degree:,} at most"
        )
    if totals.connected_components is not None:
        parts = counted(totals.connected_components, "connected component")
        cycles = counted(
            totals.total_cycles or 0, "group of nodes in a cycle", "groups of nodes in cycles"
        )
        others = (
            f", {totals.total_other_cycles:,} more by kind" if totals.total_other_cycles else ""
        )
        biggest = counted(totals.biggest_component or 0, "node")
        yield f"{parts}, the biggest of {biggest}; {cycles}{others}"
    if totals.communities is not None:
        modularity = "" if totals.modularity is None else f" (modularity {totals.modularity:.4f})"
        yield (
            f"average clustering {totals.average_clustering:.4f}; "
            f"{counted(totals.communities, 'community', 'communities')}{modularity}"
        )
    estimate = totals.centrality_estimate
    if estimate is not None:
        yield (
            "betweenness and closeness are estimated from "
            f"{estimate.sampled_nodes:,} of {counted(estimate.of_nodes, 'node')}: at most "
            f"{estimate.betweenness_error:g} and {estimate.closeness_error:g} off, "
            f"with {estimate.confidence:.0%} confidence"
        )


def _unresolved(totals: GraphTotals) -> int:
    return sum(counts.unresolved for counts in totals.references if counts.kind == "imports")
