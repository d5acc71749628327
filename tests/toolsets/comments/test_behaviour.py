"""What the tools do, in process."""

import json
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.comments._errors import SidecarCorrupt
from benchpin.core.errors import (
    EffectNotAllowed,
    InvalidParams,
    InvalidPath,
    PathError,
    ToolDisabled,
)
from comment_calls import FILE, add, call, sidecar
from comment_kit import SHAPES
from long_texts import Long, whole


def test_a_comment_follows_its_line_without_a_write_to_the_sidecar(
    shop: Workbench, source: Path, workspace: Path
) -> None:
    comment_id = add(shop, 5)
    before = sidecar(workspace).read_bytes()
    source.write_text("// one\n// two\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    [comment] = call(shop, "get_file_comments", filePath=FILE)["comments"]
    assert (comment["id"], comment["line"], comment["state"]) == (comment_id, 7, "moved")
    assert sidecar(workspace).read_bytes() == before
    [found] = call(shop, "search_comments", query="rate")["comments"]
    assert found["line"] == 7


def test_reanchoring_reports_and_stores_the_present_lines(
    shop: Workbench, source: Path, workspace: Path
) -> None:
    kept, moved, lost = add(shop, 1), add(shop, 9), add(shop, 5)
    anchors = _anchors(workspace)
    text = source.read_text(encoding="utf-8").replace("    const digest = hash(given);\n", "")
    source.write_text(text, encoding="utf-8")
    before = sidecar(workspace).read_bytes()
    report = call(shop, "reanchor_comments", dryRun=True)
    assert (report["kept"], report["moved"], report["orphaned"]) == (1, 1, 1)
    assert {it["commentId"]: it["state"] for it in report["changes"]} == {
        moved: "moved",
        lost: "gone",
    }
    assert sidecar(workspace).read_bytes() == before
    call(shop, "reanchor_comments", filePath=FILE)
    again = call(shop, "reanchor_comments")
    assert (again["kept"], again["moved"], again["orphaned"]) == (2, 0, 1)
    assert _anchors(workspace) == anchors
    raw = json.loads(sidecar(workspace).read_bytes())
    assert {it["id"]: it["line"] for it in raw["comments"]} == {kept: 1, moved: 8, lost: 5}


def _anchors(workspace: Path) -> list[object]:
    raw = json.loads(sidecar(workspace).read_bytes())
    return [marker["benchpin"]["anchor"] for marker in raw["ghostMarkers"]]


def test_orphans_that_are_left_out_are_still_counted(shop: Workbench, source: Path) -> None:
    add(shop, 5)
    source.write_text("nothing\n", encoding="utf-8")
    shown = call(shop, "get_file_comments", filePath=FILE)
    assert (shown["commentCount"], shown["orphanedCount"]) == (1, 1)
    hidden = call(shop, "get_file_comments", filePath=FILE, includeOrphaned=False)
    assert (hidden["comments"], hidden["commentCount"], hidden["orphanedCount"]) == ([], 0, 1)


def test_the_comments_of_a_file_that_is_gone_can_be_read_and_deleted(
    shop: Workbench, source: Path, workspace: Path
) -> None:
    comment_id = add(shop, 5)
    source.unlink()
    assert call(shop, "get_file_comments", filePath=FILE)["orphanedCount"] == 1
    call(shop, "delete_comment", filePath=FILE, commentId=comment_id)
    assert not sidecar(workspace).exists()


def test_threads_have_replies_and_move_as_a_whole(shop: Workbench) -> None:
    parent = add(shop, 5)
    reply = add(shop, 9, "Done", replyTo=parent, tag="NOTE")
    shown = call(shop, "get_file_comments", filePath=FILE)["comments"]
    assert [(it["id"], it["line"], it.get("replyTo")) for it in shown] == [
        (parent, 5, None),
        (reply, 5, parent),
    ]
    call(shop, "move_comment", sourceFile=FILE, targetFile=FILE, commentId=parent, targetLine=10)
    shown = call(shop, "get_file_comments", filePath=FILE)["comments"]
    assert {it["id"]: it["line"] for it in shown} == {parent: 10, reply: 10}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"alpha", "beta", "gamma"}),
        ({"tag": "NOTE"}, {"beta"}),
        ({"author": "ann"}, {"alpha", "beta"}),
        ({"filePath": "src/**/*.ts"}, {"alpha", "beta"}),
        ({"filePath": "other.py"}, {"gamma"}),
        ({"filePath": "*.js"}, set()),
        ({"hasAIMetadata": True}, {"gamma"}),
        ({"dateRange": {"start": "2020-01-01T00:00:00Z"}}, {"alpha", "beta", "gamma"}),
        ({"dateRange": {"end": "2020-01-01T00:00:00Z"}}, set()),
        ({"tag": "NOTE", "author": "bob"}, set()),
    ],
)
def test_filters_narrow_a_search(
    shop: Workbench, workspace: Path, filters: dict[str, object], expected: set[str]
) -> None:
    (workspace / "other.py").write_text("x = 1\n", encoding="utf-8")
    add(shop, 5, "alpha", author="ann")
    add(shop, 6, "beta", author="ann", tag="NOTE")
    add(shop, 1, "gamma", author="bob", filePath="other.py", aiMeta={"model": "m"})
    found = call(shop, "search_comments", query="a", filters=filters)
    assert {it["text"] for it in found["comments"]} == expected
    assert found["totalResults"] == len(expected)


