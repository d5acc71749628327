from benchpin.measures.debt_gradient import FileInputs, debt_gradient
from benchpin.project import Findings
from benchpin.project.scores import build_tree, prune
from benchpin.project.scores._file_tree import MAX_DEPTH, TreeNode
from findings_kit import admitted, changed, churn, covered, debt, duplicates, function, source


def names(node: TreeNode) -> dict[str, object]:
    return {child.name: names(child) for child in node.children}


def made() -> Findings:
    files = [
        source("src/app/main.py", function("f", 3), function("g", 9), code_lines=50),
        source("src/app/util.py", code_lines=20),
        source("src/app/deep/er/leaf.py", function("h", 4), code_lines=10),
        source("setup.py", code_lines=5),
    ]
    return Findings(
        files,
        churn=churn(changed("src/app/main.py", 2, 1.0, lines=30), changed("setup.py", 1, 0.1)),
        duplicates=duplicates(shares={"src/app/main.py": 8}),
        debt=debt(admitted("src/app/main.py", "Low"), admitted("src/app/util.py", "Low")),
        gradients=[debt_gradient(FileInputs("src/app/main.py", (3, 9), 50))],
        defects={"src/app/main.py": 0.25, "setup.py": 0.75},
        covered=covered({"src/app/main.py": 0.9, "src/app/util.py": 0.2}),
    )


def test_folders_hold_the_biggest_first_and_chains_of_folders_are_one() -> None:
    assert names(build_tree(made())) == {
        "src/app": {"main.py": {}, "util.py": {}, "deep/er": {"leaf.py": {}}},
        "setup.py": {},
    }


def test_a_folder_adds_up_what_its_files_have() -> None:
    app = build_tree(made()).children[0]
    assert (app.files, app.code_lines, app.functions, app.size_bytes) == (3, 80, 3, 3000)
    assert app.max_cyclomatic == 9
    assert app.changed_lines == 30
    assert app.duplicated_lines == 8
    assert app.debt_comments == 2
    assert app.defect_probability == 0.25
    assert app.coverage == 0.55


def test_what_was_not_measured_is_none_everywhere() -> None:
    root = build_tree(Findings([source("a/b.py")]))
    for node in (root, root.children[0], root.children[0].children[0]):
        assert node.changed_lines is None
        assert node.duplicated_lines is None
        assert node.debt_comments is None
        assert node.debt_gradient is None
        assert node.defect_probability is None
        assert node.coverage is None
        assert node.max_cyclomatic is None


def test_pruning_keeps_the_biggest_and_counts_what_is_left_out() -> None:
    root = prune(build_tree(made()), 2)
    assert names(root) == {"src/app": {"main.py": {}}}
    assert root.left_out == 1
    assert root.children[0].left_out == 2
    assert (root.files, root.code_lines) == (4, 85)


def test_a_tree_with_room_for_all_is_whole() -> None:
    root = build_tree(made())
    assert prune(root, 100) == root


def test_what_lies_too_deep_is_told_in_the_deepest_folder() -> None:
    paths = ["/".join([*["d"] * deep, "a.py"]) for deep in range(420)]
    root = build_tree(Findings([source(it, code_lines=1) for it in paths]))
    assert (root.files, root.code_lines) == (420, 420)
    node, deep = root, 0
    while inner := [it for it in node.children if it.kind == "folder"]:
        assert len(node.children) == 2
        [node], deep = inner, deep + 1
    assert deep == MAX_DEPTH
    assert [it.name for it in node.children][:3] == ["a.py", "d/a.py", "d/d/a.py"]
    assert node.files == len(node.children) == 420 - MAX_DEPTH
    assert TreeNode.model_validate_json(root.model_dump_json()) == root
    assert prune(root, 10).files == 420


def test_a_project_without_files_is_an_empty_folder() -> None:
    root = build_tree(Findings([]))
    assert (root.kind, root.files, root.children) == ("folder", 0, [])
