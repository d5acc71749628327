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


def follow(
    tree: Tree,
    path: str = PATH,
    denied: str = "",
    follower: Follower | None = None,
    job: Job | None = None,
) -> Standing:
    sidecar = Store(tree.root).read(PurePosixPath(path))
    with looking_back(tree.root, lambda it: read_now(tree.root, it), job or Job()) as past:
        known = follower or Follower(tree.root)
        found = known.follow(path, sidecar, past, lambda it: it != denied)
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


def test_a_placement_that_time_cut_short_is_partial_and_not_remembered(tree: Tree) -> None:
    comment_on(tree, "apply_discount")
    edited = (tree.root / PATH).read_bytes().replace(b"percent=5", b"percent=7")
    tree.commit({PATH: edited})
    follower, late = Follower(tree.root), Job(time_limit_s=0)
    hurried = follow(tree, follower=follower, job=late)
    assert late.missing == ["git history of the commented files"]
    in_time = Job()
    found = follow(tree, follower=follower, job=in_time)
    assert not in_time.missing
    assert found == follow(tree)
    assert found != hurried


def test_git_that_is_slow_for_one_file_leaves_no_trace_of_the_next(tree: Tree) -> None:
    comment_on(tree, "apply_discount")
    tree.commit({PATH: (tree.root / PATH).read_bytes().replace(b"percent=5", b"percent=7")})
    sidecar = Store(tree.root).read(PurePosixPath(PATH))
    follower = Follower(tree.root)

    def follow_twice(job: Job) -> None:
        with looking_back(tree.root, lambda it: read_now(tree.root, it), job) as past:
            past.trail(PATH, tree.git("rev-parse", "HEAD~1").decode())
            follower.follow(PATH, sidecar, past, lambda _: True)

    follow_twice(Job(time_limit_s=0))
    assert follow(tree, follower=follower) == follow(tree)
