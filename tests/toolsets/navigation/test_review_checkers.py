"""The review asks the checkers that a project uses, on both states."""

import stat
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.navigation.review_change import ChangeReview
from repositories import Tree
from review_kit import Files, commit

# A checker of the project: it names every line with a mistake.
TSC = """#!/bin/sh
grep -Hn wrong *.ts | sed 's/^\\([^:]*\\):\\([0-9]*\\):.*/\\1(\\2,1): error TS1: it is wrong/'
exit 2
"""
FILES: Files = {
    "tsconfig.json": "{}\n",
    "a.ts": "export const a = 'wrong'\n",
    ".gitignore": "node_modules\n",
}


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    program = workspace / "node_modules" / ".bin" / "tsc"
    program.parent.mkdir(parents=True)
    program.write_text(TSC)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    commit(made, FILES)
    return made


def asked(tree: Tree, *allow: str) -> ChangeReview:
    with closing(Workbench.open(tree.root, allow=allow)) as bench:
        found = bench.call("review_change", checkers=True)
    assert isinstance(found, ChangeReview)
    return found


@pytest.mark.slow
def test_only_what_a_checker_did_not_say_before(tree: Tree) -> None:
    tree.write({"a.ts": b"\nexport const a = 'wrong'\n// wrong\n"})
    found = asked(tree, "execute")
    said = [(it.level, it.file, it.line, it.message) for it in found.findings]
    assert ("error", "a.ts", 3, "tsc TS1: it is wrong") in said
    assert [it.rule for it in found.findings].count("checker") == 1
    assert "tsc on both states" in found.checked
    assert "types not checked" not in found.checked


@pytest.mark.slow
def test_a_checker_that_does_not_start_is_named(tree: Tree) -> None:
    (tree.root / "node_modules" / ".bin" / "tsc").write_text("#!/bin/sh\necho broken; exit 3\n")
    tree.write({"a.ts": b"export const a = 1\n"})
    found = asked(tree, "execute")
    assert "not tsc: it ended with exit code 3: broken" in found.checked
    assert "types not checked" in found.checked


def test_without_the_right_to_run_programs_that_is_said(tree: Tree) -> None:
    tree.write({"a.ts": b"export const a = 1\n"})
    found = asked(tree)
    assert found.is_clean
    assert "--allow execute" in found.checked
