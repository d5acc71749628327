"""Compare import graphs and cycles: dependency-cruiser, grimp, go/types and Cargo.

`NODE_PATH` names the folder of modules that has `dependency-cruiser` and `typescript`; grimp comes
with the development tools; `go` and `cargo` are looked for in `PATH`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

import rustworkx

from agreement.comparing import program
from agreement.table import Missing, Row, checkout
from benchpin.core import Job
from benchpin.engines.metrics.graph import build_graph
from benchpin.engines.source.index import SourceIndex, SourceQuery

Edge = tuple[str, str]
TYPESCRIPT = {"vite": "packages/vite/src", "hono": "src", "typeorm": "src"}
PYTHON = {"scrapy": "scrapy", "celery": "celery", "textual": "src/textual", "aider": "aider"}
GO = ("gin", "caddy", "traefik", "rclone")
RUST = ("tokio", "axum", "clap", "nushell")
_HERE = Path(__file__).parent


def rows(projects: Path) -> Iterator[Row]:
    """Compare every project that is here with every reference that is."""
    measures: list[tuple[Callable[[Path], Iterator[Row]], Collection[str]]] = [
        (_typescript, TYPESCRIPT),
        (_python, PYTHON),
        (_go, GO),
        (_rust, RUST),
    ]
    for compare, names in measures:
        for name in names:
            try:
                yield from compare(checkout(projects, name))
            except Missing as reason:
                yield Row("imports", compare.__name__.strip("_"), name, f"not measured: {reason}")


def our_edges(root: Path) -> dict[Edge, str]:
    """Return the edges of the import graph of a tree, and the kind of each."""

    def read(path: str) -> bytes | None:
        place = root / path
        return place.read_bytes() if place.is_file() else None

    with tempfile.TemporaryDirectory() as cache:
        index = SourceIndex(root, Path(cache))
        sources = index.read(SourceQuery(sections=("outline", "links")), Job())
        index.close()
    files = [file for file in sources.files if not file.outline.is_generated]
    graph = build_graph(files, read, "import-graph", Job())
    ids = [node.id for node in graph.nodes]
    return {(ids[it.source], ids[it.target]): it.dependency for it in graph.edges}


def in_cycles(edges: Iterable[Edge]) -> list[set[str]]:
    """Return the groups of files that lead to one another, the biggest first."""
    pairs = list(edges)
    names = sorted({name for pair in pairs for name in pair})
    number = {name: at for at, name in enumerate(names)}
    graph: rustworkx.PyDiGraph[None, None] = rustworkx.PyDiGraph()
    graph.add_nodes_from([None] * len(names))
    graph.add_edges_from_no_data([(number[one], number[other]) for one, other in pairs])
    groups = rustworkx.strongly_connected_components(graph)
    found = [{names[at] for at in group} for group in groups if len(group) > 1]
    return sorted(found, key=lambda it: (-len(it), min(it)))


def _sizes(groups: list[set[str]]) -> str:
    files = sum(map(len, groups))
    return f"{files} files in {len(groups)}" if groups else "none"


def _compared(
    number: str, reference: str, sample: str, ours: Collection[Edge], theirs: Collection[Edge]
) -> Iterator[Row]:
    mine, other = set(ours), set(theirs)
    common = len(mine & other)
    if os.environ.get("SHOW"):
        for name, edges in (("only ours", mine - other), ("only theirs", other - mine)):
            print(sample, number, name, *sorted(edges)[: int(os.environ["SHOW"])], sep="\n  ")
    result = (
        f"{len(mine):,} edges, {len(other):,} in the reference: "
        f"{common / max(len(mine), 1):.2%} of ours are in it, "
        f"{common / max(len(other), 1):.2%} of it are in ours"
    )
    yield Row(f"imports, {number}", reference, sample, result)
    our_groups, their_groups = in_cycles(mine), in_cycles(other)
    same = "the same" if our_groups == their_groups else "not the same"
    both = f"{_sizes(our_groups)}; reference {_sizes(their_groups)}; {same}"
    yield Row(f"cycles, {number}", reference, sample, both)


def _typescript(root: Path) -> Iterator[Row]:
    folder = TYPESCRIPT[root.name]
    edges = our_edges(root)
    before, known = _cruised(root, folder, before_compiling=True)
    after, _ = _cruised(root, folder, before_compiling=False)
    inside = {edge: kind for edge, kind in edges.items() if known.issuperset(edge)}
    running = [edge for edge, kind in inside.items() if kind != "type-only"]
    sample = f"{root.name}/{folder}"
    yield from _compared("types included", "dependency-cruiser", sample, inside, before)
    yield from _compared("compiled", "dependency-cruiser", sample, running, after)


def _cruised(root: Path, folder: str, *, before_compiling: bool) -> tuple[set[Edge], set[str]]:
    """Return the edges between the files of a folder, and those files."""
    home = os.environ.get("NODE_PATH", "")
    script = Path(home, "dependency-cruiser", "bin", "dependency-cruise.mjs")
    if not home or not script.is_file():
        raise Missing("dependency-cruiser is not in NODE_PATH")
    asked = [program("node"), str(script), "--no-config", "--output-type", "json"]
    asked += ["--ts-pre-compilation-deps"] if before_compiling else []
    done = subprocess.run([*asked, folder], cwd=root, capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout)["modules"]
    known = {it["source"] for it in modules if it["source"].startswith(f"{folder}/")}
    edges = {(it["source"], to["resolved"]) for it in modules for to in it["dependencies"]}
    return {edge for edge in edges if known.issuperset(edge) and edge[0] != edge[1]}, known


def _python(root: Path) -> Iterator[Row]:
    folder = root / PYTHON[root.name]
    home, package = folder.parent, folder.name
    done = subprocess.run(
        [sys.executable, str(_HERE / "grimp_edges.py"), str(home), package],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs: dict[Edge, str] = {}
    for importer, imported, kind in json.loads(done.stdout):
        places = [_module_file(home, it).relative_to(root) for it in (importer, imported)]
        theirs[places[0].as_posix(), places[1].as_posix()] = kind
    base = folder.relative_to(root).as_posix()
    ours = {
        edge: kind
        for edge, kind in our_edges(root).items()
        if all(it.startswith(f"{base}/") for it in edge)
    }
    sample = f"{root.name}/{base}"
    yield from _compared("every kind", "grimp", sample, ours, theirs)
    for kinds in (("runtime", "test"), ("type-only",)):
        mine, other = (
            [edge for edge, kind in it.items() if kind in kinds] for it in (ours, theirs)
        )
        yield from _compared(kinds[0], "grimp and ast", sample, mine, other)


def _module_file(home: Path, module: str) -> Path:
    place = home.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _go(root: Path) -> Iterator[Row]:
    asked = [program("go"), "run", str(_HERE / "go_uses.go"), str(root)]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    lines = (line.split("\t") for line in done.stdout.splitlines())
    edges = our_edges(root)
    measured = {path for edge in edges for path in edge}
    theirs = {(one, other) for one, other in lines if {one, other} <= measured}
    ours = {edge for edge in edges if all(it.endswith(".go") for it in edge)}
    yield from list(_compared("package.Name", "go/types", root.name, ours, theirs))[:1]
    running = [edge for edge, kind in edges.items() if kind == "runtime"]
    folders = in_cycles(
        (Path(one).parent.as_posix(), Path(to).parent.as_posix()) for one, to in ours & set(running)
    )
    yield Row("impossible cycles", "Go packages", root.name, _sizes(folders))


def _rust(root: Path) -> Iterator[Row]:
    edges = our_edges(root)
    crate_of = _crates(root)
    running = [edge for edge, kind in edges.items() if kind == "runtime"]
    groups = in_cycles(running)
    across = [it for it in groups if len({crate_of(path) for path in it}) > 1]
    yield Row("cycles", "Cargo", root.name, _sizes(groups))
    yield Row("impossible cycles", "Cargo", root.name, _sizes(across))
    between = {(crate_of(one), crate_of(other)) for one, other in running}
    declared = _crate_dependencies(root)
    wrong = [it for it in between if it[0] != it[1] and it[1] not in declared.get(it[0], ())]
    if os.environ.get("SHOW"):
        print(wrong, [it for it in running if (crate_of(it[0]), crate_of(it[1])) in wrong][:9])
    result = f"{len(between)} pairs of crates, {len(wrong)} not declared"
    yield Row("imports between crates", "Cargo", root.name, result)


def _metadata(root: Path) -> list[dict[str, object]]:
    asked = [program("cargo"), "metadata", "--no-deps", "--offline", "--format-version", "1"]
    env = os.environ | {"RUSTUP_TOOLCHAIN": "stable"}
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=True, env=env)
    packages: list[dict[str, object]] = json.loads(done.stdout)["packages"]
    return packages


def _crates(root: Path) -> Callable[[str], str]:
    homes = {
        Path(str(it["manifest_path"])).parent.relative_to(root).as_posix(): str(it["name"])
        for it in _metadata(root)
    }

    def crate_of(path: str) -> str:
        around = [parent.as_posix() for parent in Path(path).parents]
        return next((homes[it] for it in around if it in homes), "")

    return crate_of


def _crate_dependencies(root: Path) -> Mapping[str, Collection[str]]:
    return {
        str(it["name"]): {to["name"] for to in it["dependencies"] if to["kind"] != "dev"}  # type: ignore[attr-defined] # JSON
        for it in _metadata(root)
    }
