"""Tell the formats of timings apart by how a file begins."""

import csv
from typing import Literal

from benchpin.engines.profiles.json_document import Broken, decode, items, outline

TimingsVersion = Literal["collector-v1", "csv-v1", "curl-json", "har", "hey-csv"]
HEAD_BYTES = 64 << 10
_CSV_COLUMNS = {"ttfb_ms", "wall_ms"}
_HEY_COLUMNS = {"response-time", "DNS+dialup", "Response-delay", "status-code"}
_CURL_STATUSES = {"http_code", "response_code"}


def timings_version(head: bytes) -> TimingsVersion | None:
    """Return which format begins so; None where it is none of them."""
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
