"""Pages and cursors of every tool that has them: each row once, and the text shows that page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, InvalidCursor
from benchpin.core.results import Result
from benchpin.core.text import plain
from benchpin.present import Report
from catalogue.arguments import TOOLS, arguments_of, dry_run, properties_of, with_parameter
from catalogue.conftest import PlaceFor

PAGED = with_parameter("cursor")
SIZES = ("limit", "top_k", "max_bytes")
"""Parameters that say how long a page is."""
PEOPLE = [
    (name, style)
    for name in PAGED
    for style in properties_of(name).get("format", {}).get("enum", [])
    if issubclass(TOOLS[name][1].result_type, Report)
    and style in {"summary", "full", "detailed", "markdown"}
]
"""Tools whose pages people read, and the formats in which they do."""


def size_of(name: str) -> str:
    known = properties_of(name).keys()
    size = next((it for it in SIZES if it in known), None)
    assert size is not None, f"Add what sets the length of a page of {name} to SIZES"
    return size


def rows_of(report: Report) -> list[Any]:
    return list(report.view.page.rows(report))


def field_of(whole: Result) -> str:
    """Return the field that pages are cut from: as long as the list, or the text of one without."""
    length = len(rows_of(whole)) if isinstance(whole, Report) else None
    lists = {key: len(it) for key, it in whole.model_dump().items() if isinstance(it, list)}
    return next((key for key in lists if lists[key] == length or length is None), "text")


def pages_of(bench: Workbench, name: str, given: dict[str, object]) -> Iterator[Result]:
    """Give the pages of a listing until there is no cursor."""
    cursor: object = None
    while True:
        page = bench.call(name, **given, **({} if cursor is None else {"cursor": cursor}))
        yield page
        following = page.model_dump(by_alias=False)["next_cursor"]
        assert following != cursor or following is None, "the same page comes again"
        cursor = following
        if cursor is None:
            return


@pytest.mark.parametrize("name", PAGED)
def test_pages_put_together_are_the_whole_list(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    size, schema = size_of(name), properties_of(name)[size_of(name)]
    valid = {**arguments_of(name, site), **dry_run(name)}
    [whole] = pages_of(bench, name, {**valid, size: schema["maximum"]})
    field = field_of(whole)
    expected, total = whole.model_dump()[field], whole.model_dump().get("total")
    assert len(expected) > 3, f"{name} has too few rows: let the site have more"
    assert total in {None, len(expected)}
    few, many = schema["minimum"], len(expected)
    for length in {few, few + 1, few + 2} if many < 60 else {many // 3, many // 2 + 1}:
        pages = [it.model_dump() for it in pages_of(bench, name, {**valid, size: length})]
        together = pages[0][field]
        for page in pages[1:]:
            together = together + page[field]
        assert together == expected
        assert all(len(it[field]) <= length for it in pages)
        assert {it.get("total") for it in pages} == {total}


@pytest.mark.slow  # a review starts the checker beside Benchpin
@pytest.mark.parametrize("name", PAGED)
def test_a_cursor_of_another_list_is_refused(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    size = size_of(name)
    given = {
        **arguments_of(name, site),
        **dry_run(name),
        size: properties_of(name)[size]["minimum"],
    }
    cursor = next(pages_of(bench, name, given)).model_dump()["next_cursor"]
    taken = [
        (parameter, value)
        for parameter, value in other_values(name, given)
        if not _is_refused(bench, name, {**given, parameter: value, "cursor": cursor})
    ]
    assert not taken
    with pytest.raises(InvalidCursor):
        bench.call(name, **{**given, "cursor": "no-cursor"})


def other_values(name: str, given: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Give parameters that choose what is on a list, with another value each."""
    shown_by: frozenset[str] = getattr(TOOLS[name][1].params_type, "shown_by", frozenset())
    for parameter, schema in properties_of(name).items():
        if parameter in shown_by | {"cursor", "cache_strategy", *SIZES}:
            continue
        now = given.get(parameter, schema.get("default"))
        if schema.get("type") == "boolean":
            yield parameter, not now
        elif "enum" in schema:
            yield parameter, next(it for it in schema["enum"] if it != now)


def _is_refused(bench: Workbench, name: str, arguments: dict[str, object]) -> bool:
    try:
        bench.call(name, **arguments)
    except BenchpinError:
        return True
    return False


def cells_of(report: Report) -> list[frozenset[str]]:
    """Return for each row of a page what people are shown of it at least."""
    table = report.view.page
    if table.inner is not None:
        return [frozenset({plain(table.inner.title(row))}) for row in rows_of(report)]
    columns = [it for it in table.columns if not (it.is_detail or it.is_below)]
    return [frozenset(it.shown(row) for it in columns) - {"-"} for row in rows_of(report)]


def in_lines(cells: frozenset[str], text: str) -> bool:
    """Whether a line of a table has all the cells of a row."""
    parts = [re.compile(rf"(?<![^\s|]){re.escape(it)}(?![^\s|])") for it in cells]
    return any(all(it.search(line) for it in parts) for line in text.splitlines())


def in_prose(cells: frozenset[str], text: str, others: list[frozenset[str]]) -> bool:
    """Whether a text without a table says something that only this row says."""
    return any(len(it) > 5 and it in text for it in cells.difference(*others))


def in_files(text: str) -> set[tuple[str, int]]:
    """Return the numbered lines of a text that has them below the name of their file."""
    found, file = set(), ""
    for line in text.splitlines():
        number = re.match(r"  (\d+): ", line)
        if number is not None:
            found.add((file, int(number[1])))
        elif not line.startswith(" "):
            file = line
    return found


@pytest.mark.parametrize(("name", "style"), PEOPLE)
def test_the_text_has_the_rows_of_its_page_and_no_others(
    place_for: PlaceFor, name: str, style: str
) -> None:
    site, bench = place_for(name)
    size = size_of(name)
    given = {**arguments_of(name, site), **dry_run(name), "format": style}
    whole = bench.call(name, **given, **{size: properties_of(name)[size]["maximum"]})
    assert isinstance(whole, Report)
    every = cells_of(whole)
    others = {it: [other for other in every if other != it] for it in every}
    for page in pages_of(bench, name, {**given, size: max(2, len(every) // 5)}):
        assert isinstance(page, Report)
        expected, text = set(cells_of(page)), page.to_text()
        rows = rows_of(page)
        if style != "markdown" and all(hasattr(it, "text_line") for it in rows) and in_files(text):
            places = {(plain(it.file), it.text_line) for it in rows_of(whole)}
            shown = {(plain(it.file), it.text_line) for it in rows}
            if in_files(text) >= shown:
                assert in_files(text) & places == shown
                continue
        if all(in_lines(it, text) for it in expected):
            assert {it for it in others if in_lines(it, text)} == expected
        else:
            assert {it for it in others if in_prose(it, text, others[it])} == expected
