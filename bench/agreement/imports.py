"""Compare import graphs and cycles: dependency-cruiser, grimp, go/types and Cargo.

`NODE_PATH` names the folder of modules that has `dependency-cruiser` and `typescript`; grimp comes
with the development tools; `go` and `cargo` are looked for in `PATH`. With `SHOW` in the
environment, every difference is printed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

import rustworkx

from agreement.comparing import program
from agreement.table import Missing, Row, checkout
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.graph import build_graph

Edge = tuple[str, str]
TYPESCRIPT: dict[str, str] = {"vite": "packages/vite/src", "hono": "src", "typeorm": "src"}
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


def our_edges(root: Path) -> tuple[dict[Edge, str], set[str]]:
    """Return the edges of the import graph of a tree with their kinds, and the measured files."""

    def read(path: str) -> bytes | None:
        place = root / path.strip("/")
        if path.endswith("/"):
            return "\n".join(it.name for it in place.iterdir()).encode() if place.is_dir() else None
        return place.read_bytes() if place.is_file() else None

    with tempfile.TemporaryDirectory() as cache:
        index = SourceIndex(root, Path(cache))
        sources = index.read(SourceQuery(sections=("outline", "links")), Job())
        index.close()
    files = [file for file in sources.files if not file.outline.is_generated]
    graph = build_graph(files, read, "import-graph", Job())
    ids = [node.id for node in graph.nodes]
    return {(ids[it.source], ids[it.target]): it.dependency for it in graph.edges}, set(ids)


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
            print(f"{sample}, {number}, {name}", *sorted(edges), sep="\n  ")
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
    edges, measured = our_edges(root)
    cruised = [_cruised(root, folder, before_compiling=it) for it in (True, False)]
    # Style sheets and vendored code are not in our graph.
    known = cruised[0][1] & measured
    before, after = ({it for it in pairs if known.issuperset(it)} for pairs, _ in cruised)
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
    reported = json.loads(done.stdout)
    path_of = {
        it: _module_file(home, it).relative_to(root).as_posix() for it in reported["modules"]
    }
    theirs = {
        (path_of[one], path_of[other]): kind
        for one, other, kind in reported["imports"]
        if one != other
    }
    # Folders without __init__.py and .pyi are not in grimp's graph.
    known = set(path_of.values())
    ours = {edge: kind for edge, kind in our_edges(root)[0].items() if known.issuperset(edge)}
    sample = f"{root.name}/{PYTHON[root.name]}"
    yield from _compared("every kind", "grimp", sample, ours, theirs)
    for kind in ("runtime", "lazy", "type-only"):
        mine = [it for it in ours if ours[it] == kind]
        # grimp does not tell tests.
        other = [it for it in theirs if theirs[it] == kind and ours.get(it) != "test"]
        compared = _compared(kind, "grimp, kinds by ast", sample, mine, other)
        yield from compared if kind == "runtime" else islice(compared, 1)


def _module_file(home: Path, module: str) -> Path:
    place = home.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _go(root: Path) -> Iterator[Row]:
    asked = [program("go"), "run", str(_HERE / "go_uses.go"), str(root)]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    lines = (line.split("\t") for line in done.stdout.splitlines())
    edges, measured = our_edges(root)
    theirs = {(one, other) for one, other in lines if measured.issuperset((one, other))}
    ours = {edge: kind for edge, kind in edges.items() if edge[0].endswith(".go")}
    yield from islice(_compared("Go", "go/types", root.name, ours, theirs), 1)
    pairs = ((_folder(one), _folder(to)) for (one, to), it in ours.items() if it == "runtime")
    between = {pair for pair in pairs if pair[0] != pair[1]}
    yield Row("impossible cycles", "Go packages", root.name, _sizes(in_cycles(between)))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _rust(root: Path) -> Iterator[Row]:
    crates = _crates(root)
    running = [edge for edge, kind in our_edges(root)[0].items() if kind == "runtime"]
    groups = in_cycles(running)
    across = [it for it in groups if len({_crate_of(path, root) for path in it}) > 1]
    result = f"{_sizes(across)} of {_sizes(groups)}"
    yield Row("impossible cycles", "Cargo: one crate", root.name, result)
    pairs = {(_crate_of(one, root), _crate_of(other, root)) for one, other in running}
    between = {it for it in pairs if it[0] != it[1] and crates.keys() >= set(it)}
    wrong = [it for it in between if it[1] not in crates[it[0]]]
    result = f"{len(between)} pairs of crates, {len(wrong)} not declared"
    yield Row("imports between crates", "cargo metadata", root.name, result)


def _crate_of(path: str, root: Path) -> str:
    """Return the folder of the nearest manifest."""
    around = (it.as_posix() for it in Path(path).parents)
    return next((it for it in around if (root / it / "Cargo.toml").is_file()), "")


def _crates(root: Path) -> dict[str, set[str]]:
    """Return the crates that each crate of the workspace may use outside of tests, by folder."""
    asked = [program("cargo"), "metadata", "--no-deps", "--offline", "--format-version", "1"]
    # A project may ask for a toolchain that is not here; what it declares does not depend on it.
    env = os.environ | {"RUSTUP_TOOLCHAIN": "stable"}
    done = subprocess.run(asked, cwd=root, env=env, capture_output=True, text=True, check=True)
    packages = json.loads(done.stdout)["packages"]
    home = {it["name"]: _home(it["manifest_path"], root) for it in packages}
    return {
        home[it["name"]]: {
            home[to["name"]]
            for to in it["dependencies"]
            if to["kind"] != "dev" and to["name"] in home
        }
        for it in packages
    }


def _home(manifest: str, root: Path) -> str:
    return Path(manifest).parent.relative_to(root).as_posix()
