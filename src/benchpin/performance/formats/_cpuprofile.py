"""CPU profiles of V8: what `node --cpu-prof` and the browser's developer tools save."""

import re
from collections import Counter, defaultdict
from itertools import chain, islice
from urllib.parse import unquote

import msgspec

from benchpin.performance.calls import ROOT, CallTree, ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import NS_PER_US, Profile

from ._source import FunctionTable, decoded, profile_format, whole

NAME = "cpuprofile"
_MARKS = re.compile(rb'^\s*\{\s*"nodes"\s*:\s*\[\s*\{.{0,4096}"callFrame"', re.DOTALL)


class _CallFrame(msgspec.Struct, rename="camel"):
    function_name: str = ""
    url: str = ""
    line_number: int = -1


class _Node(msgspec.Struct, rename="camel"):
    id: int
    call_frame: _CallFrame
    hit_count: int = 0
    children: list[int] = msgspec.field(default_factory=list)
    parent: int | None = None


class _Document(msgspec.Struct, rename="camel"):
    nodes: list[_Node]
    start_time: float = 0
    end_time: float = 0
    samples: list[int] = msgspec.field(default_factory=list)
    time_deltas: list[float] = msgspec.field(default_factory=list)


def fits(head: bytes) -> bool:
    return bool(_MARKS.match(head))


def read(source: ArtifactSource) -> Profile:
    """Read time and samples of each stack.

    As in the developer tools, a sample lasts until the next one, and the last one to the end.
    """
    document = decoded(source.document(), _Document)
    calls = ProfileBuilder(2, source)
    functions = FunctionTable(source)
    placed = _placed(document, functions, calls.tree, source)
    wall, samples = calls.tree.costs
    for node, time in _times(document).items():
        wall[placed.get(node, ROOT)] += time
    hits = Counter(document.samples) or {it.id: whole(it.hit_count) for it in document.nodes}
    for node, count in hits.items():
        samples[placed.get(node, ROOT)] += count
    unknown = len(hits.keys() - placed.keys())
    if unknown:
        source.faults.add("samples", f"{unknown} nodes that do not exist")
    return calls.profile(NAME, ("wt", "samples"), functions.names, events=sum(hits.values()))


def _placed(
    document: _Document, functions: FunctionTable, tree: CallTree, source: ArtifactSource
) -> dict[int, int]:
    """Add the nodes to the tree, and return their places; V8's own root is that of the tree."""
    nodes = {node.id: node for node in document.nodes}
    parents = {child: node.id for node in document.nodes for child in node.children}
    parents |= {node.id: node.parent for node in document.nodes if node.parent is not None}
    placed: dict[int, int] = {
        number: ROOT
        for number, node in nodes.items()
        if number not in parents and node.call_frame.function_name == "(root)"
    }
    for number in nodes:
        chain: dict[int, None] = {}
        at: int | None = number
        while at in nodes and at not in placed and at not in chain:
            chain[at] = None
            at = parents.get(at)
        for each in reversed(chain):
            source.spend()
            above = placed.get(parents.get(each, -1), ROOT)
            placed[each] = tree.child(above, _function(nodes[each].call_frame, functions))
    return placed


def _function(frame: _CallFrame, functions: FunctionTable) -> int:
    """Return the number of a call frame, whose lines count from 0."""
    file = unquote(frame.url.removeprefix("file://")) or None
    return functions.number(frame.function_name, file, frame.line_number + 1)


def _times(document: _Document) -> dict[int, int]:
    times: defaultdict[int, float] = defaultdict(float)
    deltas = document.time_deltas
    last = document.end_time - document.start_time - sum(deltas)
    until_next = chain(islice(deltas, 1, None), [max(0.0, last)])
    for node, delta in zip(document.samples, until_next, strict=False):
        times[node] += delta
    return {node: whole(time, NS_PER_US) for node, time in times.items()}


FORMAT = profile_format(NAME, fits, read)
