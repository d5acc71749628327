"""Comments whose code moves to another file, with git; calls whose time is up."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.comments._errors import CommentNotFound
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.toolsets.comments.add_comment import AddParams, add_comment
from benchpin.toolsets.comments.get_file_comments import FileParams, get_file_comments
from benchpin.toolsets.comments.reanchor_comments import ReanchorParams, reanchor_comments
from comment_calls import call, sidecar
from repositories import Tree

BODY = """\
def compute_total(orders):
    total = sum(order.price * order.amount for order in orders)
    if total > 1_000:
        total = apply_discount(total, percent=5)
    return round_to_cents(total)
"""
OTHER = "def unrelated(thing):\n    return thing.name\n"
ALIKE = """\
def load(path):
    header = read_header(path)
    body = read_body(path)
    check(header)
    first = parse_block(body, 0)
    second = parse_block(body, 1)
    join(header, body)
    return first
"""


@pytest.fixture
def tree(workspace: Path) -> Tree:
    tree = Tree(workspace)
    tree.commit({"a.py": f"{BODY}\n\n{OTHER}".encode(), "b.py": OTHER.encode()})
    return tree


def add(shop: Workbench, path: str, line: int) -> str:
    arguments = {"filePath": path, "line": line, "text": "check the percentage", "tag": "TODO"}
    return str(call(shop, "add_comment", **arguments)["commentId"])


def test_a_comment_moves_with_its_code_and_keeps_following_it(tree: Tree, workspace: Path) -> None:
    shop = Workbench(configure(root=workspace))
    comment_id = add(shop, "a.py", 4)
    reply = {"filePath": "a.py", "line": 4, "text": "done", "tag": "NOTE", "replyTo": comment_id}
    call(shop, "add_comment", **reply)
    anchor = json.loads(sidecar(workspace, "a.py").read_bytes())["ghostMarkers"][0]["benchpin"]
    tree.commit({"a.py": OTHER.encode(), "b.py": f"{OTHER}\n\n{BODY}".encode()})
    shown = call(shop, "get_file_comments", filePath="a.py")["comments"]
    assert [(it["filePath"], it["line"]) for it in shown] == [("b.py", 8)] * 2
    report = call(shop, "reanchor_comments")
    assert (report["moved"], report["changes"][0]["toPath"]) == (2, "b.py")
    assert not sidecar(workspace, "a.py").exists()
    raw = json.loads(sidecar(workspace, "b.py").read_bytes())
    assert raw["filePath"] == "b.py"
    kept = raw["ghostMarkers"][0]["benchpin"]
    assert (kept["anchor"], kept["filePath"]) == (anchor["anchor"], "a.py")
    assert call(shop, "reanchor_comments")["kept"] == 2
    for text in (f"# new\n{OTHER}\n\n{BODY}", f"# new\n# newer\n{BODY}"):
        (workspace / "b.py").write_text(text, encoding="utf-8")
        line = text.split("\n").index("        total = apply_discount(total, percent=5)") + 1
        shown = call(shop, "get_file_comments", filePath="b.py")["comments"]
        assert [(it["filePath"], it["line"]) for it in shown] == [("b.py", line)] * 2
    tree.commit()
    shown = call(shop, "get_file_comments", filePath="b.py")["comments"]
    assert [(it["filePath"], it["line"]) for it in shown] == [("b.py", line)] * 2


def test_comments_follow_a_renamed_file(tree: Tree, workspace: Path) -> None:
    shop = Workbench(configure(root=workspace))
    comment_id = add(shop, "a.py", 4)
    text = (workspace / "a.py").read_bytes()
    tree.commit({"a.py": None, "lib/a.py": b"# moved\n" + text})
    call(shop, "reanchor_comments")
    assert not sidecar(workspace, "a.py").exists()
    [comment] = call(shop, "get_file_comments", filePath="lib/a.py")["comments"]
    assert (comment["id"], comment["line"]) == (comment_id, 5)


@pytest.mark.parametrize("is_staged", [False, True])
def test_comments_follow_an_uncommitted_rename(
    tree: Tree, workspace: Path, *, is_staged: bool
) -> None:
    shop = Workbench(configure(root=workspace))
    add(shop, "a.py", 4)
    (workspace / "a.py").rename(workspace / "c.py")
    if is_staged:
        tree.git("add", "a.py", "c.py")
    [comment] = call(shop, "get_file_comments", filePath="a.py")["comments"]
    assert (comment["filePath"], comment["line"], comment["isOrphaned"]) == ("c.py", 4, False)


def test_comments_follow_a_file_in_a_renamed_folder(tree: Tree, workspace: Path) -> None:
    tree.commit({"old/deep/core.py": BODY.encode()})
    shop = Workbench(configure(root=workspace))
    add(shop, "old/deep/core.py", 4)
    (workspace / "old/deep/core.py.comments").rename(workspace / "kept")
    (workspace / "old").rename(workspace / "new")
    (workspace / "old/deep").mkdir(parents=True)
    (workspace / "kept").rename(workspace / "old/deep/core.py.comments")
    [comment] = call(shop, "get_file_comments", filePath="old/deep/core.py")["comments"]
    assert (comment["filePath"], comment["line"]) == ("new/deep/core.py", 4)


def test_comments_are_found_by_the_new_path_before_they_are_written_there(
    tree: Tree, workspace: Path
) -> None:
    shop = Workbench(configure(root=workspace))
    first, second = add(shop, "a.py", 4), add(shop, "a.py", 2)
    tree.commit({"a.py": None, "c.py": (workspace / "a.py").read_bytes()})

    def listed(tool: str, **arguments: object) -> set[str]:
        found = call(shop, tool, **arguments)["comments"]
        return {it["id"] for it in found if it["filePath"] == "c.py"}

    assert listed("get_file_comments", filePath="c.py") == {first, second}
    assert listed("search_comments", query="check", filters={"filePath": "c.*"}) == {first, second}
    exported = shop.call("export_comments", format="json", filePath="c.py")
    assert exported.model_dump(by_alias=True)["totalComments"] == 2
    here = {"filePath": "c.py", "commentId": first}
    call(shop, "edit_comment", **here, text="edited")
    call(shop, "resolve_comment", **here)
    reply = {"filePath": "c.py", "line": 4, "text": "done", "tag": "NOTE", "replyTo": first}
    answer = call(shop, "add_comment", **reply)["commentId"]
    call(shop, "delete_comment", filePath="c.py", commentId=second)
    assert listed("get_file_comments", filePath="c.py") == {first, answer}
    moving = {"sourceFile": "c.py", "targetFile": "b.py", "targetLine": 1, "commentId": first}
    assert call(shop, "move_comment", **moving)["sourceLine"] == 4
    assert not sidecar(workspace, "a.py").exists()


def test_a_comment_of_another_file_is_not_found_by_its_id(tree: Tree, workspace: Path) -> None:
    del tree
    shop = Workbench(configure(root=workspace))
    comment_id = add(shop, "a.py", 4)
    with pytest.raises(CommentNotFound):
        call(shop, "edit_comment", filePath="b.py", commentId=comment_id, text="mine")


def test_a_line_deleted_after_its_file_was_renamed_is_an_orphan(
    tree: Tree, workspace: Path
) -> None:
    lines = ALIKE.splitlines(keepends=True)
    tree.commit({"hm.py": "".join(lines).encode()})
    shop = Workbench(configure(root=workspace))
    add(shop, "hm.py", 5)
    tree.commit({"hm.py": None, "c.py": "".join(lines).encode()})
    call(shop, "reanchor_comments")
    (workspace / "c.py").write_text("".join(lines[:4] + lines[5:]), encoding="utf-8")
    [comment] = call(shop, "get_file_comments", filePath="c.py")["comments"]
    assert comment["isOrphaned"]
    (workspace / "c.py").write_text("# new\n" + "".join(lines), encoding="utf-8")
    [comment] = call(shop, "get_file_comments", filePath="c.py")["comments"]
    assert (comment["isOrphaned"], comment["line"]) == (False, 6)


def test_the_commit_is_remembered(tree: Tree, workspace: Path) -> None:
    shop = Workbench(configure(root=workspace))
    add(shop, "a.py", 4)
    raw = json.loads(sidecar(workspace, "a.py").read_bytes())
    assert raw["ghostMarkers"][0]["benchpin"]["anchor"]["commit"] == tree.head()


def test_each_repository_of_a_workspace_has_its_own_history(workspace: Path) -> None:
    for name in ("one", "two"):
        Tree(workspace / name).commit({"a.py": BODY.encode(), "b.py": OTHER.encode()})
    tree = Tree(workspace / "two", is_new=False)
    shop = Workbench(configure(root=workspace))
    add(shop, "two/a.py", 4)
    raw = json.loads(sidecar(workspace, "two/a.py").read_bytes())
    assert raw["ghostMarkers"][0]["benchpin"]["anchor"]["commit"] == tree.head()
    tree.commit({"a.py": None, "lib/core.py": b"# moved\n" + BODY.encode()})
    report = call(shop, "reanchor_comments")
    assert [(it["toPath"], it["toLine"]) for it in report["changes"]] == [("two/lib/core.py", 5)]


def late(shop: Workbench) -> Bench:
    """Return a bench whose time is up."""
    return replace(shop.bench, job=Job(time_limit_s=0))


def test_a_late_placement_is_neither_remembered_nor_written(tree: Tree, workspace: Path) -> None:
    shop = Workbench(configure(root=workspace))
    add(shop, "a.py", 4)
    tree.commit({"a.py": f"# new\n{BODY.replace('percent=5', 'percent=7')}\n\n{OTHER}".encode()})
    before = sidecar(workspace, "a.py").read_bytes()
    bench = late(shop)
    get_file_comments(FileParams(file_path="a.py"), bench)
    assert "git history of the commented files" in bench.job.missing
    reanchor_comments(ReanchorParams(file_path="a.py"), late(shop))
    assert sidecar(workspace, "a.py").read_bytes() == before
    known = call(shop, "get_file_comments", filePath="a.py")
    assert known == call(Workbench(configure(root=workspace)), "get_file_comments", filePath="a.py")
    assert "in commit" in known["comments"][0]["reason"]


def test_a_file_that_was_not_parsed_in_time_is_not_reported_as_unsupported(
    tree: Tree, workspace: Path
) -> None:
    shop = Workbench(configure(root=tree.root))
    where = {"file_path": "a.py", "line": 2, "text": "x", "tag": "TODO", "anchor": "symbol"}
    with pytest.raises(TimeLimitExceeded):
        add_comment(AddParams.parse(where), late(shop))
    assert not sidecar(workspace, "a.py").exists()
