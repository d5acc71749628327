"""Changes to the comments of a file."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core import InvalidParams
from benchpin.engines.anchors.anchor import make_anchor
from benchpin.engines.anchors.document import Document
from benchpin.engines.anchors.draft import Draft, Wording, timestamp
from benchpin.engines.anchors.errors import CommentNotFound
from benchpin.engines.anchors.sidecar import Comment, Sidecar, parse
from comment_kit import CODE, NOON

DOCUMENT = Document(CODE.encode())


def new_draft(path: str = "src/app.py") -> Draft:
    return Draft(path, Sidecar())


def add(draft: Draft, line: int = 5, reply_to: str = "") -> Comment:
    wording = Wording("say", "TODO", "me", reply_to=reply_to)
    return draft.add(wording, DOCUMENT, make_anchor(DOCUMENT, line), NOON)


def test_ids_have_the_form_of_the_protocol_and_never_collide() -> None:
    draft = new_draft()
    comments = [add(draft) for _ in range(300)]
    names = [name for it in comments for name in (it.id, it.marker_id)]
    assert len(set(names)) == 600
    assert all(re.fullmatch(r"c_\d+", it.id) for it in comments)
    assert all(re.fullmatch(r"gm_\d+", it.marker_id) for it in comments)


def test_times_are_written_in_utc_with_milliseconds() -> None:
    assert timestamp(NOON) == "2025-10-19T12:00:00.000Z"


def test_nothing_is_written_where_nothing_changed() -> None:
    draft = new_draft()
    assert not draft.is_changed
    with pytest.raises(CommentNotFound):
        draft.edit("c_1", "x", NOON)
    assert not draft.is_changed


def test_a_reply_stands_where_its_parent_stands() -> None:
    draft = new_draft()
    parent = add(draft, 5)
    reply = add(draft, 9, parent.id)
    assert (reply.line, reply.marker_id, reply.reply_to) == (5, parent.marker_id, parent.id)
    assert len(draft.sidecar.markers) == 1


def test_a_reply_to_nobody_is_refused() -> None:
    with pytest.raises(CommentNotFound):
        add(new_draft(), 5, "c_404")


def test_replies_outlive_what_they_answer() -> None:
    draft = new_draft()
    first = add(draft)
    second = add(draft, reply_to=first.id)
    third = add(draft, reply_to=second.id)
    draft.remove(second.id)
    assert {it.id: it.reply_to for it in draft.sidecar.comments} == {
        first.id: "",
        third.id: first.id,
    }
    draft.remove(first.id)
    [left] = draft.sidecar.comments
    assert left.reply_to == ""
    assert draft.sidecar.marker_of[third.id].id == first.marker_id


def test_the_last_comment_takes_marker_and_sketch_with_it() -> None:
    draft = new_draft()
    draft.remove(add(draft).id)
    assert draft.is_blank
    assert not draft.sidecar.markers


def test_a_thread_moves_as_a_whole() -> None:
    old, new = new_draft("a.py"), new_draft("b.py")
    parent = add(old)
    reply = add(old, reply_to=parent.id)
    new.take_in(old.take_out(parent.id), DOCUMENT, make_anchor(DOCUMENT, 9), NOON)
    assert not old.sidecar.comments
    assert [(it.id, it.line, it.reply_to) for it in new.sidecar.comments] == [
        (parent.id, 9, ""),
        (reply.id, 9, parent.id),
    ]


def test_a_comment_does_not_take_the_place_of_another_with_its_id() -> None:
    old, new = new_draft("a.py"), new_draft("b.py")
    comment = add(old)
    [raw] = old.take_out(comment.id)
    new.take_in([raw | {"created": "long ago"}], DOCUMENT, make_anchor(DOCUMENT, 1), NOON)
    with pytest.raises(InvalidParams):
        new.take_in([raw], DOCUMENT, make_anchor(DOCUMENT, 1), NOON)


def test_a_move_that_was_cut_short_can_be_done_again() -> None:
    old, new = new_draft("a.py"), new_draft("b.py")
    thread = old.take_out(add(old).id)
    for line in (1, 9):
        new.take_in(thread, DOCUMENT, make_anchor(DOCUMENT, line), NOON)
    [comment] = new.sidecar.comments
    [marker] = new.sidecar.markers
    assert (comment.line, marker.line) == (9, 9)


def test_a_new_place_leaves_the_anchor_as_it_was() -> None:
    draft = new_draft()
    comment = add(draft, 5)
    before = draft.sidecar.marker_of[comment.id].anchor
    draft.note_place(comment.marker_id, 8, {"line": 8, "layer": "diff", "confidence": 0.999})
    marker = draft.sidecar.marker_of[comment.id]
    assert (marker.line, marker.anchor) == (8, before)
    assert draft.sidecar.comments[0].line == 8


def test_a_handover_keeps_the_anchor_the_sketch_and_the_file_it_came_from() -> None:
    old, new = new_draft("a.py"), new_draft("b.py")
    comment = add(old, 5)
    before = old.sidecar.marker_of[comment.id].anchor
    new.take_over(old.hand_over(comment.id), 2, {"line": 2, "layer": "moved"})
    marker = new.sidecar.marker_of[comment.id]
    assert (marker.anchor, marker.origin, marker.line) == (before, "a.py", 2)
    assert before is not None
    assert before.blob_id in new.sidecar.sketches
    assert old.is_blank


def test_a_comment_is_resolved_and_opened_again() -> None:
    draft = new_draft()
    comment = add(draft)
    closed = draft.resolve(comment.id, "wontfix", "ann", NOON)
    assert (closed.status, closed.resolved_by) == ("wontfix", "ann")
    opened = draft.resolve(comment.id, "open", "ann", NOON)
    assert (opened.status, opened.resolved_by, opened.resolved_at) == ("open", "", "")


Steps = st.lists(
    st.tuples(st.sampled_from(["add", "reply", "edit", "remove", "move"]), st.integers(0, 20)),
    max_size=25,
)


@given(Steps)
def test_whatever_is_done_each_comment_has_one_marker_and_no_marker_is_left_over(
    steps: list[tuple[str, int]],
) -> None:
    draft = new_draft()
    for action, number in steps:
        known = [it.id for it in draft.sidecar.comments]
        chosen = known[number % len(known)] if known else ""
        if action == "add" or not known:
            add(draft, 1 + number % 9)
        elif action == "reply":
            add(draft, 1, chosen)
        elif action == "edit":
            draft.edit(chosen, str(number), NOON)
        elif action == "remove":
            draft.remove(chosen)
        else:
            anchor = make_anchor(DOCUMENT, 1 + number % 9)
            draft.take_in(draft.take_out(chosen), DOCUMENT, anchor, NOON)
    found = parse(draft.encode())
    assert not found.problem
    ids = [it.id for it in found.comments]
    assert sorted(it for marker in found.markers for it in marker.comment_ids) == sorted(ids)
    assert all(marker.comment_ids for marker in found.markers)
    assert {it.reply_to for it in found.comments} <= {*ids, ""}
    anchored = {marker.anchor.blob_id for marker in found.markers if marker.anchor is not None}
    assert set(found.sketches) == anchored
