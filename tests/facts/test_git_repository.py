import os
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidPath, PathOutsideWorkspace
from benchpin.measures.history import read_history
from benchpin.workspace.git import NotARepository, find_repository
from repositories import Tree


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.txt": b"one\n", "deep/er/b.txt": b"one\n"})
    return made


@pytest.fixture
def private(tmp_path: Path) -> Tree:
    """Return a repository outside the workspace, which must not be reachable."""
    made = Tree(tmp_path / "private")
    made.commit({"secret.txt": b"x\n"})
    return made


def test_a_repository_is_found_from_any_folder_in_it(tree: Tree) -> None:
    for folder in ("", "deep", "deep/er"):
        found = find_repository(tree.root / folder, tree.root)
        assert (found.root, found.git_dir) == (tree.root, tree.root / ".git")
        assert (found.prefix, found.mount) == ("", "")


def test_a_repository_below_the_workspace_is_mounted_in_it(tree: Tree) -> None:
    found = find_repository(tree.root / "deep", tree.root.parent)
    assert (found.prefix, found.mount) == ("", "workspace/")


def test_a_workspace_below_the_root_shows_only_itself(tree: Tree) -> None:
    found = find_repository(tree.root / "deep" / "er", tree.root / "deep")
    assert (found.prefix, found.mount) == ("deep/", "")


def test_the_innermost_repository_is_the_one(tree: Tree) -> None:
    inner = Tree(tree.root / "deep" / "inner")
    inner.commit({"c.txt": b"one\n"})
    assert find_repository(inner.root, tree.root).root == inner.root


def test_a_folder_without_version_control_is_no_repository(workspace: Path) -> None:
    with pytest.raises(NotARepository) as caught:
        find_repository(workspace, workspace)
    assert caught.value.kind == "not_a_repository"


@pytest.mark.parametrize(
    "content", [b"", b"gitdir:", b"gitdir: nowhere\n", b"gitdir: \0", b"x" * 99]
)
def test_a_git_file_that_leads_nowhere_is_no_repository(workspace: Path, content: bytes) -> None:
    (workspace / ".git").write_bytes(content)
    with pytest.raises(NotARepository):
        find_repository(workspace, workspace)


def test_an_empty_git_folder_is_passed_over(tree: Tree) -> None:
    (tree.root / "deep" / ".git").mkdir()
    assert find_repository(tree.root / "deep", tree.root).root == tree.root


def test_a_pipe_for_a_git_file_is_not_waited_for(workspace: Path) -> None:
    os.mkfifo(workspace / ".git")
    with pytest.raises(NotARepository):
        find_repository(workspace, workspace)


def test_a_folder_outside_the_workspace_is_refused(tree: Tree, private: Tree) -> None:
    with pytest.raises(PathOutsideWorkspace):
        find_repository(private.root, tree.root)
    (tree.root / "link").symlink_to(private.root)
    with pytest.raises(PathOutsideWorkspace):
        find_repository(tree.root / "link", tree.root)


def test_a_file_is_no_folder(tree: Tree) -> None:
    with pytest.raises(InvalidPath):
        find_repository(tree.root / "a.txt", tree.root)


def point_to(private: Tree, workspace: Path) -> None:
    (workspace / ".git").write_text(f"gitdir: {private.root}/.git\n", encoding="utf-8")


def link_to(private: Tree, workspace: Path) -> None:
    (workspace / ".git").symlink_to(private.root / ".git")


def name_common_dir(private: Tree, workspace: Path) -> None:
    Tree(workspace)
    common = f"{private.root}/.git\n"
    (workspace / ".git" / "commondir").write_text(common, encoding="utf-8")


def pose_as_work_tree(private: Tree, workspace: Path) -> None:
    """Use a git folder of the private repository's, which names another work tree."""
    other = private.root.parent / "other"
    private.git("worktree", "add", "--quiet", str(other))
    (workspace / ".git").write_bytes((other / ".git").read_bytes())


def link_objects_and_refs(private: Tree, workspace: Path) -> None:
    Tree(workspace)
    for name in ("objects", "refs"):
        place = workspace / ".git" / name
        place.rename(workspace / f"old-{name}")
        place.symlink_to(private.root / ".git" / name)


def link_one_ref(private: Tree, workspace: Path) -> None:
    Tree(workspace).commit({"a.txt": b"one\n"})
    place = workspace / ".git" / "refs" / "heads" / "main"
    place.unlink()
    place.symlink_to(private.root / ".git" / "refs" / "heads" / "main")


@pytest.mark.parametrize(
    "lead_astray",
    [
        point_to,
        link_to,
        name_common_dir,
        pose_as_work_tree,
        link_objects_and_refs,
        link_one_ref,
    ],
)
def test_a_git_folder_that_leads_to_a_private_one_is_refused(
    workspace: Path, private: Tree, lead_astray: "object"
) -> None:
    assert callable(lead_astray)
    lead_astray(private, workspace)
    with pytest.raises(PathOutsideWorkspace):
        read_history(workspace, workspace, Job())


def test_a_linked_work_tree_is_read_though_its_git_folder_is_elsewhere(
    private: Tree, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    private.git("worktree", "add", "--quiet", str(linked))
    history = read_history(linked, linked, Job())
    assert [file.path for commit in history.commits for file in commit.files] == ["secret.txt"]


def test_a_submodule_is_a_repository_of_its_own(tree: Tree, private: Tree) -> None:
    tree.git("submodule", "--quiet", "add", str(private.root), "sub")
    tree.commit()
    inside = read_history(tree.root / "sub", tree.root, Job())
    assert inside.existing == {"sub/secret.txt"}
    alone = read_history(tree.root / "sub", tree.root / "sub", Job())
    assert alone.existing == {"secret.txt"}
    whole = read_history(tree.root, tree.root, Job())
    assert {file.path for it in whole.commits for file in it.files} == {
        ".gitmodules",
        "a.txt",
        "deep/er/b.txt",
    }


@pytest.mark.parametrize(
    "settings",
    [
        "[include]\n\tpath = ../pipe\n",
        '[includeIf "onbranch:never"]\n\tpath = ../pipe\n',
        "[include]\n\tpath = more\n",
    ],
)
def test_settings_that_include_a_pipe_are_refused_before_git_waits(
    tree: Tree, settings: str
) -> None:
    os.mkfifo(tree.root / "pipe")
    (tree.root / ".git/more").write_text("[include]\n\tpath = ../pipe\n", encoding="utf-8")
    with (tree.root / ".git/config").open("a", encoding="utf-8") as config:
        config.write(settings)
    with pytest.raises(InvalidPath) as caught:
        find_repository(tree.root, tree.root)
    assert caught.value.data == {"file": "pipe"}


@pytest.mark.parametrize(
    "name", [".git/config", ".git/packed-refs", ".git/refs/heads/pipe", ".mailmap"]
)
def test_a_pipe_where_git_reads_a_file_is_refused(tree: Tree, name: str) -> None:
    place = tree.root / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(InvalidPath):
        find_repository(tree.root, tree.root)


def test_settings_that_include_one_another_come_to_an_end(tree: Tree) -> None:
    with (tree.root / ".git/config").open("a", encoding="utf-8") as config:
        config.write("[include]\n\tpath = other\n\tpath = missing\n")
    other = tree.root / ".git/other"
    other.write_text("[include]\n\tpath = config\n\tpath = other\n", encoding="utf-8")
    assert find_repository(tree.root, tree.root).root == tree.root
