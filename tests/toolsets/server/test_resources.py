import pytest

from benchpin.app import Workbench
from benchpin.core.content import ResourceContents, ResourceEntry
from benchpin.core.errors import ResourceNotFound
from benchpin.core.results import StoredResult
from benchpin.toolsets.server.resources import stored_result, stored_result_page

PAGE = 256 * 1024


def _read(shop: Workbench, uri: str) -> ResourceContents:
    resource, variables = shop.catalogue.find_resource(uri)
    return resource.read(variables, shop.bench)


def _pages(shop: Workbench, stored: StoredResult) -> str:
    count = -(-stored.size_bytes // PAGE)
    return "".join(str(_read(shop, f"{stored.uri}/{page}").body) for page in range(1, count + 1))


def test_a_small_result_is_one_page(shop: Workbench) -> None:
    stored = shop.bench.results.store("# Title", "text/markdown")
    expected = ResourceContents("# Title", "text/markdown")
    assert _read(shop, stored.uri) == expected
    assert _read(shop, f"{stored.uri}/1") == expected


def test_an_empty_result_has_one_page(shop: Workbench) -> None:
    stored = shop.bench.results.store("")
    assert _read(shop, f"{stored.uri}/1") == ResourceContents("", "text/plain")


@pytest.mark.parametrize("size", [PAGE, PAGE + 1, 3 * PAGE])
def test_a_result_has_as_many_pages_as_it_fills(shop: Workbench, size: int) -> None:
    stored = shop.bench.results.store("x" * size)
    assert _pages(shop, stored) == "x" * size
    assert _read(shop, stored.uri) == _read(shop, f"{stored.uri}/1")
    with pytest.raises(ResourceNotFound):
        _read(shop, f"{stored.uri}/{size // PAGE + 2}")


@pytest.mark.parametrize("character", ["é", "€", "😀"])
@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_no_character_is_lost_between_pages(shop: Workbench, before: str, character: str) -> None:
    text = before + character * (2 * PAGE)
    read = _pages(shop, shop.bench.results.store(text))
    assert len(read) == len(text)
    assert read == text


@pytest.mark.parametrize("page", ["0", "00", "-1", "2", "x", "1.5", "²", "9" * 5000])
def test_a_page_that_is_not_there_is_missing(shop: Workbench, page: str) -> None:
    stored = shop.bench.results.store("short")
    with pytest.raises(ResourceNotFound):
        _read(shop, f"{stored.uri}/{page}")


@pytest.mark.parametrize("uri", ["result://0123456789abcdef", "result://0123456789abcdef/1"])
def test_a_result_that_is_not_there_is_missing(shop: Workbench, uri: str) -> None:
    with pytest.raises(ResourceNotFound):
        _read(shop, uri)


def test_results_are_listed_in_the_order_of_their_uris(shop: Workbench) -> None:
    stored = sorted(
        (shop.bench.results.store(f"text {number}") for number in range(5)),
        key=lambda result: result.uri,
    )
    assert stored_result.entries is not None
    entries = list(stored_result.entries(shop.bench, ""))
    assert entries == [
        ResourceEntry(
            uri=result.uri,
            name=result.id,
            mime_type="text/plain",
            description="A result that was too large to send.",
            size_bytes=6,
        )
        for result in stored
    ]
    assert list(stored_result.entries(shop.bench, stored[2].uri)) == entries[3:]
    assert stored_result_page.entries is None


def test_ids_are_completed_and_pages_are_not(shop: Workbench) -> None:
    stored = shop.bench.results.store("text")
    for resource in (stored_result, stored_result_page):
        assert resource.complete is not None
        assert resource.complete("id", stored.id[:4], shop.bench) == [stored.id]
        assert resource.complete("id", "zzz", shop.bench) == []
        assert resource.complete("page", "", shop.bench) == []
