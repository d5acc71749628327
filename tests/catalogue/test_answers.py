"""Answers of every tool: the same each time, in the format that was asked for, bounded."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from sarif_pydantic import Sarif

from benchpin.app import Workbench
from benchpin.core import EmbeddedResource, Result
from benchpin.server import Kernel
from catalogue.arguments import EVERY_READER, TOOLS, arguments_of, properties_of
from catalogue.conftest import PlaceFor
from catalogue.saying import said
from catalogue.site import Site
from wire import Wire


@EVERY_READER
def test_the_same_call_gives_the_same_bytes(
    made_site: Site, other_site: Site, tmp_path: Path, warm: Workbench, name: str
) -> None:
    arguments = arguments_of(name, made_site)
    first, second = (said(warm.call(name, **arguments), made_site) for _ in range(2))
    cold = other_site.open(tmp_path / "cache").call(name, **arguments)
    assert first == second == said(cold, other_site)


def _is_json(body: bytes) -> None:
    assert isinstance(json.loads(body), dict)


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
    reader = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    assert reader.read_table(io.BytesIO(body)).num_rows


def _is_gzip(body: bytes) -> None:
    assert gzip.decompress(body)


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
    "graphml": _is_xml("graphml"),
    "json": _is_json,
    "jsonl": _is_jsonl,
    "junit": _is_xml("testsuites"),
    "markdown": _is_text,
    "mermaid": _is_text,
    "parquet": _is_parquet,
    "pprof": _is_gzip,
    "sarif": _is_sarif,
    "speedscope": _is_json,
    "summary": _is_text,
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
    attached = [it.body for it in result.to_content() if isinstance(it, EmbeddedResource)]
    body = attached[0] if attached else result.document() or result.to_text()
    return body if isinstance(body, bytes) else body.encode()


@pytest.mark.parametrize(("name", "value"), FORMATS)
def test_every_format_is_what_it_says(place_for: PlaceFor, name: str, value: str) -> None:
    if value not in PARSERS:
        pytest.fail(f"Add a parser of {value!r} to PARSERS, for {name}")
    site, bench = place_for(name)
    result = bench.call(name, **{**arguments_of(name, site), "format": value})
    PARSERS[value](body_of(result))
    if value == "json" and not hasattr(result, "uri"):
        assert json.loads(result.to_text()) == json.loads(result.model_dump_json(by_alias=True))


TEXT_CHARS = 600


@pytest.fixture(scope="session")
def terse(made_site: Site) -> Iterator[Workbench]:
    """Give a workbench whose server shows very little at once."""
    limits = {"text_chars": TEXT_CHARS}
    workbench = made_site.open(made_site.root.with_name("terse"), limits=limits)
    yield workbench
    workbench.close()


@pytest.mark.anyio
@EVERY_READER
async def test_a_long_text_is_cut_at_its_limit_and_stored_whole(
    made_site: Site, terse: Workbench, name: str
) -> None:
    wire = Wire(Kernel(terse))
    await wire.handshake()
    answer = await wire.call(name, **arguments_of(name, made_site))
    while "method" in answer:  # a notification
        answer = await wire.receive()
    await wire.close()
    assert "result" in answer, answer
    content = answer["result"]["content"]
    for text in (it["text"] for it in content if it["type"] == "text"):
        shown, is_cut, _ = text.partition("\n… ")
        assert len(shown) <= TEXT_CHARS
        if is_cut:
            uri = content[-1]["uri"]
            stored = terse.bench.results.read(uri.removeprefix("result://"), 0, 10**6)
            assert stored.text.startswith(shown)
            assert len(stored.text) > TEXT_CHARS
