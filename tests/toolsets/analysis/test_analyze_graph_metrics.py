import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from benchpin.app import Workbench
from benchpin.core import (
    Cancelled,
    EmbeddedResource,
    InvalidParams,
    Job,
    ResourceLink,
    Text,
)
from benchpin.toolsets.analysis import analyze_graph_metrics as tool_module
from benchpin.toolsets.analysis.analyze_graph_metrics import (
    GraphParams,
    GraphReport,
    analyze_graph_metrics,
)

FILES = {
    "app/__init__.py": "",
    "app/main.py": "from .core import run\nfrom . import util\nimport os\n\ndef main(): run()\n",
    "app/core.py": "from .util import helper\n\ndef run():\n    helper()\n",
    "app/util.py": "def helper():\n    from . import core\n    return core\n",
    "web/index.ts": "import { draw } from './draw.js';\ndraw();\n",
    "web/draw.ts": "export function draw() {}\n",
}


@pytest.fixture
def project(workspace: Path, shop: Workbench) -> Workbench:
    for path, text in FILES.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    return shop


def _graph(report: GraphReport) -> "nx.DiGraph[str]":
    read = nx.read_graphml(io.BytesIO(report.to_text().encode()))
    assert isinstance(read, nx.DiGraph)
    return read


def _report(shop: Workbench, **arguments: object) -> GraphReport:
    return shop.run(analyze_graph_metrics, GraphParams.parse(arguments))


def test_the_graph_of_imports_is_measured(project: Workbench) -> None:
    report = _report(project, format="json")
    assert (report.total_nodes, report.total_edges) == (6, 5)
    assert report.connected_components == 3
    assert report.strongly_connected_components == 5
    assert report.total_cycles == 1
    published = report.model_dump()
    assert published["cycles"] == [{"size": 2, "path": ["app/core.py", "app/util.py"]}]
    assert published["references"] == [
        {"kind": "imports", "resolved": 5, "external": 1, "outside": 0, "unresolved": 0}
    ]
    assert [it.name for it in report.nodes][:2] == ["app/core.py", "app/util.py"]
    top = report.nodes[1]
    assert (top.in_degree, top.out_degree, top.degree_centrality) == (2, 1, 0.6)
    assert json.loads(report.to_text()) == report.model_dump(mode="json")


def test_every_format_has_the_same_numbers(project: Workbench) -> None:
    report = _report(project, format="json", graphml=True)
    rows = {it.name: it for it in report.nodes}
    table = list(csv.DictReader(io.StringIO(_report(project, format="csv").to_text())))
    assert [it["name"] for it in table] == [it.name for it in report.nodes]
    read = _graph(_report(project, format="graphml"))
    assert read.number_of_edges() == report.total_edges
    for row in table:
        node = rows[row["name"]]
        assert float(row["pagerank"]) == node.pagerank == read.nodes[node.name]["pagerank"]
        assert int(row["in_degree"]) == node.in_degree == read.nodes[node.name]["in_degree"]
    assert _report(project, format="graphml").to_text() == report.graphml
    for shown in ("summary", "detailed", "markdown"):
        text = _report(project, format=shown).to_text()
        assert "6 nodes, 5 edges" in text
        assert "1 external, 5 resolved" in text
        assert "app/util.py" in text
    assert "n1" in _report(project, format="mermaid").to_text()
    assert '"app/main.py" -> "app/core.py"' in _report(project, format="dot").to_text()


def test_edges_are_counted_as_they_are_exported_and_pairs_as_they_are_measured(
    workspace: Path, shop: Workbench
) -> None:
    (workspace / "a.py").write_text("def run():\n    pass\n\nrun()\n", encoding="utf-8")
    report = _report(shop, dag_type="full-dependency", format="json", graphml=True)
    assert (report.total_edges, report.connected_pairs) == (2, 1)
    assert (report.graphml or "").count("<edge ") == report.total_edges
    summary = _report(shop, dag_type="full-dependency").to_text()
    assert "2 nodes, 2 edges between 1 pairs" in summary
    drawn = _report(shop, dag_type="full-dependency", format="mermaid").to_text()
    assert "2 of 2 edges" in drawn


def test_imports_that_lead_nowhere_are_listed_with_the_reason(
    workspace: Path, shop: Workbench
) -> None:
    (workspace / "a.ts").write_text(
        "import { x } from './gone';\nimport '../../out';\n", encoding="utf-8"
    )
    report = _report(shop, format="json")
    assert report.model_dump(mode="json")["unresolved_imports"] == [
        {
            "file": "a.ts",
            "line": 1,
            "module": "./gone",
            "names": ["x"],
            "reason": "no file at gone or 33 other paths",
        },
        {
            "file": "a.ts",
            "line": 2,
            "module": "../../out",
            "names": [],
            "reason": "leads out of the workspace",
        },
    ]
    for shown in ("summary", "detailed", "markdown"):
        text = _report(shop, format=shown).to_text()
        line = next(it for it in text.splitlines() if "./gone x" in it)
        assert "a.ts:1 " in line
        assert "no file at gone" in line


