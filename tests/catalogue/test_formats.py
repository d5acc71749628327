"""Every format of every tool is what it says, and shows the same result."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from sarif_pydantic import Sarif

from benchpin.core.content import EmbeddedResource
from benchpin.core.results import Result
from benchpin.present import Report
from catalogue.arguments import TOOLS, arguments_of, dry_run, properties_of
from catalogue.conftest import PlaceFor
from catalogue.saying import without_times
from catalogue.site import BINARY
from parquet_reading import read_rows


def _is_json(body: bytes) -> None:
    assert isinstance(json.loads(body), dict)


def _is_review(body: bytes) -> None:
    assert all(it["path"] and it["line"] for it in json.loads(body))  # as GitHub lists comments


def _is_jsonl(body: bytes) -> None:
    assert all(isinstance(json.loads(line), dict) for line in body.splitlines())


def _is_sarif(body: bytes) -> None:
    Sarif.model_validate(json.loads(body))


def _is_csv(body: bytes) -> None:
    head, *rows = csv.reader(io.StringIO(body.decode()))
    assert head
    assert {len(row) for row in rows} <= {len(head)}


def _is_xml(*roots: str) -> Callable[[bytes], None]:
    def check(body: bytes) -> None:
        root = ET.fromstring(body)  # noqa: S314 - made by ourselves
        assert root.tag.rpartition("}")[2] in roots

    return check


def _is_parquet(body: bytes) -> None:
    names, rows = read_rows(body)
    assert names
    assert rows


def _is_gzip(body: bytes) -> None:
    assert gzip.decompress(body)


def _is_page(body: bytes) -> None:
    assert body.startswith(b"<!doctype html>")


def _is_png(body: bytes) -> None:
    assert body.startswith(b"\x89PNG")


def _is_text(body: bytes) -> None:
    assert body.decode().strip()


PARSERS: dict[str, Callable[[bytes], None]] = {
    "callgrind": _is_text,
    "collapsed": _is_text,
    "csv": _is_csv,
    "detailed": _is_text,
    "dot": _is_text,
    "flamegraph": _is_text,
    "full": _is_text,
    "git-notes": _is_text,
    "github": _is_review,
    "graphml": _is_xml("graphml"),
    "html": _is_page,
    "json": _is_json,
    "jsonl": _is_jsonl,
    "junit": _is_xml("testsuites"),
    "markdown": _is_text,
    "mermaid": _is_text,
    "parquet": _is_parquet,
    "png": _is_png,
    "pprof": _is_gzip,
    "sarif": _is_sarif,
    "speedscope": _is_json,
    "summary": _is_text,
    "svg": _is_xml("svg"),
    "xml": _is_xml("repository", "documents"),
}
"""What proves that a text is in a format, by the name of the format."""

FORMATS = [
    (name, value)
    for name in TOOLS
    for value in properties_of(name).get("format", {}).get("enum", [])
]


def body_of(result: Result) -> bytes:
    """Return what a caller gets in the format: a file, an attachment, a document or the text."""
    path = getattr(result, "path", None)
    if path and Path(path).is_absolute():
        return Path(path).read_bytes()
    if isinstance(result, Report) and (image := result.image()) is not None:
        return image.data
    attached = [it.body for it in result.to_content() if isinstance(it, EmbeddedResource)]
    body = attached[0] if attached else result.document() or result.to_text()
    return body if isinstance(body, bytes) else body.encode()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(*it, marks=pytest.mark.slow if TOOLS[it[0]][1].needs_sandbox else ())
        for it in FORMATS
    ],
)
def test_every_format_is_what_it_says(place_for: PlaceFor, name: str, value: str) -> None:
    if value not in PARSERS:
        pytest.fail(f"Add a parser of {value!r} to PARSERS, for {name}")
    site, bench = place_for(name)
    given = {**arguments_of(name, site), **dry_run(name), **_all_rows(name)}
    result = bench.call(name, **{**given, "format": value})
    PARSERS[value](body_of(result))
    if isinstance(result, Report):
        plain = bench.call(name, **given)
        expected = without_times(plain.model_dump(mode="json", by_alias=True))
        assert without_times(result.model_dump(mode="json", by_alias=True)) == expected
        if value == "json":
            assert without_times(json.loads(result.to_text())) == expected
        if value in {"summary", "full", "detailed", "markdown"}:
            assert_plain(result)


def _all_rows(name: str) -> dict[str, object]:
    limit = properties_of(name).get("limit")
    return {} if limit is None else {"limit": limit["maximum"]}


def assert_plain(report: Report) -> None:
    """Check that nothing in a text moves a cursor, and that it says what was not measured."""
    text = report.to_text()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]|\nIGNORE", text)
    if hasattr(report, "looked_at"):
        assert f"{BINARY}: binary" in text
