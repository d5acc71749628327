"""Graphs and their measures, kept from call to call and from process to process."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from benchpin.facts.imports import ImportResolver, resolve_changed
from benchpin.memory import Inputs, Measure, key_digest

from ._automation import AutomationStep, find_automation
from ._build import (
    DagType,
    FileImports,
    Graph,
    changed_paths,
    digest_of_imports,
    graph_from,
    imports_by_file,
    replace_imports,
)
from ._measures import Measures, Metric, measure


@dataclass(frozen=True, slots=True)
class _BuiltGraph:
    """A graph, and what it was built from."""

    graph: Graph
    files: dict[str, FileImports]
    """What an import graph was built from, by path."""
    looks_into_files: bool = True
    """Whether an import may lead elsewhere when the content of another file changes."""


def graph_of(inputs: Inputs, dag_type: DagType) -> Graph:
    """Return the graph of the selected files."""
    return inputs.get(_GRAPH, dag_type).graph


def _built(inputs: Inputs, dag_type: DagType) -> _BuiltGraph:
    found, job = inputs.files, inputs.selection.job
    resolver = ImportResolver(found, inputs.read_manifest)
    resolutions = resolver.all_leads(found, job)
    is_import_graph = dag_type == "import-graph"
    known = imports_by_file(inputs.listing.files, found, resolutions) if is_import_graph else {}
    steps: list[AutomationStep] = []
    if dag_type == "full-dependency":
        folders = frozenset(it.path.partition("/")[0] for it in found if "/" in it.path)
        steps = find_automation(inputs.read_manifest, folders)
    built = graph_from(found, resolutions, dag_type, job, steps)
    return _BuiltGraph(built, known, resolver.looks_into_files)


def _updated(before: _BuiltGraph, inputs: Inputs, _dag_type: DagType) -> _BuiltGraph | None:
    """Replace the imports of the files that changed; None where others may be concerned."""
    selection = inputs.selection
    paths = changed_paths(before.files, inputs.listing.files) if before.files else None
    if paths is None:
        return None
    changed = selection.only(paths).read("links").files
    inside = {path for path in paths if before.files[path].outcomes is not None}
    if inside != {file.path for file in changed}:
        return None  # one is generated now, or no longer
    if not before.looks_into_files and all(
        before.files[file.path].imports == digest_of_imports(file) for file in changed
    ):
        # The edges and their lines are the same: the graph itself stays.
        keys = {file.path: file.key for file in changed}
        same = {path: replace(before.files[path], key=key) for path, key in keys.items()}
        return dataclasses.replace(before, files=before.files | same)
    around = [
        file
        for file in selection.list_files("outline", "links").files
        if before.files[file.path].outcomes is not None
    ]
    resolutions = resolve_changed(around, changed, inputs.read_manifest, selection.job)
    if resolutions is None or len(resolutions) < len(changed):
        return None
    return _BuiltGraph(
        replace_imports(before.graph, changed, resolutions, before.files, selection.job),
        before.files | imports_by_file(changed, changed, resolutions),
        before.looks_into_files,
    )


_GRAPH = Measure("graph", _BuiltGraph, _built, _updated, slot=lambda dag_type: dag_type)


class _MeasuredGraph(msgspec.Struct, frozen=True):
    """The measures of a graph, and what they depend on of it."""

    shape: bytes
    measures: Measures


class _Wanted(NamedTuple):
    """Which graph, and what to measure; see `measure`."""

    dag_type: DagType
    metrics: tuple[Metric, ...] = ("components",)
    seeds: tuple[int, ...] = ()
    damping: float = 0.85


def _shape(graph: Graph, wanted: _Wanted) -> bytes:
    """Return a digest of what is measured.

    Components and cycles name nodes and lines. The other measures depend on nothing but which nodes
    have an edge: an edit that changes no edge leaves them as they are.
    """
    if wanted.metrics == ("components",):
        return key_digest(msgspec.msgpack.encode(([node.id for node in graph.nodes], graph.edges)))
    ends = [(edge.source, edge.target) for edge in graph.edges]
    return key_digest(msgspec.msgpack.encode((len(graph.nodes), ends)))


def _measured(inputs: Inputs, wanted: _Wanted) -> _MeasuredGraph:
    graph, job = graph_of(inputs, wanted.dag_type), inputs.selection.job
    found = measure(graph, wanted.metrics, job, seeds=wanted.seeds, damping=wanted.damping)
    return _MeasuredGraph(_shape(graph, wanted), found)


def _same(before: _MeasuredGraph, inputs: Inputs, wanted: _Wanted) -> _MeasuredGraph | None:
    """Return the measures of the graph before an edit, if it has the same shape."""
    is_same = before.shape == _shape(graph_of(inputs, wanted.dag_type), wanted)
    return before if is_same else None


_MEASURES = Measure("graph measures", _MeasuredGraph, _measured, _same, slot=lambda wanted: wanted)
_COMPONENTS = Measure(
    "graph components", _MeasuredGraph, _measured, _same, slot=lambda wanted: wanted
)


def measures_of(
    inputs: Inputs,
    dag_type: DagType,
    metrics: Sequence[Metric],
    *,
    seeds: Sequence[int],
    damping: float,
) -> Measures:
    """Return the measures of a graph, recalled or taken now; see `measure`."""
    others = tuple(it for it in metrics if it != "components")
    found = inputs.get(_MEASURES, _Wanted(dag_type, others, tuple(seeds), damping)).measures
    if "components" not in metrics:
        return found
    parts = components_of(inputs, dag_type)
    return dataclasses.replace(
        found,
        components=parts.components,
        strong_components=parts.strong_components,
        cycles=parts.cycles,
        cycle_members=parts.cycle_members,
        other_cycles=parts.other_cycles,
        not_measured=parts.not_measured | found.not_measured,
    )


def components_of(inputs: Inputs, dag_type: DagType) -> Measures:
    """Return the components and cycles of a graph; recalled while no edge changes its line."""
    return inputs.get(_COMPONENTS, _Wanted(dag_type)).measures
