from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.code.changes import (
    Deltas,
    SymbolChange,
    compare_symbols,
    find_deltas,
    patch_deltas,
    read_changed,
)
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.facts import FileSelection, SourceQuery
from repositories import Tree

BODY = "".join(f"    total += step_{number}(total, {number})\n" for number in range(6))


def function(name: str, body: str = BODY, given: str = "total") -> str:
    return f"def {name}({given}):\n{body}    return total\n\n\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.py": b"a = 1\n", "b.py": b"b = 1\n", ".gitignore": b"*.log\n"})
    return made


@pytest.fixture
def bench(workspace: Path) -> Iterator[Workbench]:
    made = Workbench.open(workspace)
    yield made
    made.close()


def selection(bench: Workbench, start: str = "") -> FileSelection:
    inner = bench.bench
    return FileSelection(inner.session, inner.permissions, Job(), SourceQuery(start=start))


def deltas(bench: Workbench, change: str = "uncommitted", start: str = "") -> Deltas:
    return find_deltas(selection(bench, start), change)


def statuses(found: Deltas) -> dict[str, str]:
    return {it.path: it.status for it in found.files}


def test_a_file_that_is_too_large_is_named_and_not_compared_by_its_beginning(
    tree: Tree, bench: Workbench
) -> None:
    for name in ("a.py", "new.bin"):
        with (tree.root / name).open("r+b" if name == "a.py" else "wb") as file:
            file.truncate(17 << 20)
    found = deltas(bench)
    assert statuses(found) == {}
    assert found.unreadable == dict.fromkeys(("a.py", "new.bin"), "larger than 16 MiB")
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    with pytest.raises(InvalidParams, match="'a\\.py', which is larger than 16 MiB"):
        patch_deltas(selection(bench), patch)


def test_uncommitted_work_is_what_the_disk_has_over_the_last_commit(
    tree: Tree, bench: Workbench
) -> None:
    assert statuses(deltas(bench)) == {}
    tree.write({"a.py": b"a = 2\n", "b.py": None, "new.py": b"n = 1\n", "x.log": b"ignored\n"})
    found = deltas(bench)
    assert statuses(found) == {"a.py": "changed", "b.py": "deleted", "new.py": "added"}
    assert next((it.before, it.after) for it in found.files) == (b"a = 1\n", b"a = 2\n")


def test_staged_work_is_what_the_index_has_over_the_last_commit(
    tree: Tree, bench: Workbench
) -> None:
    tree.write({"a.py": b"a = 2\n", "new.py": b"n = 1\n"})
    tree.git("add", "a.py")
    tree.write({"a.py": b"a = 3\n"})
    staged = deltas(bench, "staged")
    (one,) = staged.files
    assert (one.path, one.after) == ("a.py", b"a = 2\n")
    assert staged.after_ids is not None
    assert sorted(staged.after_ids) == [".gitignore", "a.py", "b.py"]
    assert deltas(bench).after_ids is None


def test_a_range_compares_two_commits(tree: Tree, bench: Workbench) -> None:
    tree.commit({"a.py": b"a = 2\n"})
    tree.commit({"b.py": b"b = 2\n"})
    tree.write({"a.py": b"a = 9\n"})
    assert statuses(deltas(bench, "HEAD~2..HEAD~1")) == {"a.py": "changed"}
    assert statuses(deltas(bench, "HEAD~1..")) == {"b.py": "changed"}


