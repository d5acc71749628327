"""No tool of the catalogue reads, names or writes what lies outside or may not be used."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.core.errors import BenchpinError, PathError
from benchpin.core.results import Result
from catalogue.arguments import EVERY_TOOL, PATHS, WITH, arguments_of, properties_of
from catalogue.conftest import PlaceFor
from catalogue.site import OUTSIDE, SECRET


def everything_said(result: Result) -> str:
    """Return the text, the structure and what else is sent."""
    return f"{result.to_text()}\n{result.model_dump_json(by_alias=True)}\n{result.to_content()}"


def contents_of(folder: Path) -> dict[str, bytes]:
    return {it.name: it.read_bytes() for it in folder.iterdir()}


def with_strings(name: str, text: str) -> Iterator[tuple[str, object]]:
    """Give each parameter that takes a string, or a list of them, with a text in its place."""
    for parameter, schema in properties_of(name).items():
        kind: Any = schema.get("type")
        items = schema.get("items", {})
        if kind == "string" and "enum" not in schema:
            yield parameter, text
        elif kind == "array" and items.get("type") == "string" and "enum" not in items:
            yield parameter, [text]
        elif kind == "array" and "path" in items.get("properties", {}):
            yield parameter, [{"path": text}]


@EVERY_TOOL
def test_nothing_outside_is_read_or_written(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    valid, before = arguments_of(name, site), contents_of(site.outside)
    ways = (f"{site.outside}/secret.py", "../outside/secret.py", "way_out/secret.py")
    for parameter, value in (it for way in ways for it in with_strings(name, way)):
        try:
            given = {**valid, **WITH.get(parameter, {}), parameter: value}
            said = everything_said(bench.call(name, **given))
        except PathError:
            continue
        except BenchpinError as error:
            said = f"{error.message} {error.data}"
        assert OUTSIDE not in said, (parameter, value)
        assert parameter not in PATHS, (parameter, value, said)
    assert contents_of(site.outside) == before


@EVERY_TOOL
def test_what_may_not_be_read_is_neither_shown_nor_named(
    guarded_place_for: PlaceFor, name: str
) -> None:
    site, bench = guarded_place_for(name)
    said = everything_said(bench.call(name, **arguments_of(name, site)))
    assert SECRET not in said
    assert not re.search(r"private/\w", said)


@EVERY_TOOL
def test_a_path_that_may_not_be_used_is_refused(guarded_place_for: PlaceFor, name: str) -> None:
    site, bench = guarded_place_for(name)
    valid = arguments_of(name, site)
    denied = ("private/secret.py", "private", ".env", ".git/config")
    for parameter, value in (it for path in denied for it in with_strings(name, path)):
        if parameter in PATHS:
            with pytest.raises(PathError):
                bench.call(name, **{**valid, **WITH.get(parameter, {}), parameter: value})
