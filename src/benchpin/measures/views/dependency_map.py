"""The import graph as a map that people can read: folders first, or the most used files."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core.text import counted
from benchpin.measures.graph import Graph
from benchpin.present.charts import CLOSES_CYCLE, KINDS, Pair, layered
from benchpin.present.pictures import PictureRow

MAX_NODES = 24  # boxes whose names can be read
_MAX_BACK_EDGES = 15
# The limit of either direction; more lines blur into one.
_MAX_EDGES = 40
_LAYER_PX = 76
_MIN_PX = 200
_ASIDE_PX = 14


@dataclass(frozen=True, slots=True)
class DependencyMap:
    """The rows of a map, its height, and what it leaves out."""

    rows: list[PictureRow]
    height: int
    kinds: list[str]
    seen: str
    """What one sees in it, in a sentence."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The edges between nodes of the map, by kind."""

    counts: dict[Pair, Counter[str]]

    def weights(self) -> dict[Pair, int]:
        return {pair: kinds.total() for pair, kinds in self.counts.items()}


def folder_map(graph: Graph) -> DependencyMap | None:
    """Return how the folders of a project use one another; None if there is nothing to see."""
    files = [it.file for it in graph.nodes]
    groups = group_files(files, MAX_NODES)
    sizes = Counter(groups.values())
    notes = {name: counted(count, "file") for name, count in sizes.items()}
    return _map(_between(graph, groups), notes, "folder", len(sizes))


def file_map(graph: Graph) -> DependencyMap | None:
    """Return how the files with the most imports use one another."""
    chosen = {it.file for it in graph.nodes}
    degree = Counter[str]()
    for source, target in graph.pairs():
        ends = graph.nodes[source].file, graph.nodes[target].file
        if chosen.issuperset(ends):
            degree.update(ends)
    top = sorted(degree, key=lambda it: (-degree[it], it))[:MAX_NODES]
    notes = {path: path.rpartition("/")[0] or "." for path in top}
    return _map(_between(graph, {path: path for path in top}), notes, "file", len(chosen))


def group_files(files: Sequence[str], most: int) -> dict[str, str]:
    """Return the folder that represents each file; the largest folders are opened first.

    A folder that is opened represents the files directly in it, and for the folders inside that
    are too small to be on the map themselves.
    """
    groups: dict[str, list[str]] = {"": list(files)}
    closed: set[str] = set()
    while waiting := [it for it in groups if it not in closed]:
        folder = min(waiting, key=lambda it: (-len(groups[it]), it))
        closed.add(folder)
        parts = defaultdict[str, list[str]](list)
        start = len(folder) + 1 if folder else 0
        for path in groups[folder]:
            inside = path[start:].partition("/")
            parts[path[: start + len(inside[0])] if inside[1] else folder].append(path)
        inner = sorted(parts.keys() - {folder}, key=lambda it: (-len(parts[it]), it))
        has_room = len(groups) - 1 + len(parts) <= most
        room = len(inner) if has_room else most - len(groups)
        # A few of very many say little, but for the only folder there is.
        if has_room or len(groups) == 1:
            del groups[folder]
            groups |= {it: parts[it] for it in inner[:room]}
            rest = [path for it in (folder, *inner[room:]) for path in parts.get(it, ())]
            groups |= {folder: rest} if rest else {}
    return {path: folder or "." for folder, paths in groups.items() for path in paths}


def _between(graph: Graph, groups: dict[str, str]) -> _Drawn:
    counts = defaultdict[Pair, Counter[str]](Counter)
    for edge in graph.edges:
        ends = (graph.nodes[edge.source].file, graph.nodes[edge.target].file)
        source, target = (groups.get(it) for it in ends)
        if source is not None and target is not None and source != target:
            counts[source, target][edge.dependency] += edge.count
    return _Drawn(dict(counts))