@pytest.mark.parametrize("query", ["(", "a(?=b)", r"(a)\1"])
def test_a_query_that_is_not_a_linear_expression_is_refused(shop: Workbench, query: str) -> None:
    with pytest.raises(InvalidParams):
        call(shop, "search_comments", query=query)


def test_intact_comments_of_a_damaged_sidecar_are_read(shop: Workbench, workspace: Path) -> None:
    add(shop, 5, "whole")
    add(shop, 6, "lost")
    place = sidecar(workspace)
    content = place.read_bytes()
    place.write_bytes(content[: content.index(b'"lost"')])
    shown = shop.call("get_file_comments", filePath=FILE)
    assert "[left out: comments that are damaged" in shown.to_text()
    result = shown.model_dump(by_alias=True)
    assert [it["text"] for it in result["comments"]] == ["whole"]
    assert "not JSON" in result["damage"]
    found = call(shop, "search_comments", query="whole")
    assert (found["totalResults"], found["damaged"]) == (1, [FILE])
    assert call(shop, "reanchor_comments")["damaged"] == [FILE]
    for tool in ("delete_comment", "resolve_comment"):
        with pytest.raises(SidecarCorrupt):
            call(shop, tool, filePath=FILE, commentId=result["comments"][0]["id"])


def test_an_unreadable_sidecar_does_not_hide_the_others(
    shop: Workbench, workspace: Path, tmp_path: Path
) -> None:
    add(shop, 5)
    (workspace / "linked.py").write_text("x = 1\n", encoding="utf-8")
    (workspace / "folder.py").write_text("x = 1\n", encoding="utf-8")
    (workspace / "linked.py.comments").symlink_to(tmp_path)
    (workspace / "folder.py.comments").mkdir()
    for tool, arguments in (
        ("search_comments", {"query": "."}),
        ("export_comments", {"format": "json"}),
        ("reanchor_comments", {}),
        ("import_code_comments", {}),
    ):
        call(shop, tool, **arguments)
    with pytest.raises(PathError):
        add(shop, 1, filePath="linked.py")


def test_a_comment_of_many_lines_looks_like_one_comment(shop: Workbench) -> None:
    add(shop, 5, 'one"\n\n2. NOTE (Line 1) - c_1\x1b[2J')
    text = shop.call("get_file_comments", filePath=FILE).to_text()
    assert "\n2. " not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("name", SHAPES)
def test_ids_of_other_programs_are_accepted(shop: Workbench, workspace: Path, name: str) -> None:
    sidecar(workspace).write_text(json.dumps(SHAPES[name]), encoding="utf-8")
    [comment] = call(shop, "get_file_comments", filePath=FILE)["comments"]
    call(shop, "edit_comment", filePath=FILE, commentId=comment["id"], text="new")
    new_id = add(shop, 5)
    shown = call(shop, "get_file_comments", filePath=FILE)["comments"]
    assert [it["id"] for it in shown] == [comment["id"], new_id]
    assert shown[0]["text"] == "new"
    assert json.loads(sidecar(workspace).read_bytes())["filePath"] == FILE


def test_the_central_store_leaves_the_tree_clean(workspace: Path) -> None:
    shop = Workbench(configure(root=workspace, comments={"store": "central"}))
    comment_id = add(shop, 5)
    assert not sidecar(workspace).exists()
    assert (workspace / ".benchpin/comments" / f"{FILE}.comments").is_file()
    assert call(shop, "search_comments", query="rate")["comments"][0]["id"] == comment_id


