import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchpin.app import Workbench
from benchpin.core.errors import InvalidCursor, InvalidParams, ResourceNotFound
from benchpin.core.results import encode_cursor
from benchpin.toolsets.server.read_result import ReadResultParams, ResultPage, read_result


def _pages(shop: Workbench, result_id: str, max_bytes: int) -> list[ResultPage]:
    pages: list[ResultPage] = []
    cursor: str | None = None
    while not pages or cursor is not None:
        params = ReadResultParams(id=result_id, cursor=cursor, max_bytes=max_bytes)
        pages.append(shop.run(read_result, params))
        cursor = pages[-1].next_cursor
    return pages


@pytest.mark.parametrize("prefix", ["", "result://"])
def test_a_result_is_read_by_id_or_uri(shop: Workbench, prefix: str) -> None:
    stored = shop.bench.results.store('{"a": "é"}', "application/json")
    assert shop.call("read_result", id=prefix + stored.id) == ResultPage(
        id=stored.id,
        mime_type="application/json",
        size_bytes=11,
        text='{"a": "é"}',
        next_cursor=None,
    )


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(text=st.text(min_size=1), times=st.integers(1, 400), max_bytes=st.integers(1000, 3000))
def test_the_pages_put_together_are_the_result(
    shop: Workbench, text: str, times: int, max_bytes: int
) -> None:
    whole = text * times
    pages = _pages(shop, shop.bench.results.store(whole).id, max_bytes)
    assert "".join(page.text for page in pages) == whole
    assert all(len(page.text.encode()) <= max_bytes for page in pages)


def test_a_page_that_is_not_the_last_says_how_to_go_on(shop: Workbench) -> None:
    first, last = _pages(shop, shop.bench.results.store("x" * 1500).id, 1000)
    assert first.to_text() == (
        "x" * 1000 + f"\nMore follows, of 1,500 bytes; next_cursor={first.next_cursor}"
    )
    assert last.to_text() == "x" * 500


def test_a_result_that_is_gone_is_missing(shop: Workbench) -> None:
    with pytest.raises(ResourceNotFound):
        shop.call("read_result", id="0123456789abcdef")


@pytest.mark.parametrize(
    "arguments",
    [
        *({"id": result_id} for result_id in ("", "xyz", "../../etc/passwd", "0123456789ABCDEF")),
        *({"id": result_id} for result_id in ("0123456789abcdef0", "result://result://0123")),
        {"id": "0123456789abcdef\n"},
        {"id": "0123456789abcdef", "max_bytes": 999},
        {"id": "0123456789abcdef", "max_bytes": 1_000_001},
        {"id": "0123456789abcdef", "cursor": 5},
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_refused(
    shop: Workbench, arguments: dict[str, object]
) -> None:
    with pytest.raises(InvalidParams):
        shop.call("read_result", **arguments)


@pytest.mark.parametrize("position", [-1, 6, 10**30, "abc", "", "2"])
def test_a_cursor_that_leads_nowhere_is_refused(shop: Workbench, position: int | str) -> None:
    stored = shop.bench.results.store("hello")
    with pytest.raises(InvalidCursor):
        shop.call("read_result", id=stored.id, cursor=encode_cursor(stored.uri, position))


def test_a_cursor_of_another_result_is_refused(shop: Workbench) -> None:
    one, other = shop.bench.results.store("one"), shop.bench.results.store("other")
    with pytest.raises(InvalidCursor):
        shop.call("read_result", id=one.id, cursor=encode_cursor(other.uri, 1))


def test_a_result_is_searched_line_by_line(shop: Workbench) -> None:
    stored = shop.bench.results.store("one\ntwo\nthree\ntwo again")
    page = shop.run(read_result, ReadResultParams(id=stored.id, pattern="^two"))
    assert (page.text, page.next_cursor) == ("2: two\n4: two again", None)


def test_a_search_with_many_hits_goes_on_where_it_stopped(shop: Workbench) -> None:
    stored = shop.bench.results.store("".join(f"hit {at}\nmiss\n" for at in range(500)))
    found: list[str] = []
    cursor: str | None = None
    while cursor is not None or not found:
        params = ReadResultParams(id=stored.id, pattern="hit", max_bytes=1000, cursor=cursor)
        page = shop.run(read_result, params)
        assert len(page.text.encode()) <= 1000
        found += page.text.splitlines()
        cursor = page.next_cursor
    assert found == [f"{2 * at + 1}: hit {at}" for at in range(500)]


def test_a_cursor_of_a_search_is_for_that_search(shop: Workbench) -> None:
    stored = shop.bench.results.store("hit\n" * 500)
    params = ReadResultParams(id=stored.id, pattern="hit", max_bytes=1000)
    cursor = shop.run(read_result, params).next_cursor
    with pytest.raises(InvalidCursor):
        shop.run(read_result, ReadResultParams(id=stored.id, cursor=cursor))


def test_a_pattern_that_is_none_is_refused(shop: Workbench) -> None:
    stored = shop.bench.results.store("x")
    with pytest.raises(InvalidParams):
        shop.run(read_result, ReadResultParams(id=stored.id, pattern="("))
