import base64
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchpin.core.errors import InvalidCursor
from benchpin.core.results import Page, decode_cursor, encode_cursor, paginate, paginate_stream
from benchpin.core.results._paging import StreamPage

positions = st.integers() | st.text()


def _marker(payload: bytes) -> str:
    return base64.urlsafe_b64encode(payload).decode().rstrip("=")


def _forged(listing: str, position: object) -> str:
    """Return a marker of the right listing with a place that Benchpin never writes."""
    genuine = encode_cursor(listing, 0)
    payload = json.loads(base64.urlsafe_b64decode(genuine + "=" * (-len(genuine) % 4)))
    return _marker(json.dumps([payload[0], position]).encode())


@given(listing=st.text(), position=positions)
def test_a_cursor_leads_back_to_its_place(listing: str, position: int | str) -> None:
    assert decode_cursor(listing, encode_cursor(listing, position)) == position


@given(one=st.text(), other=st.text(), position=positions)
def test_a_cursor_of_another_listing_is_refused(one: str, other: str, position: int | str) -> None:
    assume(one != other)
    with pytest.raises(InvalidCursor):
        decode_cursor(other, encode_cursor(one, position))


def test_a_refused_cursor_names_no_field_as_tools_call_it_differently() -> None:
    with pytest.raises(InvalidCursor) as refused:
        decode_cursor("files", "none")
    assert "next_cursor" not in refused.value.suggestion


@given(cursor=st.text())
def test_a_text_that_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor("files", cursor)


@given(payload=st.binary())
def test_a_cursor_that_holds_something_else_is_refused(payload: bytes) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor("files", _marker(payload))


@pytest.mark.parametrize(
    "payload",
    [b"[]", b"{}", b"null", b"5", b'"ab"', b"[1]", b"[1,2,3]", b'{"a":1,"b":2}', b"[" * 100_000],
    ids=lambda payload: payload[:8].decode(),
)
def test_a_cursor_of_another_shape_is_refused(payload: bytes) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor("files", _marker(payload))


@pytest.mark.parametrize("position", [True, None, 1.5, [1], {}])
def test_a_place_that_is_neither_number_nor_name_is_refused(position: object) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor("files", _forged("files", position))


@pytest.mark.parametrize("position", [-1, "3", ""])
def test_a_whole_list_has_no_such_place(position: object) -> None:
    with pytest.raises(InvalidCursor):
        paginate([1, 2, 3], listing="files", cursor=_forged("files", position), limit=2)


def test_a_listing_that_was_filtered_by_broken_text_has_pages_too() -> None:
    listing = "search \ud800"
    assert decode_cursor(listing, encode_cursor(listing, 5)) == 5


def test_a_refusal_shows_no_more_of_a_cursor_than_a_line() -> None:
    with pytest.raises(InvalidCursor) as caught:
        decode_cursor("files", "x" * 10_000)
    assert len(caught.value.message) < 200
    assert caught.value.suggestion


@given(items=st.lists(st.integers(), max_size=30), limit=st.integers(min_value=1, max_value=40))
def test_pages_put_together_are_the_whole_list(items: list[int], limit: int) -> None:
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(len(items) + 1):
        page = paginate(items, listing="files", cursor=cursor, limit=limit)
        assert page.total == len(items)
        assert len(page.items) <= limit
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == items
    assert cursor is None


def test_a_list_that_shrank_meanwhile_ends_quietly() -> None:
    cursor = encode_cursor("files", 10)
    page = paginate([1, 2], listing="files", cursor=cursor, limit=5)
    assert page == Page(items=[], total=2, next_cursor=None, start=10)


@given(
    items=st.lists(st.integers(), max_size=30),
    limit=st.integers(min_value=1, max_value=40),
    most=st.integers(min_value=0, max_value=40),
)
def test_windows_put_together_are_the_whole_list(items: list[int], limit: int, most: int) -> None:
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(len(items) + 1):
        window = paginate_stream(
            iter(items), listing="files", cursor=cursor, limit=limit, max_counted=most
        )
        assert window.total in ({len(items)} if most >= len(items) else {None, len(items)})
        seen += window.items
        cursor = window.next_cursor
        if cursor is None:
            assert window.total == len(items)
            break
    assert seen == items
    assert cursor is None


def test_what_is_behind_a_window_is_counted_no_further_than_asked() -> None:
    left = iter(range(1_000_000))
    window = paginate_stream(left, listing="files", cursor=None, limit=10, max_counted=100)
    assert window == StreamPage(list(range(10)), None, encode_cursor("files", 10))
    assert next(left) == 101


@pytest.mark.parametrize("position", [-1, 10**30, "x"])
def test_a_window_nowhere_is_refused(position: int | str) -> None:
    cursor = encode_cursor("files", position)
    with pytest.raises(InvalidCursor):
        paginate_stream([], listing="files", cursor=cursor, limit=1, max_counted=1)