def test_a_revision_means_what_the_branch_and_the_disk_have_over_it(
    tree: Tree, bench: Workbench
) -> None:
    tree.git("checkout", "--quiet", "-b", "topic")
    tree.commit({"a.py": b"a = 2\n"})
    tree.git("checkout", "--quiet", "main")
    tree.commit({"other.py": b"o = 1\n"})
    tree.git("checkout", "--quiet", "topic")
    tree.write({"b.py": b"b = 2\n"})
    since = deltas(bench, "main")
    assert statuses(since) == {"a.py": "changed", "b.py": "changed"}
    base = tree.git("merge-base", "main", "topic").decode()
    compared = f"compared with {base[:12]}, the merge base of main and HEAD"
    assert since.title == f"changes since main ({compared})"
    assert (since.commit, since.is_merge_base) == (base, True)
    assert deltas(bench, "HEAD~1").title == "changes since HEAD~1"
    assert statuses(deltas(bench, "main...topic")) == {"a.py": "changed"}


def test_only_the_selected_files_are_compared(tree: Tree, bench: Workbench) -> None:
    tree.write({"a.py": b"a = 2\n", "sub/c.py": b"c = 1\n"})
    assert statuses(deltas(bench, start="sub")) == {"sub/c.py": "added"}


def test_a_submodule_is_compared_with_the_commit_that_was_recorded(
    tree: Tree, bench: Workbench, tmp_path: Path
) -> None:
    inner = Tree(tmp_path / "inner")
    inner.commit({"x.py": b"x = 1\n", "y.py": b"y = 1\n"})
    tree.git("submodule", "--quiet", "add", str(inner.root), "sub")
    tree.commit({})
    assert statuses(deltas(bench)) == {}
    tree.write({"sub/x.py": b"x = 2\n", "a.py": b"a = 2\n"})
    assert statuses(deltas(bench)) == {"a.py": "changed", "sub/x.py": "changed"}


def test_a_file_that_moved_is_one_rename(tree: Tree, bench: Workbench) -> None:
    tree.commit({"old.py": function("f").encode()})
    tree.write({"old.py": None, "new.py": function("f", BODY + "    total += 1\n").encode()})
    (one,) = deltas(bench).files
    assert (one.status, one.old_path, one.path) == ("renamed", "old.py", "new.py")


