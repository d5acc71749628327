"""The intact objects of a damaged file are found in linear time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments import parse
from benchpin.comments._sidecar import recover_objects

COMMENTS = [{"id": f"c_{number}", "text": f'say "{{{number}}}" \\'} for number in range(20)]
WHOLE = json.dumps({"filePath": "a.py", "comments": COMMENTS}, indent=2).encode()


@given(st.integers(0, len(WHOLE) - 3))
def test_a_file_that_was_cut_short_yields_the_comments_before_the_cut(end: int) -> None:
    found = parse(WHOLE[:end])
    whole = WHOLE[:end].count(b"\n    }")
    assert found.problem
    assert [it.id for it in found.comments] == [f"c_{number}" for number in range(whole)]


def test_both_sides_of_a_merge_are_found() -> None:
    mine, theirs = (json.dumps(it, indent=2).encode() for it in COMMENTS[:2])
    content = b'{"comments": [\n<<<<<<< HEAD\n%s\n=======\n%s\n>>>>>>> topic\n]}' % (mine, theirs)
    assert [it.id for it in parse(content).comments] == ["c_0", "c_1"]


def test_a_lost_quotation_mark_loses_one_comment() -> None:
    damaged = WHOLE.replace(b'"c_3"', b'"c_3', 1)
    ids = [it.id for it in parse(damaged).comments]
    assert ids == [f"c_{number}" for number in range(20) if number != 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"{" * 200_000, b'{"a":' * 100_000, b"{}" * 200_000 + b"{", b'"' * 200_000]
)
def test_hostile_content_is_parsed_in_linear_time(content: bytes) -> None:
    assert all(it == {} for it in recover_objects(content))
