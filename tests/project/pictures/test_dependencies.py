from benchpin.measures.graph import Graph
from benchpin.measures.graph._build import Edge, Node
from benchpin.measures.views.dependency_map import (
    file_map,
    folder_map,
    group_files,
    short_names,
)
from benchpin.present.charts import layered


def graph_of(*imports: tuple[str, str]) -> Graph:
    paths = sorted({path for pair in imports for path in pair})
    at = {path: n for n, path in enumerate(paths)}
    edges = [Edge(at[one], at[two], "imports", 1, 1.0) for one, two in imports]
    return Graph([Node.of_file(path) for path in paths], edges, {})


def test_what_uses_others_is_above_what_it_uses() -> None:
    found = layered(["ui", "db", "app"], {("ui", "app"): 2, ("app", "db"): 1, ("ui", "db"): 1})
    assert found.layers == [["ui"], ["app"], ["db"]]
    assert not found.back


def test_the_lightest_edge_of_a_cycle_is_the_one_that_closes_it() -> None:
    found = layered(["a", "b", "c"], {("a", "b"): 9, ("b", "c"): 9, ("c", "a"): 1})
    assert found.back == {("c", "a")}
    assert found.layers == [["a"], ["b"], ["c"]]


def test_folders_are_opened_from_the_largest_on_and_bounded() -> None:
    files = ["a/x/1.py", "a/x/2.py", "a/y/3.py", "a/4.py", "b/5.py", "6.py"]
    for most in (2, 3, 4, 6):
        groups = group_files(files, most)
        assert groups.keys() == set(files)
        assert len(set(groups.values())) <= most
    assert group_files(files, 6)["a/x/1.py"] == "a/x"
    assert group_files(files, 6)["6.py"] == "."


def test_a_map_of_folders_counts_imports_and_marks_what_closes_a_cycle() -> None:
    found = folder_map(
        graph_of(("ui/a.py", "db/m.py"), ("ui/b.py", "db/m.py"), ("db/m.py", "ui/a.py"))
    )
    assert found is not None
    edges = {(it["source"], it["target"]): it for it in found.rows if it.get("is_edge")}
    assert (edges["ui", "db"]["count"], edges["ui", "db"]["kind"]) == (2, "runtime")
    assert edges["db", "ui"]["kind"] == "closes a cycle"
    assert found.kinds == ["runtime", "closes a cycle"]
    assert "1 line back up, in orange, closes a cycle" in found.seen


def test_a_map_is_bounded_and_says_what_it_leaves_out() -> None:
    dense = [(f"p{a}/m.py", f"p{b}/m.py") for a in range(60) for b in range(60) if a != b]
    for found in (folder_map(graph_of(*dense)), file_map(graph_of(*dense))):
        assert found is not None
        edges = [it for it in found.rows if it.get("is_edge")]
        assert len(found.rows) - len(edges) <= 24
        assert len(edges) <= 40 + 24
        assert "not drawn" in found.seen


def test_a_project_of_one_file_has_no_map() -> None:
    assert folder_map(Graph([Node.of_file("a.py")], [], {})) is None


def test_names_on_a_map_are_as_short_as_they_are_distinct() -> None:
    assert short_names(["a/types", "b/types", "c/d/core"]) == {
        "a/types": "a/types",
        "b/types": "b/types",
        "c/d/core": "core",
    }
