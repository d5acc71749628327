from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import PathOutsideWorkspace
from benchpin.facts.languages import is_candidate
from benchpin.fleet._sources import kind_of, language_of, open_member, read_tree
from benchpin.workspace.git import NotARepository
from benchpin.workspace.walking import Tree as WalkedTree
from benchpin.workspace.walking import WalkOptions
from repositories import Tree


def test_a_commit_has_the_files_that_a_walk_of_the_work_tree_finds(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "repository")
    files = dict.fromkeys(
        (
            "a.py",
            "deep/b.py",
            "deep/ignored/c.py",
            "deep/kept/ignored.py",
            "node_modules/d.js",
            "e_pb2.py",
            "tool",
            "table.h",
            "\x1b[31m.py",
            "naïve.py",
            "notes.txt",
        ),
        b"x = 1\n",
    )
    files |= {".gitignore": b"ignored/\n", "deep/kept/.gitignore": b"ignored.py\n"}
    tree.write(files)
    (tree.root / "link.py").symlink_to("a.py")
    tree.git("add", "--force", "--all")
    tree.commit()
    found = read_tree(open_member(tree.root), Job(), tree.git("rev-parse", "HEAD").decode(), bool)

    walked = WalkedTree(tree.root, WalkOptions(), wants=is_candidate).refresh(Job())
    assert [it.path for it in found.code] == [it.path for it in walked.files]
    assert found.names_in("deep/kept/") == [".gitignore", "ignored.py"]
    assert "a.py" in found.names_in("")


@pytest.mark.parametrize(
    ("path", "kind", "content", "language"),
    [
        ("a.py", "python", b"", "python"),
        ("a.h", "*.h", b"namespace a {}\n", "cpp"),
        ("a.h", "*.h", b"int a;\n", "c"),
        ("run", "*", b"#!/usr/bin/env python3\n", "python"),
        ("run", "*", b"text\n", None),
        ("a.ts", "*.ts", b"<?xml version='1.0'?>\n", None),
    ],
)
def test_the_kind_of_a_file_says_when_its_content_decides(
    path: str, kind: str, content: bytes, language: str | None
) -> None:
    assert kind_of(path) == kind
    assert language_of(kind, content) == language


def test_a_bare_mirror_with_objects_elsewhere_is_refused(one: Tree, tmp_path: Path) -> None:
    bare = tmp_path / "work" / "shared.git"
    one.git("clone", "--quiet", "--bare", "--shared", str(one.root), str(bare))

    with pytest.raises(PathOutsideWorkspace):
        open_member(bare)


def test_a_bare_mirror_of_another_repository_is_refused(one: Tree, tmp_path: Path) -> None:
    bare = tmp_path / "work" / "posing.git"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (bare / "commondir").write_text(str(one.root / ".git"), encoding="utf-8")

    with pytest.raises(NotARepository):
        open_member(bare)