def test_what_is_not_listed_is_counted(workspace: Path, shop: Workbench) -> None:
    lines = (f"import './gone{number}';\n" for number in range(150))
    (workspace / "a.ts").write_text("".join(lines), encoding="utf-8")
    report = _report(shop)
    assert len(report.unresolved_imports) == 100
    assert report.references[0].unresolved == 150
    assert "Unresolved imports, 100 of 150" in report.to_text()
    assert "3 of 100; format=full" in report.to_text()


@pytest.mark.parametrize(
    ("dag_type", "edge"),
    [
        ("call-graph", ("app/core.py::run", "app/util.py::helper")),
        ("full-dependency", ("app/main.py", "app/main.py::main")),
    ],
)
def test_other_graphs_are_measured_too(
    project: Workbench, dag_type: str, edge: tuple[str, str]
) -> None:
    report = _report(project, dag_type=dag_type, format="graphml")
    assert _graph(report).has_edge(*edge)


def test_seeds_draw_pagerank_to_what_they_depend_on(project: Workbench) -> None:
    report = _report(project, metrics=["pagerank"], pagerank_seeds=["index.ts"])
    ranks = {it.name: it.pagerank for it in report.nodes}
    assert report.seeds[0].nodes == ["web/index.ts"]
    assert ranks["web/draw.ts"] == pytest.approx(0.85 / 1.85, abs=1e-6)
    assert ranks["app/util.py"] == 0
    assert report.nodes[0].betweenness_centrality is None


def test_a_seed_that_is_no_node_is_refused_with_the_nearest(project: Workbench) -> None:
    with pytest.raises(InvalidParams, match=r"no node 'cores\.py'") as refused:
        _report(project, pagerank_seeds=["cores.py"])
    assert "'app/core.py'" in refused.value.suggestion


def test_only_the_metrics_that_are_asked_for_are_there(project: Workbench) -> None:
    report = _report(project, metrics=["components"])
    assert report.connected_components == 3
    assert report.modularity is report.average_clustering is report.communities is None
    assert {it.pagerank for it in report.nodes} == {None}


def test_a_part_of_the_project_is_a_graph_of_its_own(project: Workbench) -> None:
    report = _report(project, project_path="web")
    assert [it.name for it in report.nodes] == ["web/draw.ts", "web/index.ts"]
    assert report.total_edges == 1


@pytest.mark.parametrize("shown", ["summary", "detailed", "json", "csv", "markdown", "graphml"])
def test_a_project_without_code_is_an_empty_graph(shop: Workbench, shown: str) -> None:
    report = _report(shop, format=shown)
    assert (report.total_nodes, report.total_edges, report.nodes) == (0, 0, [])
    assert report.density is report.modularity is None
    assert report.to_text()


def test_a_cancelled_call_ends(project: Workbench) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        analyze_graph_metrics(GraphParams(), replace(project.bench, job=job))


@pytest.mark.parametrize("style", ["detailed", "markdown"])
def test_a_page_says_that_there_are_more_nodes(project: Workbench, style: str) -> None:
    report = _report(project, format=style, limit=2)
    assert f"2 of 6; next_cursor={report.next_cursor}" in report.to_text()


def test_a_change_shows_in_the_next_call(project: Workbench, workspace: Path) -> None:
    assert _report(project).total_edges == 5
    (workspace / "web/draw.ts").write_text("import './index.js';\n", encoding="utf-8")
    assert _report(project).total_edges == 6


def test_a_manifest_is_not_read_through_a_link(workspace: Path, shop: Workbench) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/money.ts").write_text("export const x = 1;\n", encoding="utf-8")
    (workspace / "main.ts").write_text("import { x } from 'lib/money';\n", encoding="utf-8")
    manifest = workspace / "tsconfig.json"
    paths = '{"compilerOptions": {"paths": {"lib/*": ["./src/*"]}}}'
    manifest.write_text(paths, encoding="utf-8")
    assert _report(shop, format="json").total_edges == 1
    manifest.rename(workspace / "config.json")
    manifest.symlink_to("config.json")
    assert _report(shop, format="json").total_edges == 0


def test_graphml_is_a_block_of_its_own_beside_the_text(project: Workbench) -> None:
    report = _report(project, graphml=True)
    text, block = report.to_content()
    assert isinstance(text, Text)
    assert f"GraphML: export://graph.graphml, {len(report.graphml or ''):,} characters" in text.text
    assert isinstance(block, EmbeddedResource)
    assert (block.mime_type, block.body) == ("application/graphml+xml", report.graphml)
    assert len(_report(project).to_content()) == 1
    assert len(_report(project, graphml=True, format="json").to_content()) == 1


def test_a_long_graphml_is_linked(project: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_module, "_MOST_EMBEDDED", 10)
    text, link = _report(project, graphml=True).to_content()
    assert isinstance(link, ResourceLink)
    assert isinstance(text, Text)
    assert f"GraphML: {link.uri}, " in text.text
