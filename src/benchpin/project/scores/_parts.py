"""The parts of a project, and the few imports that tie two of them together."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchpin.measures.graph import Edge, Graph
from benchpin.project import Findings

from ._hotspots import Recommendation, advise

_MAX_ADVICE = 5
# Imports that lead back are few: up to so many, and a fifth of those that lead forth.
_MAX_BACK = 5
_ONE_WAY = 5
_IMPORT_HOURS = 1.0
# A folder with this share of the files is the project, not a part of it.
_WHOLE_SHARE = 0.8
# Folders that hold packages.
_HOLDERS = frozenset(
    "apps cmd crates internal lib libs modules packages pkg plugins services src".split()  # noqa: SIM905 - easier to read
)


def mutual_imports(found: Findings) -> Iterator[Recommendation]:
    """Cut the few imports that lead back between two parts of the project.

    Files of one part may import one another as they like, which is usual in Rust, Java and Python.
    Where most imports between two parts lead one way, the few that lead back tie them together.
    """
    if found.graph is None:
        return
    nodes, between = found.graph.nodes, imports_between(found.graph)
    back = [
        (len(edges), -len(between[target, source]), source, target)
        for (source, target), edges in between.items()
        if len(edges) <= _MAX_BACK
        and len(edges) * _ONE_WAY <= len(between.get((target, source), ()))
    ]
    for count, forward, source, target in sorted(back)[:_MAX_ADVICE]:
        imports = "the import" if count == 1 else f"the {count} imports"
        yield from advise(
            found,
            "mutual-imports",
            f"Cut {imports} from {source} back to {target}",
            f"{target} imports {source} in {-forward:,} places; without the imports back, {source} "
            "can be understood, tested and reused on its own.",
            # Of four that were read in unseen projects, none was what one would do next: most are
            # types in the interface of a library.
            priority="Low",
            hours=count * _IMPORT_HOURS,
            basis=f"{_IMPORT_HOURS:g} hour an import",
            evidence=[
                (nodes[it.source].file, it.line, f"imports {nodes[it.target].file}")
                for it in between[source, target]
            ],
        )


def imports_between(graph: Graph) -> Mapping[tuple[str, str], Sequence[Edge]]:
    """Return the imports at run time from one part of a project to another."""
    nodes = graph.nodes
    part_of = parts_of([it.file for it in nodes])
    between = defaultdict[tuple[str, str], list[Edge]](list)
    for edge in graph.edges:
        ends = part_of[nodes[edge.source].file], part_of[nodes[edge.target].file]
        # A file beside the parts, such as the interface of a library, is on both sides of them.
        is_between = ends[0] != ends[1] and not {*ends} & {*part_of}
        if edge.dependency == "runtime" and is_between:
            between[ends].append(edge)
    return between


def parts_of(paths: Sequence[str]) -> dict[str, str]:
    """Return the part of a project that each file is in: a package, a crate, a top module.

    Folders that hold most files (`src`, the only package) and those that only hold packages are
    no parts; what is in them is.
    """
    top, files = "", list(paths)
    while True:
        inside = Counter(_step(path, top) for path in files)
        largest, count = max(inside.items(), key=lambda it: it[1], default=("", 0))
        if not largest.endswith("/") or count < _WHOLE_SHARE * len(files):
            break
        top, files = largest, [it for it in files if it.startswith(largest)]
    parts = {}
    for path in paths:
        part = _step(path, top if path.startswith(top) else "")
        while part.endswith("/") and part.removesuffix("/").rpartition("/")[2] in _HOLDERS:
            part = _step(path, part)
        parts[path] = part.removesuffix("/")
    return parts


def _step(path: str, folder: str) -> str:
    """Return the folder or file right below a folder that a path leads through."""
    name, slash, _ = path[len(folder) :].partition("/")
    return folder + name + slash
