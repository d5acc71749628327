"""Lines traced through real git repositories."""

from pathlib import Path

import pytest

from benchpin.comments.anchoring import Layer, Placement, TrackedText, make_anchor
from benchpin.comments.anchoring._anchor import Outcome
from benchpin.comments.anchoring._commit_range import CommitRange
from benchpin.comments.anchoring._git_history import read_commits
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import open_text
from benchpin.core.calls import Job
from benchpin.workspace.git import find_repository
from benchpin.workspace.git_objects import open_objects
from repositories import Tree

BAKE = """\
class Oven
  def bake(bread)
    raise "cold" unless warm?
    bread.time = 40
    bread.colour = :brown
    shelf.push(bread)
  end

  def warm?
    @degrees > 180 && @minutes > 15
  end
end
"""


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"oven.rb": BAKE.encode(), "readme.md": b"# Oven\n"})
    return made


def place(tree: Tree, since: str, path: str, line: int, root: Path | None = None) -> Outcome:
    """Place a line of a commit in the work tree, with its uncommitted changes."""
    workspace = root or tree.root
    repository = find_repository(workspace, workspace)
    with open_objects(repository, Job()) as objects:
        text = objects.read(f"{since}:{repository.prefix}{path}")
        assert text is not None
        base = open_text(path, text)

        def read_now(name: str) -> TrackedText | None:
            file = workspace / name
            return open_text(name, file.read_bytes()) if file.is_file() else None

        anchor = make_anchor(base, line, commit=since)
        commits = read_commits(repository, anchor.commit, tree.head(), objects.read, Job())
        assert commits is not None
        [found] = reanchor(path, [anchor], base, read_now, commits=commits)
        return found


def spot(found: Outcome) -> tuple[str, int, Layer]:
    assert isinstance(found, Placement), found
    return found.path, found.line, found.layer


def test_a_line_is_followed_through_renames_edits_and_what_is_not_committed(tree: Tree) -> None:
    since = tree.head()
    tree.commit({"oven.rb": None, "lib/oven.rb": b"# Bakes.\n" + BAKE.encode()})
    edited = "# Bakes.\n" + BAKE.replace("@degrees > 180", "@degrees > HOT")
    tree.commit({"lib/oven.rb": edited.encode()})
    tree.write({"lib/oven.rb": b"# Not committed.\n" + edited.encode()})
    assert spot(place(tree, since, "oven.rb", 10)) == ("lib/oven.rb", 12, Layer.EDITED)
    assert spot(place(tree, since, "oven.rb", 5)) == ("lib/oven.rb", 7, Layer.DIFF)


def test_a_merge_counts_as_one_commit(tree: Tree) -> None:
    since = tree.head()
    tree.git("checkout", "--quiet", "-b", "side")
    tree.commit({"oven.rb": BAKE.replace("40", "45").encode()})
    tree.commit({"oven.rb": BAKE.replace("40", "50 # minutes").encode()})
    tree.git("checkout", "--quiet", "main")
    tree.commit({"readme.md": b"# The oven\n"})
    tree.git("merge", "--quiet", "--no-edit", "side")
    found = place(tree, since, "oven.rb", 4)
    assert spot(found) == ("oven.rb", 4, Layer.EDITED)
    assert isinstance(found, Placement)
    assert tree.head()[:10] in found.reason


def test_paths_are_relative_to_a_workspace_inside_a_repository(workspace: Path) -> None:
    tree = Tree(workspace)
    since = tree.commit({"app/oven.rb": BAKE.encode(), "other.rb": b"x = 1\n"})
    tree.commit({"app/oven.rb": b"# Bakes.\n" + BAKE.encode(), "other.rb": b"x = 2\n"})
    found = place(tree, since, "oven.rb", 5, root=workspace / "app")
    assert spot(found) == ("oven.rb", 6, Layer.DIFF)


def commits_since(tree: Tree, since: str) -> CommitRange | None:
    repository = find_repository(tree.root, tree.root)
    with open_objects(repository, Job()) as objects:
        return read_commits(repository, since, tree.head(), objects.read, Job())


@pytest.mark.parametrize("since", ["0" * 40, "", "HEAD", "--all"])
def test_a_missing_commit_has_no_commits_after_it(tree: Tree, since: str) -> None:
    assert commits_since(tree, since) is None


def test_links_and_odd_names_are_read(tree: Tree) -> None:
    since = tree.head()
    (tree.root / "link").symlink_to("oven.rb")
    tree.commit({"a\tb\nc.rb": b"x = 1\n", ":100644 x": b"y = 2\n"})
    commits = commits_since(tree, since)
    assert commits is not None
    assert sorted(it.path for it in commits.changed_files) == [":100644 x", "a\tb\nc.rb"]


def test_a_repository_without_some_texts_still_has_commits(tree: Tree) -> None:
    since = tree.head()
    tree.commit({"gone.rb": b"x = 1\n" * 9})
    blob = tree.git("rev-parse", "HEAD:gone.rb").decode()
    tree.commit({"gone.rb": None, "there.rb": b"x = 1\n" * 8 + b"y = 2\n"})
    tree.commit({"oven.rb": None, "lib/oven.rb": BAKE.encode()})
    (tree.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert spot(place(tree, since, "oven.rb", 5)) == ("lib/oven.rb", 5, Layer.SAME)
