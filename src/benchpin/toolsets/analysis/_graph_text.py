"""The report on a graph in words and tables."""

from collections.abc import Sequence

from benchpin.core import plain
from benchpin.engines.metrics.graph import COLUMNS, DagType, Graph, Measures, Row

from ._tables import Cell, as_csv, as_markdown, columns

_SHOWN = 10
_MOST_CYCLES = 10
_FEW_CYCLES = 3
_MOST_STEPS = 8
_FEW_LOST, _MOST_LOST = 3, 100


def summary_text(dag_type: DagType, graph: Graph, measures: Measures, rows: Sequence[Row]) -> str:
    """Return how it stands, and the most important nodes."""
    lines = [*_head(dag_type, graph, measures), *_top(rows[:_SHOWN])]
    lines += _cycle_lines(graph, measures, _FEW_CYCLES)
    return "\n".join([*lines, *_lost_lines(graph, _FEW_LOST)])


def detailed_text(dag_type: DagType, graph: Graph, measures: Measures, rows: Sequence[Row]) -> str:
    """Return all numbers of some nodes, and the cycles."""
    lines = _head(dag_type, graph, measures)
    if rows:
        lines += ["", *columns([COLUMNS, *map(_text_row, rows)])]
    lines += _cycle_lines(graph, measures, _MOST_CYCLES)
    return "\n".join([*lines, *_lost_lines(graph, _MOST_LOST)])


def _cycle_lines(graph: Graph, measures: Measures, most: int) -> list[str]:
    cycles = measures.cycles or ()
    lines = ["", "cycles"] if cycles else []
    for cycle in cycles[:most]:
        steps = [plain(graph.nodes[at].id) for at in cycle.path[:_MOST_STEPS]]
        more = ["…"] if len(cycle.path) > _MOST_STEPS else []
        lines.append(f"{cycle.size} nodes: {' -> '.join([*steps, *more, steps[0]])}")
    return lines


def _lost_lines(graph: Graph, most: int) -> list[str]:
    return ["", "unresolved imports", *_lost(graph, most)] if graph.lost_imports else []


def _lost(graph: Graph, most: int) -> list[str]:
    lost = graph.lost_imports
    shown = [
        plain(f"{it.file}:{it.line} {' '.join([it.module, *it.names])}: {it.reason}")
        for it in lost[:most]
    ]
    return [*shown, f"{most} of {len(lost):,}"] if len(lost) > most else shown


def csv_text(rows: Sequence[Row]) -> str:
    """Return every node as CSV."""
    return as_csv(COLUMNS, map(_row, rows))


def markdown_text(dag_type: DagType, graph: Graph, measures: Measures, rows: Sequence[Row]) -> str:
    """Return the report as Markdown."""
    head = [f"- {line}" for line in _head(dag_type, graph, measures)]
    parts = [f"# Graph: {dag_type}\n", *head]
    if rows:
        parts += ["\n## Nodes\n", as_markdown(COLUMNS, map(_text_row, rows))]
    if graph.lost_imports:
        parts += ["\n## Unresolved imports\n", *(f"- {it}" for it in _lost(graph, _MOST_LOST))]
    return "\n".join(parts)


def _head(dag_type: DagType, graph: Graph, measures: Measures) -> list[str]:
    several = f" between {measures.pairs:,} pairs" if measures.pairs != measures.edges else ""
    lines = [f"{dag_type}: {measures.nodes:,} nodes, {measures.edges:,} edges{several}"]
    for kind, outcomes in graph.outcomes.items():
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        lines.append(f"{kind}: {counts}")
    if measures.density is not None:
        lines.append(
            f"density {measures.density:.6g}, {measures.average_degree:.3g} edges a node, "
            f"at most {measures.max_degree:,}"
        )
    if measures.components is not None:
        biggest = measures.components.count(0)
        lines.append(
            f"{max(measures.components) + 1:,} connected components, "
            f"{biggest:,} nodes in the biggest; {_cycles(measures)}"
        )
    if measures.communities is not None:
        modularity = (
            "" if measures.modularity is None else f" (modularity {measures.modularity:.4f})"
        )
        lines.append(
            f"average clustering {measures.average_clustering:.4f}; "
            f"{max(measures.communities) + 1:,} communities{modularity}"
        )
    lines += [f"{what} not measured: {reason}" for what, reason in measures.not_measured.items()]
    return lines


def _cycles(measures: Measures) -> str:
    cycles = measures.cycles or []
    if not cycles:
        return "no cycles"
    return f"{len(cycles):,} groups of nodes in cycles, the biggest of {cycles[0].size:,}"


def _top(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    is_ranked = rows[0].pagerank is not None
    score = "pagerank" if is_ranked else "betweenness_centrality"
    header: tuple[Cell, ...] = (score, "in", "out", "name")
    listed = [
        (_text(getattr(row, score)), row.in_degree, row.out_degree, row.node.id) for row in rows
    ]
    return ["", *columns([header, *listed])]


def _row(row: Row) -> tuple[Cell, ...]:
    return tuple(getattr(row, it) for it in COLUMNS)


def _text_row(row: Row) -> tuple[Cell, ...]:
    return tuple(_text(cell) if isinstance(cell, float) else cell for cell in _row(row))


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
