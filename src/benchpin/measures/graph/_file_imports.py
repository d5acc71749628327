"""What each file adds to an import graph, so that an edit replaces the imports of one file."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from benchpin.code.names import Outcome
from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.imports import Resolution
from benchpin.memory import key_digest

from ._build import graph_from, outcome_of
from ._dependency_graph import Graph

Outcomes = dict[Outcome, int]


class FileImports(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file as a graph was built from it."""

    key: bytes
    language: str
    outcomes: Outcomes | None
    """How many of its imports were resolved, or why not; None for one that is in no graph."""
    imports: bytes = b""
    """A digest of its imports as they are written; empty for one that is in no graph."""


def imports_by_file(
    listed: Iterable[FileFacts],
    read: Iterable[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
) -> dict[str, FileImports]:
    """Return what to remember of each file, by path; generated ones are not read."""
    written = {file.path: digest_of_imports(file) for file in read}
    return {
        file.path: FileImports(
            file.key,
            file.language,
            _outcomes(resolutions[file.path]) if file.path in resolutions else None,
            written.get(file.path, b""),
        )
        for file in listed
    }


def digest_of_imports(file: FileFacts) -> bytes:
    """Return a digest of the imports of a file with their lines."""
    return key_digest(file.links.imports)


def _outcomes(resolutions: Iterable[Resolution]) -> Outcomes:
    return dict(Counter(map(outcome_of, resolutions)))


def changed_paths(
    before: Mapping[str, FileImports], listed: Collection[FileFacts]
) -> list[str] | None:
    """Return the files with another content than before.

    None where a file is new, gone or in another language: then any import may lead elsewhere.
    """
    if len(listed) != len(before):
        return None
    changed: list[str] = []
    for file in listed:
        known = before.get(file.path)
        if known is None or known.language != file.language:
            return None
        if known.key != file.key:
            changed.append(file.path)
    return changed


def replace_imports(
    graph: Graph,
    files: Sequence[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
    before: Mapping[str, FileImports],
    job: Job,
) -> Graph:
    """Return an import graph in which some files have other imports than before."""
    number = {node.id: at for at, node in enumerate(graph.nodes)}
    part = graph_from(files, resolutions, "import-graph", job)
    at = [number[node.id] for node in part.nodes]
    sources = {number[file.path] for file in files}
    paths = {file.path for file in files}
    edges = [edge for edge in graph.edges if edge.source not in sources]
    edges += [replace(it, source=at[it.source], target=at[it.target]) for it in part.edges]
    lost = [it for it in graph.unresolved_imports if it.file not in paths]
    counts = Counter(graph.outcomes.get("imports", {}))
    for file in files:
        counts.subtract(before[file.path].outcomes or {})
        counts.update(_outcomes(resolutions[file.path]))
    known = {outcome: count for outcome, count in sorted(counts.items()) if count}
    return Graph(
        nodes=graph.nodes,
        edges=sorted(edges, key=lambda it: (it.source, it.target)),
        outcomes={"imports": known} if known else {},
        unresolved_imports=sorted(
            (*lost, *part.unresolved_imports), key=lambda it: (it.file, it.line, it.module)
        ),
    )
