from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import FileSelection, Sources
from benchpin.facts.store import Section
from benchpin.measures.graph import (
    METRICS,
    DagType,
    Graph,
    Measures,
    components_of,
    graph_of,
    measures_of,
)
from benchpin.memory import Inputs
from made_sources import parsed
from selections import select_all

TEXTS = {"a.ts": "import { b } from 'lib/b';\nb();\n", "src/b.ts": "export function b() {}\n"}
CONFIG = '{"compilerOptions": {"paths": {"lib/*": ["./src/*"]}}}'


@pytest.fixture
def selection(tmp_path: Path) -> Iterator[FileSelection]:
    (tmp_path / "tsconfig.json").write_text(CONFIG, encoding="utf-8")
    selected = select_all(tmp_path, tmp_path / ".cache")
    yield selected
    selected.session.close()


def _again(selection: FileSelection, job: Job | None = None) -> FileSelection:
    """Return the selection of the next call, which lists folders again."""
    return FileSelection(selection.session, selection.permissions, job or Job(), selection.query)


def _inputs(selection: FileSelection, texts: dict[str, str] = TEXTS) -> Inputs:
    inputs = Inputs(selection)
    files = inputs.once("files", lambda: parsed(texts))
    inputs.once("listing", lambda: Sources(files, {}, {}))
    return inputs


def _graph(
    selection: FileSelection,
    texts: dict[str, str] = TEXTS,
    dag_type: DagType = "import-graph",
) -> Graph:
    return graph_of(_inputs(selection, texts), dag_type)


class _NotRead(Inputs):
    def read(self, *_sections: Section, on_demand: tuple[Section, ...] = ()) -> Sources:  # noqa: ARG002
        pytest.fail("the files were read again")


def _measures(
    selection: FileSelection,
    texts: dict[str, str] = TEXTS,
    seeds: tuple[int, ...] = (),
    job: Job | None = None,
) -> Measures:
    inputs = _inputs(_again(selection, job), texts)
    return measures_of(inputs, "import-graph", METRICS, seeds=seeds, damping=0.85)


def test_a_graph_is_not_built_again_while_nothing_changed(selection: FileSelection) -> None:
    first = _graph(selection)
    assert _graph(_again(selection)) is first
    assert _graph(selection, dag_type="call-graph") is not first
    assert len(first.edges) == 1


def test_a_graph_is_built_again_when_a_file_changed(selection: FileSelection) -> None:
    changed = {**TEXTS, "src/b.ts": "import '../a';\n"}
    assert len(_graph(selection).edges) == 1
    assert len(_graph(_again(selection), changed).edges) == 2


def test_a_graph_is_built_again_when_a_manifest_changed(selection: FileSelection) -> None:
    first = _graph(selection)
    assert _measures(selection).pairs == 1
    (selection.root / "tsconfig.json").unlink()
    second = _graph(_again(selection))
    assert (len(first.edges), len(second.edges)) == (1, 0)
    assert _measures(selection).pairs == 0


def test_a_graph_that_time_cut_short_is_not_kept(selection: FileSelection) -> None:
    assert not _graph(_again(selection, Job(time_limit_s=0))).edges
    assert len(_graph(selection).edges) == 1


def test_the_same_measures_are_not_taken_twice(selection: FileSelection) -> None:
    first, job = _measures(selection), Job()
    assert _measures(selection, job=job) == first
    assert set(job.measures.values()) == {"recalled"}
    assert _measures(selection, seeds=(0,)).pageranks != first.pageranks


def test_another_process_recalls_the_graph_and_its_measures(selection: FileSelection) -> None:
    graph = _graph(selection)
    measured = _measures(selection)
    job = Job()
    other = _again(select_all(selection.root, selection.session.cache_dir), job)

    inputs = _NotRead(other)
    inputs.once("listing", lambda: Sources(parsed(TEXTS), {}, {}))
    recalled = graph_of(inputs, "import-graph")
    assert (recalled.nodes, recalled.edges) == (graph.nodes, graph.edges)
    found = measures_of(inputs, "import-graph", METRICS, seeds=(), damping=0.85)
    assert found == measured
    assert set(job.measures.values()) == {"recalled"}


