"""Estimated betweenness and closeness beside the exact ones: errors, bounds, agreement of ranks.

    python bench/graph_sampling.py PATH...

For each tree the import graph is measured exactly, and estimated from a fifth and a twentieth of
the work of that. Printed: the largest errors with their bounds, and how many of the 50 nodes with
the highest exact betweenness are among the 50 with the highest estimate.
"""

import argparse
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.measures.graph._shortest_paths import ShortestPaths, measure_paths
from graph import read_graph
from results import machine, write_section

SHARES = (5, 20)
TOP = 50
HEADER = (
    "| graph | nodes | sampled | betweenness: highest, error, bound "
    "| closeness: error, bound | top 50 |\n|---|--:|--:|---|---|--:|"
)


def steps_of(count: int, pairs: list[tuple[int, int]]) -> int:
    """Return how many steps along edges the exact searches take."""
    after: dict[int, list[int]] = {}
    for source, target in pairs:
        after.setdefault(source, []).append(target)
    total = 0
    for start in range(count):
        seen, waiting = {start}, [start]
        while waiting:
            targets = after.get(waiting.pop(), [])
            total += len(targets)
            waiting += (new := set(targets) - seen)
            seen |= new
    return total


def worst(exact: list[float], estimated: list[float]) -> float:
    """Return the largest error."""
    return max(abs(one - other) for one, other in zip(exact, estimated, strict=True))


def top(values: list[float]) -> set[int]:
    """Return the nodes with the highest values."""
    return set(sorted(range(len(values)), key=lambda it: -values[it])[:TOP])


def row(name: str, exact: ShortestPaths, found: ShortestPaths) -> str:
    """Return a line of the table; stops when a bound does not hold."""
    estimate = found.estimate
    assert estimate is not None, "not sampled"
    errors = (
        worst(exact.betweenness, found.betweenness),
        worst(exact.closeness, found.closeness),
    )
    assert errors[0] <= estimate.betweenness_error, "the bound of betweenness does not hold"
    assert errors[1] <= estimate.closeness_error, "the bound of closeness does not hold"
    both = len(top(exact.betweenness) & top(found.betweenness))
    return (
        f"| {name} | {len(exact.betweenness):,} "
        f"| {estimate.sampled_nodes:,} of {estimate.of_nodes:,} "
        f"| {max(exact.betweenness):.2g}, {errors[0]:.1g}, {estimate.betweenness_error:g} "
        f"| {errors[1]:.1g}, {estimate.closeness_error:g} | {both} |"
    )


def main() -> None:
    """Measure, compare, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    lines = [f"{machine()}.\n", HEADER]
    for path in parser.parse_args().paths:
        graph = read_graph(path.resolve(), "import-graph")
        count, pairs = len(graph.nodes), graph.pairs()
        steps = steps_of(count, pairs)
        exact = measure_paths(count, pairs, Job(), max(steps, count * len(pairs)))
        for share in SHARES:
            found = measure_paths(count, pairs, Job(), steps // share)
            if exact is None or found is None:
                print(f"{path.name}: too few nodes to sample a {share}th")
                continue
            lines.append(row(path.name, exact, found))
            print(lines[-1], flush=True)
    write_section("Estimated centrality beside exact", "\n".join(lines))


if __name__ == "__main__":
    main()