def test_a_change_that_keeps_the_size_and_the_time_is_seen(tree: Tree, bench: Workbench) -> None:
    import os  # noqa: PLC0415

    place = tree.root / "a.py"
    before = place.stat()
    place.write_bytes(b"a = 7\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert statuses(deltas(bench)) == {"a.py": "changed"}


def test_converted_line_ends_are_no_change(tree: Tree, bench: Workbench) -> None:
    tree.write({"a.py": b"a = 1\r\n"})
    assert statuses(deltas(bench)) == {}


def test_before_the_first_commit_everything_is_new(workspace: Path, bench: Workbench) -> None:
    Tree(workspace).write({"a.py": b"a = 1\n"})
    assert statuses(deltas(bench)) == {"a.py": "added"}


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("change", ["nowhere", "HEAD..nowhere", "--all", "^HEAD", "x" * 300])
def test_an_unknown_revision_is_refused(bench: Workbench, change: str) -> None:
    with pytest.raises(InvalidParams, match="has no revision"):
        deltas(bench, change)


@pytest.mark.usefixtures("tree")
def test_a_patch_is_compared_with_the_disk_and_nothing_is_written(
    bench: Workbench, workspace: Path
) -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 5\n"
    (one,) = patch_deltas(selection(bench), patch).files
    assert one.after == b"a = 5\n"
    assert (workspace / "a.py").read_bytes() == b"a = 1\n"


@pytest.mark.usefixtures("tree")
def test_a_patch_that_is_on_the_disk_already_is_refused_with_the_way_to_review_it(
    bench: Workbench,
) -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 0\n+a = 1\n"
    with pytest.raises(InvalidParams, match=r"applied already: 'a\.py' is as") as caught:
        patch_deltas(selection(bench), patch)
    assert "diff=REV" in caught.value.suggestion


@pytest.mark.usefixtures("tree")
def test_a_patch_of_a_file_outside_is_refused(bench: Workbench) -> None:
    patch = "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n"
    with pytest.raises(InvalidParams, match="cannot be read"):
        patch_deltas(selection(bench), patch)


def symbols(tree: Tree, bench: Workbench, **after: str) -> list[tuple[str, str]]:
    tree.write({f"{name}.py": it.encode() for name, it in after.items()})
    return [(it.status, it.now.name) for it in changes(bench)]


def changes(bench: Workbench) -> list[SymbolChange]:
    found = deltas(bench).files
    return compare_symbols(read_changed(bench.bench.session, found, Job()))


def test_functions_are_added_removed_and_changed(tree: Tree, bench: Workbench) -> None:
    tree.commit({"a.py": (function("f") + function("gone", "    x = 1\n")).encode()})
    after = function("f", BODY + "    total -= 1\n") + function("new", "    y = [2]\n")
    assert set(symbols(tree, bench, a=after)) == {
        ("changed", "f"),
        ("added", "new"),
        ("removed", "gone"),
    }


def test_a_changed_method_does_not_change_its_class(tree: Tree, bench: Workbench) -> None:
    before = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n"
    tree.commit({"a.py": before.encode()})
    assert symbols(tree, bench, a=before.replace("return 1", "return 2")) == [("changed", "A.f")]
    assert symbols(tree, bench, a=before.replace("x = 1", "x = 2")) == [("changed", "A")]


def test_a_new_name_and_a_new_file_are_told_apart_from_new_code(
    tree: Tree, bench: Workbench
) -> None:
    tree.commit({"a.py": (function("f") + function("g", BODY * 2)).encode(), "c.py": b"c = 1\n"})
    found = symbols(tree, bench, a=function("f2"), c="c = 1\n\n\n" + function("g", BODY * 2))
    assert found == [("renamed", "f2"), ("moved", "g")]


def test_a_changed_signature_is_told(tree: Tree, bench: Workbench) -> None:
    tree.commit({"a.py": function("f").encode()})
    tree.write({"a.py": function("f", given="total, extra").encode()})
    (one,) = changes(bench)
    assert one.is_signature_changed


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("path", ["../out.py", "/etc/out.py", "a/../../out.py", ".env"])
def test_a_patch_that_makes_a_file_outside_or_denied_is_refused(
    bench: Workbench, path: str
) -> None:
    patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
    with pytest.raises(InvalidParams, match="cannot be read or written"):
        patch_deltas(selection(bench), patch)


def test_names_of_the_index_that_lead_outside_are_not_looked_at(
    tree: Tree, bench: Workbench
) -> None:
    blob = tree.git("hash-object", "-w", "a.py").decode()
    tree.write({"a.py": b"a = 2\n"})
    index = tree.root / ".git/index"
    raw = index.read_bytes()
    tree.git("update-index", "--add", "--cacheinfo", f"100644,{blob},x/etc/shadow")
    crafted = index.read_bytes().replace(b"x/etc/shadow", b"../../shadow")
    assert crafted != raw
    import hashlib  # noqa: PLC0415

    index.write_bytes(crafted[:-20] + hashlib.sha1(crafted[:-20]).digest())  # noqa: S324
    found = deltas(bench, "uncommitted")
    assert all(".." not in it.path for it in found.files)
    assert all(".." not in it for it in found.unreadable)


def test_what_is_too_much_to_compare_is_named(
    tree: Tree, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.code.changes._deltas._MAX_BYTES", 8)
    tree.write({"a.py": b"a = 2\n" * 3, "b.py": b"b = 2\n" * 3})
    found = deltas(bench)
    assert len(found.files) == 1
    assert set(found.unreadable) == {"b.py"}


def test_a_file_whose_old_content_is_not_in_this_clone_is_named_and_not_called_new(
    tree: Tree, bench: Workbench
) -> None:
    blob = tree.git("rev-parse", "HEAD:a.py").decode()
    (tree.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (tree.root / "a.py").unlink()
    found = deltas(bench)
    assert found.files == ()
    assert found.unreadable == {"a.py": "not in this clone"}