def test_an_edit_that_changes_no_edge_leaves_the_measures_of_edges(
    selection: FileSelection,
) -> None:
    _measures(selection)
    moved = {**TEXTS, "a.ts": "// one more line\n" + TEXTS["a.ts"]}
    job = Job()
    measured = _measures(selection, moved, job=job)
    assert job.measures["graph measures"] == "updated"
    assert job.measures["graph components"] == "computed"
    assert measured.pageranks is not None


def test_measures_that_time_cut_short_are_not_kept(selection: FileSelection) -> None:
    _graph(selection)
    assert _measures(selection, job=Job(time_limit_s=0)).pageranks is None
    assert _measures(selection).pageranks is not None


def test_components_are_recalled_after_an_edit_that_changes_no_import(
    selection: FileSelection,
) -> None:
    first, second, third = Job(), Job(), Job()
    longer = TEXTS | {"a.ts": f"{TEXTS['a.ts']}b();\n"}
    moved = TEXTS | {"a.ts": f"\n{TEXTS['a.ts']}"}

    for job, texts in ((first, TEXTS), (second, longer), (third, moved)):
        components_of(_inputs(_again(selection, job), texts), "import-graph")

    made = [job.measures["graph components"] for job in (first, second, third)]
    assert made == ["computed", "updated", "computed"]


PYTHON = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg import b\nimport nowhere\nfrom . import lost\n",
    "pkg/b.py": "from .a import x\n",
}
EDITS = (
    {"pkg/a.py": "import nowhere\n"},
    {"pkg/a.py": "\nfrom pkg.b import y\nfrom . import lost, gone\n"},
    {"pkg/b.py": ""},
    {"pkg/b.py": "# generated by protoc. DO NOT EDIT.\nfrom .a import x\n"},
    {"pkg/b.py": "from .a import x\n", "pkg/a.py": ""},
    {"pkg/c.py": "from pkg import a, b\n"},
    {"pkg/c.py": "def run():\n    from pkg import b\n"},
)


def test_an_edit_replaces_the_imports_of_its_file_only(tmp_path: Path) -> None:
    work = tmp_path / "work"
    made: list[str] = []
    expected: list[Graph] = []
    updated: list[Graph] = []
    texts: dict[str, str] = {}
    kept = select_all(work, tmp_path / "kept")
    for number, edit in enumerate((PYTHON, *EDITS)):
        texts |= edit
        for path, text in edit.items():
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_text(text, encoding="utf-8")
        call = _again(kept)
        updated.append(_read_graph(call))
        made.append(call.job.measures["graph"])
        anew = select_all(work, tmp_path / f"new{number}")
        expected.append(_read_graph(anew))
        anew.session.close()
    kept.session.close()
    shown = [(it.nodes, it.edges, it.outcomes, it.unresolved_imports) for it in updated]
    assert shown == [(it.nodes, it.edges, it.outcomes, it.unresolved_imports) for it in expected]
    # A file that becomes a generated one, or is new, may change where the others lead.
    assert made == [
        *("computed", "updated", "updated", "updated"),
        *("computed", "computed", "computed", "updated"),
    ]


def test_an_edit_that_moves_no_import_keeps_the_graph_itself(tmp_path: Path) -> None:
    work = tmp_path / "work"
    for path, text in PYTHON.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text, encoding="utf-8")
    kept = select_all(work, tmp_path / "kept")
    before = _read_graph(kept)
    (work / "pkg/a.py").write_text(f"{PYTHON['pkg/a.py']}x = 1\n", encoding="utf-8")
    call = _again(kept)
    assert _read_graph(call) is before
    assert call.job.measures["graph"] == "updated"
    (work / "pkg/a.py").write_text(f"\n{PYTHON['pkg/a.py']}", encoding="utf-8")
    assert _read_graph(_again(kept)) is not before  # its edges have other lines
    kept.session.close()


def _read_graph(selection: FileSelection) -> Graph:
    return graph_of(Inputs(selection), "import-graph")
