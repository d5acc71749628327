"""Recognise a file of timings by its first bytes, and read it."""

import csv
from typing import BinaryIO, Literal

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.reading import Broken, decode, items, outline
from benchpin.performance.values import Timings

from ._records import Enough, Records, read_csv, read_document, read_json_lines
from ._samples import collector_sample, csv_sample, curl_sample, har_sample, hey_sample

TimingsVersion = Literal["collector-v1", "csv-v1", "curl-json", "har", "hey-csv"]
HEAD_BYTES = 64 << 10
_CSV_COLUMNS = {"ttfb_ms", "wall_ms"}
_HEY_COLUMNS = {"response-time", "DNS+dialup", "Response-delay", "status-code"}
_CURL_STATUSES = {"http_code", "response_code"}


def read_timings(file: BinaryIO, job: Job) -> Timings:
    """Read timings from a seekable file; what cannot be read is a fault with its line."""
    version = timings_version(file.read(HEAD_BYTES))
    file.seek(0)
    if version is None:
        raise InvalidParams(
            "The file holds no timings that can be read",
            suggestion="Give collector-v1, csv-v1, lines of curl's %{json}, HAR or hey's CSV.",
        )
    records = Records(job)
    try:
        _read(version, file, records)
    except Enough as error:
        records.faults.add(error.place, str(error))
    return Timings(
        version=version,
        samples=tuple(records.samples),
        is_complete=not records.faults,
        faults=records.faults.listed(),
    )


def _read(version: TimingsVersion, file: BinaryIO, records: Records) -> None:
    match version:
        case "collector-v1":
            read_document(file, ("requests",), collector_sample, records)
        case "har":
            read_document(file, ("log", "entries"), har_sample, records)
        case "curl-json":
            read_json_lines(file, curl_sample, records)
        case "csv-v1":
            read_csv(file, csv_sample, records)
        case "hey-csv":
            read_csv(file, hey_sample, records)


def timings_version(head: bytes) -> TimingsVersion | None:
    """Return the format of a file by its first bytes; None where it is none of them."""
    text = head[:HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    return _version_of_json(text) if text.startswith("{") else _version_of_csv(text)


def _version_of_json(text: str) -> TimingsVersion | None:
    places = outline(text)
    if "time_total" in places and not _CURL_STATUSES.isdisjoint(places):
        return "curl-json"
    if "log" in places:
        inside = outline(text[places["log"] :])
        return "har" if not {"creator", "entries"}.isdisjoint(inside) else None
    if "requests" not in places:
        return None
    if "format" in places:
        return "collector-v1" if _value(text, places["format"]) == "ttfb_timings" else None
    return "collector-v1" if "ttfb_ms" in _first_item(text, places["requests"]) else None


def _version_of_csv(text: str) -> TimingsVersion | None:
    try:
        columns = {it.strip() for it in next(csv.reader(text.splitlines()[:1]), [])}
    except csv.Error:
        return None
    if columns >= _HEY_COLUMNS:
        return "hey-csv"
    return "csv-v1" if columns >= _CSV_COLUMNS and columns & {"url", "route"} else None


def _value(text: str, place: int) -> object:
    try:
        return decode(text, place)[0]
    except Broken:
        return None


def _first_item(text: str, place: int) -> dict[str, object]:
    try:
        _, item = next(items(text, place), (0, None))
    except Broken:
        return {}
    return item if isinstance(item, dict) else {}