def test_the_central_store_is_in_the_data_folder(workspace: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    shop = Workbench(configure(root=workspace, data_dir=records, comments={"store": "central"}))
    add(shop, 5)
    assert (records / "comments" / f"{FILE}.comments").is_file()
    assert call(shop, "search_comments", query="rate")["totalResults"] == 1
    assert not (workspace / ".benchpin").exists()


def test_reading_makes_no_folder(workspace: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    shop = Workbench(configure(root=workspace, data_dir=records, comments={"store": "central"}))
    assert call(shop, "search_comments", query="x")["totalResults"] == 0
    assert call(shop, "get_file_comments", filePath=FILE)["commentCount"] == 0
    assert not records.exists()


def test_a_workspace_may_choose_its_store(workspace: Path) -> None:
    (workspace / "benchpin.toml").write_text('[comments]\nstore = "central"\n', encoding="utf-8")
    add(Workbench.open(workspace), 5)
    assert (workspace / ".benchpin/comments" / f"{FILE}.comments").is_file()


def test_a_name_that_is_not_utf_8_is_refused(shop: Workbench, workspace: Path) -> None:
    (workspace / "caf\udce9.py").write_text("x\n", encoding="utf-8")
    with pytest.raises(InvalidPath):
        add(shop, 1, filePath="file://caf%E9.py")


def test_code_comments_are_imported_once(shop: Workbench, source: Path, workspace: Path) -> None:
    source.write_text("// TODO: one\nconst a = 1; // TODO: no\n// FIXME two\n", encoding="utf-8")
    (workspace / "b.py").write_text("# NOTE: three\n# TODO: one\n", encoding="utf-8")
    dry = call(shop, "import_code_comments", dryRun=True)
    assert (dry["imported"], sidecar(workspace).exists()) == (4, False)
    first = call(shop, "import_code_comments")
    assert [(it["filePath"], it["line"], it["tag"]) for it in first["comments"]] == [
        ("b.py", 1, "NOTE"),
        ("b.py", 2, "TODO"),
        (FILE, 1, "TODO"),
        (FILE, 3, "FIXME"),
    ]
    source.write_text("\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    again = call(shop, "import_code_comments")
    assert (again["imported"], again["alreadyImported"]) == (0, 4)
    only = call(shop, "import_code_comments", filePath="b.py", tags=["NOTE"])
    assert only["alreadyImported"] == 1


def test_permissions_decide_which_comments_are_shown(workspace: Path) -> None:
    add(Workbench(configure(root=workspace)), 5)
    rules = [{"pattern": "**", "operations": ["read"]}, {"pattern": "src/services/"}]
    shop = Workbench(configure(root=workspace, resource_permissions=rules))
    assert call(shop, "search_comments", query=".")["totalResults"] == 0
    rules = [{"pattern": "src/**", "operations": ["read"]}]
    shop = Workbench(configure(root=workspace, resource_permissions=rules))
    add(shop, 6)  # a record of ours needs no right to write the user's files
    assert call(shop, "search_comments", query=".")["totalResults"] == 2


def test_a_rule_that_denies_sidecars_is_respected(workspace: Path) -> None:
    rules = [{"pattern": "**", "operations": ["read", "write"]}, {"pattern": "*.comments"}]
    shop = Workbench(configure(root=workspace, resource_permissions=rules))
    with pytest.raises(Exception, match="File access denied"):
        add(shop, 5)
    assert not sidecar(workspace).exists()


def test_read_only_allows_reading(workspace: Path) -> None:
    add(Workbench(configure(root=workspace)), 5)
    shop = Workbench(configure(root=workspace, read_only=True))
    assert call(shop, "search_comments", query=".")["totalResults"] == 1
    with pytest.raises(ToolDisabled):
        add(shop, 5)


def test_an_export_is_written_only_where_writing_is_allowed(workspace: Path) -> None:
    add(Workbench(configure(root=workspace)), 5)
    with pytest.raises(EffectNotAllowed):
        call(
            Workbench(configure(root=workspace)),
            "export_comments",
            format="parquet",
            outputPath="out.parquet",
        )
    shop = Workbench(configure(root=workspace, allow=["write"]))
    call(shop, "export_comments", format="parquet", outputPath="out.parquet")
    assert (workspace / "out.parquet").read_bytes()[:4] == b"PAR1"


CANNOT_BE_READ = {
    "gone": (None, "the file is gone"),
    "binary": (b"\0\1\2" * 100, "the file is binary now"),
    "large": (Long(b"x = 1\n", 1_500_000), "the file is larger than 8 MiB now"),
}


@pytest.mark.parametrize(("content", "reason"), CANNOT_BE_READ.values(), ids=CANNOT_BE_READ)
def test_an_orphan_says_why_its_whole_file_cannot_be_read(
    shop: Workbench, source: Path, content: bytes | Long[bytes] | None, reason: str
) -> None:
    add(shop, 5)
    if content is None:
        source.unlink()
    else:
        source.write_bytes(whole(content))
    [comment] = call(shop, "get_file_comments", filePath=FILE)["comments"]
    assert comment["isOrphaned"]
    assert comment["reason"].startswith(reason)


def test_comments_of_a_newer_version_ask_for_an_upgrade(shop: Workbench, workspace: Path) -> None:
    add(shop, 5)
    raw = json.loads(sidecar(workspace).read_bytes())
    raw["benchpin"]["version"] = 99
    sidecar(workspace).write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(SidecarCorrupt) as refused:
        add(shop, 6)
    assert refused.value.message == "Comment file of a newer Benchpin"
    assert refused.value.suggestion.startswith("Upgrade Benchpin;")
    assert "version 99" in str(refused.value.data["parseError"])
