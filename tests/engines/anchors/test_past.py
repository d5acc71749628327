"""Comments whose code went elsewhere, as git and the disk tell it."""

from pathlib import Path, PurePosixPath

import pytest

from benchpin.core import Job
from benchpin.engines.anchors.anchor import make_anchor
from benchpin.engines.anchors.document import Document, open_document
from benchpin.engines.anchors.draft import Wording
from benchpin.engines.anchors.following import Follower, Standing
from benchpin.engines.anchors.past import looking_back
from benchpin.engines.anchors.store import Store
from comment_kit import NOON
from repositories import Tree

PATH = "src/app.py"
BODY = """\
def compute_total(orders):
    total = sum(order.price * order.amount for order in orders)
    if total > 1_000:
        total = apply_discount(total, percent=5)
    return round_to_cents(total)
"""
OTHER = "def unrelated(thing):\n    return thing.name\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    tree = Tree(workspace)
    tree.commit({PATH: f"import os\n\n\n{BODY}\n\n{OTHER}".encode(), "src/far.py": OTHER.encode()})
    return tree


def read_now(root: Path, path: str) -> Document | None:
    place = root / path
    return open_document(path, place.read_bytes()) if place.is_file() else None


def comment_on(tree: Tree, needle: str) -> None:
    text = (tree.root / PATH).read_bytes()
    document = open_document(PATH, text)
    line = next(at for at, it in enumerate(document.lines, start=1) if needle in it)
    commit = tree.git("rev-parse", "HEAD").decode()
    anchor = make_anchor(document, line, commit=commit)
    with Store(tree.root).editing(PurePosixPath(PATH), Job()) as draft:
        draft.add(Wording("note", "NOTE", "me"), document, anchor, NOON)


def follow(tree: Tree, path: str = PATH, denied: str = "") -> Standing:
    sidecar = Store(tree.root).read(PurePosixPath(path))
    with looking_back(tree.root, lambda it: read_now(tree.root, it), Job()) as past:
        found = Follower(tree.root).follow(path, sidecar, past, lambda it: it != denied)
    [standing] = found.values()
    return standing


def test_a_comment_follows_a_rename(tree: Tree) -> None:
    comment_on(tree, "apply_discount")
    text = (tree.root / PATH).read_bytes()
    tree.commit({PATH: None, "lib/core.py": text})
    standing = follow(tree)
    assert (standing.path, standing.line, standing.state) == ("lib/core.py", 7, "moved")


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_comment_follows_its_block_into_another_file(tree: Tree, *, is_committed: bool) -> None:
    comment_on(tree, "apply_discount")
    left, target = f"import os\n\n\n{OTHER}".encode(), f"{OTHER}\n\n{BODY}".encode()
    if is_committed:
        tree.commit({PATH: left, "src/far.py": target})
    else:
        (tree.root / PATH).write_bytes(left)
        (tree.root / "src/far.py").write_bytes(target)
    standing = follow(tree)
    assert (standing.path, standing.line) == ("src/far.py", 8)


def test_a_file_that_may_not_be_read_is_not_spoken_of(tree: Tree) -> None:
    comment_on(tree, "apply_discount")
    tree.commit({PATH: b"import os\n", "src/far.py": f"{OTHER}\n\n{BODY}".encode()})
    standing = follow(tree, denied="src/far.py")
    assert (standing.path, standing.state, standing.suggestions) == (PATH, "orphaned", ())


def test_what_always_stood_elsewhere_is_no_destination(tree: Tree) -> None:
    tree.commit({"src/far.py": f"{OTHER}\n\n{BODY}".encode()})
    comment_on(tree, "apply_discount")
    tree.commit({PATH: b"import os\n"})
    assert follow(tree).is_orphaned
