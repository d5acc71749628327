"""Comments whose code moved elsewhere, with git and uncommitted changes; git that is too slow."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from benchpin.comments import CommentStore, NewComment, PlacedComment
from benchpin.comments.anchoring import CommentTracker, make_anchor, open_git_history
from benchpin.comments.anchoring._tracked_text import open_text
from benchpin.core.calls import Job, WorkspaceSession
from comment_kit import NOON, files_of, place
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


@pytest.fixture
def session(tree: Tree, tmp_path: Path) -> Iterator[WorkspaceSession]:
    session = WorkspaceSession(tree.root, tmp_path / "cache")
    yield session
    session.close()


def comment_on(tree: Tree, needle: str) -> None:
    text = open_text(PATH, (tree.root / PATH).read_bytes())
    line = next(at for at, it in enumerate(text.lines, start=1) if needle in it)
    anchor = make_anchor(text, line, commit=tree.head())
    with CommentStore(tree.root).editing([PurePosixPath(PATH)], Job()) as [editor]:
        editor.add(NewComment("note", "NOTE", "me"), text, anchor, NOON)


def place_one(session: WorkspaceSession, denied: str = "", job: Job | None = None) -> PlacedComment:
    [placed] = place(session, PATH, denied, job)
    return placed


def test_a_comment_follows_a_rename(tree: Tree, session: WorkspaceSession) -> None:
    comment_on(tree, "apply_discount")
    text = (tree.root / PATH).read_bytes()
    tree.commit({PATH: None, "lib/core.py": text})
    placed = place_one(session)
    assert (placed.file_path, placed.line, placed.state) == ("lib/core.py", 7, "moved")


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_comment_follows_its_block_into_another_file(
    tree: Tree, session: WorkspaceSession, *, is_committed: bool
) -> None:
    comment_on(tree, "apply_discount")
    left, target = f"import os\n\n\n{OTHER}".encode(), f"{OTHER}\n\n{BODY}".encode()
    if is_committed:
        tree.commit({PATH: left, "src/far.py": target})
    else:
        (tree.root / PATH).write_bytes(left)
        (tree.root / "src/far.py").write_bytes(target)
    placed = place_one(session)
    assert (placed.file_path, placed.line) == ("src/far.py", 8)


def test_a_file_that_may_not_be_read_is_not_mentioned(
    tree: Tree, session: WorkspaceSession
) -> None:
    comment_on(tree, "apply_discount")
    tree.commit({PATH: b"import os\n", "src/far.py": f"{OTHER}\n\n{BODY}".encode()})
    placed = place_one(session, denied="src/far.py")
    assert (placed.file_path, placed.state, placed.suggestions) == (PATH, "gone", ())


def test_code_that_was_always_elsewhere_is_no_destination(
    tree: Tree, session: WorkspaceSession
) -> None:
    tree.commit({"src/far.py": f"{OTHER}\n\n{BODY}".encode()})
    comment_on(tree, "apply_discount")
    tree.commit({PATH: b"import os\n"})
    assert place_one(session).is_orphaned


def edit_commented_line(tree: Tree) -> None:
    comment_on(tree, "apply_discount")
    tree.commit({PATH: (tree.root / PATH).read_bytes().replace(b"percent=5", b"percent=7")})


def in_time(session: WorkspaceSession) -> PlacedComment:
    """Place the comment with a session that remembers nothing."""
    return place_one(WorkspaceSession(session.root, session.cache_dir))


def test_a_place_that_time_cut_short_is_partial_and_not_remembered(
    tree: Tree, session: WorkspaceSession
) -> None:
    edit_commented_line(tree)
    late = Job(time_limit_s=0)
    found_late = place_one(session, job=late)
    assert late.missing == ["git history of the commented files"]
    job = Job()
    found = place_one(session, job=job)
    assert not job.missing
    assert found == in_time(session)
    assert found != found_late


def test_history_that_was_cut_short_for_one_file_is_not_complete_for_the_next(
    tree: Tree, session: WorkspaceSession
) -> None:
    edit_commented_line(tree)
    job = Job(time_limit_s=0)
    files, sidecar = files_of(session, job=job), CommentStore(tree.root).read(PurePosixPath(PATH))
    with open_git_history(files) as history:
        assert history.of(PATH).commits(tree.git("rev-parse", "HEAD~1").decode()) is None
        omissions = job.omissions
        CommentTracker(files, history).place(sidecar)
        assert job.omissions > omissions
    assert place_one(session) == in_time(session)
