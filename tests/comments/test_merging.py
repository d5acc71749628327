"""Git merges the comments of two people, and nothing is lost."""

import json
from pathlib import Path, PurePosixPath

import pytest

from benchpin.comments import CommentStore, NewComment, parse
from benchpin.comments.anchoring import make_anchor
from benchpin.core.calls import Job
from comment_kit import NOON, add, write_source
from comments.merging_kit import Merging, losses

PATH = PurePosixPath("src/app.py")


@pytest.mark.parametrize("union", [True, False], ids=["union", "conflicts"])
def test_what_two_people_write_at_once_is_all_there_after_a_merge(
    tmp_path: Path, *, union: bool
) -> None:
    """Without the attribute git reports conflicts; the comments are read all the same."""
    merging = Merging(tmp_path / "shop", 40, 39, union=union)
    one, other = merging.branch("one"), merging.branch("other")
    conflicts = merging.merge("one")
    assert (conflicts < 4) is union
    assert [
        lost
        for path in merging.paths
        for lost in losses(merging.read(path), one[path], other[path])
    ] == []


def test_two_people_who_only_add_comments_never_conflict(tmp_path: Path) -> None:
    """Also where both write the first comments on a file."""
    merging = Merging(tmp_path / "shop", 40, 40, union=True)
    one, other = (merging.branch(it, ("add", "reply")) for it in ("one", "other"))
    assert merging.merge("one") == 0
    assert [
        lost
        for path in merging.paths
        for lost in losses(merging.read(path), one[path], other[path])
    ] == []


def test_a_file_with_conflict_markers_is_written_as_one(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    add(store, "src/app.py", 5, "both have it")
    place = workspace / "src/app.py.comments"
    lines = place.read_text(encoding="utf-8").splitlines(keepends=True)
    two = lines[2].replace("both", "b").replace('"c_', '"c_9')
    one = lines[2].replace("both", "a").replace('"c_', '"c_8')
    lines[3:3] = ["<<<<<<< HEAD\n", f",{one}", "=======\n", f",{two}", ">>>>>>> theirs\n"]
    place.write_text("".join(lines), encoding="utf-8")
    add(store, "src/app.py", 6, "later")
    texts = [it["text"] for it in json.loads(place.read_bytes())["comments"]]
    assert texts == ["both have it", "a have it", "b have it", "later"]


def test_a_text_that_the_later_writer_had_not_seen_is_kept_beside_the_later_one() -> None:
    comment = {"id": "c_1", "text": "first", "created": "2025-01-01T00:00:00Z"}
    other = {**comment, "text": "second", "benchpin": {"edited": "2025-02-02T00:00:00Z"}}
    [found] = parse(json.dumps({"comments": [comment, other]}).encode()).comments
    assert (found.text, found.also_says) == ("second", ("first",))


def test_a_comment_that_was_deleted_stays_deleted_after_a_merge(workspace: Path) -> None:
    document = write_source(workspace)
    store = CommentStore(workspace)
    gone, kept = (add(store, "src/app.py", line, f"on {line}") for line in (5, 6))
    old = store.read(PATH).raw["comments"]
    with store.editing([PATH], Job()) as [editor]:
        editor.remove(gone.id)
    raw = store.read(PATH).raw
    merged = parse(json.dumps({**raw, "comments": old}).encode())
    assert [it.id for it in merged.comments] == [kept.id]
    with store.editing([PATH], Job()) as [editor]:
        editor.add(NewComment("new", None, "me"), document, make_anchor(document, 1), NOON)
    assert gone.id in store.read(PATH).raw["benchpin"]["deleted"]  # type: ignore[index] # read from JSON


def test_a_truncated_file_is_still_damaged(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    add(store, "src/app.py", 5, "hello")
    place = workspace / "src/app.py.comments"
    place.write_bytes(place.read_bytes()[:-20])
    assert store.read(PATH).problem