def _map(drawn: _Drawn, notes: dict[str, str], noun: str, total: int) -> DependencyMap | None:
    weights = drawn.weights()
    nodes = sorted({end for pair in weights for end in pair})
    if not nodes:
        return None
    # Only what is needed whenever the code is loaded decides what is above what.
    firm = {pair: n for pair, kinds in drawn.counts.items() if (n := kinds["runtime"])}
    layout = layered(nodes, firm)
    places = layout.places()
    cyclic = {end for pair in layout.back for end in pair}
    shown = _strongest(weights, layout.back)
    names = short_names(nodes)
    kinds = {pair: _kind(pair, drawn, layout.back) for pair in shown}
    rows: list[PictureRow] = [
        {
            "is_edge": True,
            "source": source,
            "target": target,
            "sx": round(places[source][0], 4),
            "sy": round(places[source][1], 4),
            "tx": round(places[target][0], 4),
            "ty": round(places[target][1], 4),
            "shift": _shift((source, target), shown, layout.back),
            "count": weights[source, target],
            "kind": kinds[source, target],
            "note": ", ".join(f"{n} {kind}" for kind, n in drawn.counts[source, target].items()),
        }
        for source, target in shown
    ]
    rows += [
        {
            "id": node,
            "name": names[node],
            "note": notes[node],
            "x": round(places[node][0], 4),
            "y": round(places[node][1], 4),
            "room": places[node][2],
            "is_cyclic": node in cyclic,
        }
        for node in nodes
    ]
    used = set(kinds.values())
    height = max(_MIN_PX, _LAYER_PX * len(layout.layers))
    seen = _seen(len(nodes), noun, total, len(layout.back), len(weights) - len(shown))
    return DependencyMap(rows, height, [it for it in KINDS if it in used], seen)


def _shift(pair: Pair, shown: Sequence[Pair], back: frozenset[Pair]) -> int:
    """Return how far a line is moved aside, so that one does not hide the one back."""
    if pair[::-1] not in shown:
        return 0
    return _ASIDE_PX if pair in back else -_ASIDE_PX


def _strongest(weights: dict[Pair, int], back: frozenset[Pair]) -> list[Pair]:
    """Return the strongest edges, those that close cycles among them, and one of each node."""
    ranked = sorted(weights, key=lambda it: (-weights[it], it))
    chosen = [it for it in ranked if it in back][:_MAX_BACK_EDGES]
    chosen += [it for it in ranked if it not in back][: _MAX_EDGES - len(chosen)]
    seen = {end for pair in chosen for end in pair}
    for pair in ranked:
        if not seen.issuperset(pair):
            chosen.append(pair)
            seen.update(pair)
    return chosen


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Return the last part of each path, with the folders before it that tell it from others."""
    names = {path: path.rpartition("/")[2] for path in paths}
    while again := [it for it, n in Counter(names.values()).items() if n > 1]:
        longer = {path: _longer(path, name) for path, name in names.items() if name in again}
        if all(names[path] == name for path, name in longer.items()):  # the whole path is used up
            break
        names |= longer
    return names


def _longer(path: str, name: str) -> str:
    before = path[: -len(name) - 1].rpartition("/")[2]
    return f"{before}/{name}" if before else name


def _kind(pair: Pair, drawn: _Drawn, back: frozenset[Pair]) -> str:
    if pair in back:
        return CLOSES_CYCLE
    counts = drawn.counts[pair]
    return next(kind for kind in KINDS if counts[kind])


def _seen(nodes: int, noun: str, total: int, back: int, left_out: int) -> str:
    some = f"{nodes} of {counted(total, noun)}" if nodes < total else counted(nodes, noun)
    cycles = (
        f"{counted(back, 'line')} back up, in orange, {'closes' if back == 1 else 'close'} a cycle"
        if back
        else "there is no cycle"
    )
    weak = f"; {counted(left_out, 'weaker dependency', 'weaker dependencies')} not drawn"
    return (
        f"{some}, without tests; what is above imports what is below; {cycles}"
        f"{weak if left_out else ''}."
    )
