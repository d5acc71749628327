"""Sidecars in all formats, intact and damaged."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments import Sidecar, SidecarEditor, parse
from benchpin.comments.anchoring import TrackedText
from comment_kit import CODE, DEMO, EARLIER, EDITOR, NOON, SHAPES

DEEP = b'{"a":' * 300 + b"1" + b"}" * 300


def read(shape: object) -> Sidecar:
    return parse(json.dumps(shape).encode())


def test_the_format_of_the_editor_is_read() -> None:
    [comment] = read(EDITOR).comments
    assert comment.id == "7b1d5c1e-64a8-4f4e-9d5e-3a6a3c8f8e01"
    assert comment.line == 5  # the marker's line is the truth
    assert (comment.tag, comment.status, comment.resolved_by) == (None, "wontfix", "bob")
    assert comment.extra["replies"] == [{"id": "r1", "text": "no"}]
    [marker] = read(EDITOR).markers
    assert marker.anchor is not None
    assert (marker.anchor.text, marker.anchor.symbol) == ("y = x + 1", "first")
    assert marker.anchor.before == ("def first(x):",)


def test_the_format_of_the_earlier_server_is_read() -> None:
    [comment] = read(EARLIER).comments
    assert (comment.id, comment.line, comment.tag) == ("c_1730000000000", 9, "FIXME")
    assert comment.ai_meta == {"model": "m", "confidence": 0.5}
    assert comment.marker_id == "gm_1730000000001"


def test_the_demo_format_is_read() -> None:
    [comment] = read(DEMO).comments
    assert (comment.id, comment.line) == ("comment-1", 10)
    assert comment.created == "2025-03-03T00:00:00Z"
    assert comment.ai_meta == {"complexity": 3, "tokens": 10, "params": ["a"]}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b"", []),
        (b"not json", []),
        (b"[]", []),
        (b"null", []),
        (b'{"comments": 5}', []),
        (b'{"comments": [{"id": "a", "text": "x"}, 7]}', ["a"]),
        (b'{"comments": [{"id": "a", "text": "x"}, {"id": "b"}]}', ["a"]),
        (b'{"comments": [{"id": "a", "text": "x"}], "ghostMarkers": {}}', ["a"]),
        (b'{"comments": [{"id": "a", "text": "x"}], "benchpin": 7}', ["a"]),
        (b'{"comments": [{"id": "a", "text": "x"}], "benchpin": {"version": 99}}', ["a"]),
        (b'{"comments": [{"id": "a", "text": "x"}, {"id": "b", "te', ["a"]),
        (
            b'{"comments": [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "z": %s}]}' % DEEP,
            ["a"],
        ),
        (b"[" * 100_000, []),
        (b'{"a":' * 100_000, []),
    ],
)
def test_damaged_sidecars_are_named_and_intact_comments_are_read(
    content: bytes, ids: list[str]
) -> None:
    found = parse(content)
    assert found.problem
    assert [comment.id for comment in found.comments] == ids


def test_the_line_of_the_comment_is_used_when_the_marker_has_none() -> None:
    shape = json.loads(json.dumps(EARLIER))
    shape["comments"][0]["line"] = 4
    assert read(shape).comments[0].line == 4


def test_a_marker_of_the_editor_is_anchored_where_its_text_is() -> None:
    editor = SidecarEditor("src/app.py", read(EDITOR))
    editor.edit(EDITOR["comments"][0]["id"], "changed", NOON)
    editor.anchor_line_numbers(TrackedText(b"# new\n" + CODE.encode()), NOON)
    [marker] = editor.sidecar.markers
    assert marker.anchor is not None
    assert (marker.line, marker.anchor.blob_id != "") == (6, True)


def test_a_marker_of_the_editor_is_unchanged_when_its_text_is_gone() -> None:
    editor = SidecarEditor("src/app.py", read(EDITOR))
    editor.edit(EDITOR["comments"][0]["id"], "changed", NOON)
    editor.anchor_line_numbers(TrackedText(b"other\n" * 20), NOON)
    [marker] = editor.sidecar.markers
    assert marker.anchor is not None
    assert (marker.line, marker.anchor.blob_id) == (5, "")


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_foreign_sidecar_is_converted_on_the_first_write(shape: dict[str, Any]) -> None:
    editor = SidecarEditor("src/app.ts", read(shape))
    [comment] = read(shape).comments
    editor.edit(comment.id, "changed", NOON)
    editor.anchor_line_numbers(TrackedText(CODE.encode()), NOON)
    again = parse(editor.encode())
    assert not again.problem
    assert again.raw["filePath"] == "src/app.ts"
    [after] = again.comments
    assert after.line
    assert (after.id, after.text, after.line) == (comment.id, "changed", comment.line)
    assert after.created == comment.created
    [marker] = again.markers
    assert marker.anchor is not None


Names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
Values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(Names, inner, max_size=3),
    max_leaves=6,
)
Unknown = st.dictionaries(Names.map(lambda name: f"x-{name}"), Values, max_size=4)


@given(
    name=st.sampled_from(list(SHAPES)),
    top=Unknown,
    inner=Unknown,
    beside=Unknown,
    adopts=st.booleans(),
)
def test_no_unknown_field_is_lost(
    name: str, top: dict[str, Any], inner: dict[str, Any], beside: dict[str, Any], *, adopts: bool
) -> None:
    shape = json.loads(json.dumps(SHAPES[name]))
    shape |= top
    shape["comments"][0] |= inner
    for marker in shape.get("ghostMarkers", []):
        marker.update(beside)
    editor = SidecarEditor("src/app.ts", read(shape))
    comment_id = shape["comments"][0]["id"]
    editor.edit(comment_id, "changed", NOON)
    if adopts:
        editor.anchor_line_numbers(TrackedText(CODE.encode()), NOON)
    raw = json.loads(editor.encode())
    ours = {"version", "comments", "ghostMarkers", "filePath"}
    assert {key: raw[key] for key in shape if key not in ours} == {
        key: value for key, value in shape.items() if key not in ours
    }
    before, after = shape["comments"][0], raw["comments"][0]
    changed = {"text", "updated"}
    assert {key: after[key] for key in before if key not in changed} == {
        key: before[key] for key in before if key not in changed
    }
    for old, new in zip(shape.get("ghostMarkers", []), raw["ghostMarkers"], strict=False):
        assert {key: new[key] for key in old} == old
    if "version" in shape:
        assert raw["benchpin"]["upgradedFrom"] == shape["version"]
