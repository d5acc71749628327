"""Changes to the comments of a file."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments import NewComment, Sidecar, SidecarEditor, StoredComment, parse
from benchpin.comments._errors import CommentNotFound
from benchpin.comments._new_comment import timestamp
from benchpin.comments.anchoring import TrackedText, make_anchor
from benchpin.core.errors import InvalidParams
from comment_kit import CODE, NOON, placed

DOCUMENT = TrackedText(CODE.encode())


def new_editor(path: str = "src/app.py") -> SidecarEditor:
    return SidecarEditor(path, Sidecar())


def add(editor: SidecarEditor, line: int = 5, reply_to: str = "") -> StoredComment:
    new = NewComment("say", "TODO", "me", reply_to=reply_to)
    return editor.add(new, DOCUMENT, make_anchor(DOCUMENT, line), NOON)


def test_ids_have_the_form_of_the_protocol_and_never_collide() -> None:
    editor = new_editor()
    comments = [add(editor) for _ in range(300)]
    names = [name for it in comments for name in (it.id, it.marker_id)]
    assert len(set(names)) == 600
    assert all(re.fullmatch(r"c_\d+", it.id) for it in comments)
    assert all(re.fullmatch(r"gm_\d+", it.marker_id) for it in comments)


def test_times_are_written_in_utc_with_milliseconds() -> None:
    assert timestamp(NOON) == "2025-10-19T12:00:00.000Z"


def test_nothing_is_written_when_nothing_changed() -> None:
    editor = new_editor()
    assert not editor.is_changed
    with pytest.raises(CommentNotFound):
        editor.edit("c_1", "x", NOON)
    assert not editor.is_changed


def test_a_reply_is_on_the_line_of_its_parent() -> None:
    editor = new_editor()
    parent = add(editor, 5)
    reply = add(editor, 9, parent.id)
    assert (reply.line, reply.marker_id, reply.reply_to) == (5, parent.marker_id, parent.id)
    assert len(editor.sidecar.markers) == 1


def test_a_reply_to_a_missing_comment_is_refused() -> None:
    with pytest.raises(CommentNotFound):
        add(new_editor(), 5, "c_404")


def test_replies_outlive_their_parent() -> None:
    editor = new_editor()
    first = add(editor)
    second = add(editor, reply_to=first.id)
    third = add(editor, reply_to=second.id)
    editor.remove(second.id)
    assert {it.id: it.reply_to for it in editor.sidecar.comments} == {
        first.id: "",
        third.id: first.id,
    }
    editor.remove(first.id)
    [left] = editor.sidecar.comments
    assert left.reply_to == ""
    assert editor.sidecar.marker_of[third.id].id == first.marker_id


def test_the_last_comment_is_removed_with_marker_and_sketch() -> None:
    editor = new_editor()
    editor.remove(add(editor).id)
    assert editor.is_blank
    assert not editor.sidecar.markers


def test_a_thread_moves_as_a_whole() -> None:
    old, new = new_editor("a.py"), new_editor("b.py")
    parent = add(old)
    reply = add(old, reply_to=parent.id)
    new.add_thread(old.remove_thread(parent.id), DOCUMENT, make_anchor(DOCUMENT, 9), NOON)
    assert not old.sidecar.comments
    assert [(it.id, it.line, it.reply_to) for it in new.sidecar.comments] == [
        (parent.id, 9, ""),
        (reply.id, 9, parent.id),
    ]


def test_a_comment_does_not_take_the_place_of_another_with_its_id() -> None:
    old, new = new_editor("a.py"), new_editor("b.py")
    comment = add(old)
    [raw] = old.remove_thread(comment.id)
    new.add_thread([raw | {"created": "long ago"}], DOCUMENT, make_anchor(DOCUMENT, 1), NOON)
    with pytest.raises(InvalidParams):
        new.add_thread([raw], DOCUMENT, make_anchor(DOCUMENT, 1), NOON)


def test_a_move_that_was_cut_short_can_be_done_again() -> None:
    old, new = new_editor("a.py"), new_editor("b.py")
    thread = old.remove_thread(add(old).id)
    for line in (1, 9):
        new.add_thread(thread, DOCUMENT, make_anchor(DOCUMENT, line), NOON)
    [comment] = new.sidecar.comments
    [marker] = new.sidecar.markers
    assert (comment.line, marker.line) == (9, 9)


def test_a_new_place_leaves_the_anchor_as_it_was() -> None:
    editor = new_editor()
    comment = add(editor, 5)
    before = editor.sidecar.marker_of[comment.id].anchor
    editor.set_place(comment.marker_id, placed(comment, 8))
    marker = editor.sidecar.marker_of[comment.id]
    assert (marker.line, marker.anchor) == (8, before)
    assert editor.sidecar.comments[0].line == 8


def test_a_detached_marker_keeps_its_anchor_sketch_and_original_file() -> None:
    old, new = new_editor("a.py"), new_editor("b.py")
    comment = add(old, 5)
    before = old.sidecar.marker_of[comment.id].anchor
    new.attach_marker(old.detach_marker(comment.id), placed(comment, 2, "moved"))
    marker = new.sidecar.marker_of[comment.id]
    assert (marker.anchor, marker.origin, marker.line) == (before, "a.py", 2)
    assert before is not None
    assert before.blob_id in new.sidecar.sketches
    assert old.is_blank


def test_a_comment_is_resolved_and_opened_again() -> None:
    editor = new_editor()
    comment = add(editor)
    closed = editor.resolve(comment.id, "wontfix", "ann", NOON)
    assert (closed.status, closed.resolved_by) == ("wontfix", "ann")
    opened = editor.resolve(comment.id, "open", "ann", NOON)
    assert (opened.status, opened.resolved_by, opened.resolved_at) == ("open", "", "")


Steps = st.lists(
    st.tuples(st.sampled_from(["add", "reply", "edit", "remove", "move"]), st.integers(0, 20)),
    max_size=25,
)


@given(Steps)
def test_every_comment_has_one_marker_and_no_marker_is_unused(
    steps: list[tuple[str, int]],
) -> None:
    editor = new_editor()
    for action, number in steps:
        known = [it.id for it in editor.sidecar.comments]
        chosen = known[number % len(known)] if known else ""
        if action == "add" or not known:
            add(editor, 1 + number % 9)
        elif action == "reply":
            add(editor, 1, chosen)
        elif action == "edit":
            editor.edit(chosen, str(number), NOON)
        elif action == "remove":
            editor.remove(chosen)
        else:
            anchor = make_anchor(DOCUMENT, 1 + number % 9)
            editor.add_thread(editor.remove_thread(chosen), DOCUMENT, anchor, NOON)
    found = parse(editor.encode())
    assert not found.problem
    ids = [it.id for it in found.comments]
    assert sorted(it for marker in found.markers for it in marker.comment_ids) == sorted(ids)
    assert all(marker.comment_ids for marker in found.markers)
    assert {it.reply_to for it in found.comments} <= {*ids, ""}
    anchored = {marker.anchor.blob_id for marker in found.markers if marker.anchor is not None}
    assert set(found.sketches) == anchored
