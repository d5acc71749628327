"""Recognise a file of timings by its first bytes, and read it."""

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchpin.performance.reading import (
    MAX_DOCUMENT_BYTES,
    ArtifactSource,
    Broken,
    decode,
    items,
    member,
    outline,
    skip_blanks,
)
from benchpin.performance.values import Sample, Timings

from ._format import ArtifactFormat, FileHead
from ._timing_samples import (
    Record,
    Unusable,
    collector_sample,
    csv_sample,
    curl_sample,
    har_sample,
    hey_sample,
    redacted,
)

_CSV_COLUMNS = {"ttfb_ms", "wall_ms"}
_HEY_COLUMNS = {"response-time", "DNS+dialup", "Response-delay", "status-code"}
_CURL_STATUSES = {"http_code", "response_code"}
MAX_SAMPLES = 200_000
MAX_LINES_BYTES = 256 << 20
MAX_LINE_BYTES = 1 << 20
_MIB = 1 << 20
ToSample = Callable[[Record], Sample]


# Split a file into records: items of a JSON document, JSON on lines, rows of CSV.


class Enough(Exception):
    """A file has more samples than are kept."""

    def __init__(self, place: str) -> None:
        super().__init__(f"more than {MAX_SAMPLES} samples; read no further")
        self.place = place


class Records:
    """The samples and faults of a file while it is read."""

    def __init__(self, source: ArtifactSource) -> None:
        self.samples: list[Sample] = []
        self.file, self.faults, self.job = source.file, source.faults, source.job

    def add(self, record: object, place: str, to_sample: ToSample) -> None:
        """Convert a record to a sample, or note why it is none.

        Raises:
            Enough: when there is no room for it.
        """
        self.job.require_time()
        if not isinstance(record, dict):
            self.faults.add(place, "it is no JSON object")
            return
        try:
            sample = redacted(to_sample(record))
        except Unusable as error:
            self.faults.add(place, str(error))
            return
        if len(self.samples) >= MAX_SAMPLES:
            raise Enough(place)
        self.samples.append(sample)


def read_document(path: tuple[str, ...], to_sample: ToSample, records: Records) -> None:
    """Read the items of the array at a path of members in a JSON document."""
    content = records.file.read(MAX_DOCUMENT_BYTES + 1)
    is_cut = len(content) > MAX_DOCUMENT_BYTES
    text = content[:MAX_DOCUMENT_BYTES].decode("utf-8-sig", "replace")
    del content  # half of the memory, before the items take more
    counted, line = 0, 1
    try:
        at: int | None = 0
        for name in path:
            at = None if at is None else member(text, at, name)
        if at is None:
            records.faults.add("line 1", f"the document has no {'.'.join(path)}")
            return
        for place, record in items(text, at):
            line += text.count("\n", counted, place)
            counted = place
            records.add(record, f"line {line}", to_sample)
    except Broken as error:
        limit = f"the file is larger than {MAX_DOCUMENT_BYTES // _MIB} MiB; read no further"
        damage = f"the document is damaged; read no further: {error.problem}"
        place_of_damage = f"line {text.count(chr(10), 0, error.at) + 1}"
        records.faults.add(place_of_damage, limit if is_cut else damage)


def read_json_lines(to_sample: ToSample, records: Records) -> None:
    """Read JSON values that follow one another, usually one on each line."""
    for number, line in _lines(records):
        place, at = f"line {number}", skip_blanks(line, 0)
        try:
            while at < len(line):
                record, at = decode(line, at)
                records.add(record, place, to_sample)
                at = skip_blanks(line, at)
        except Broken as error:
            problem = f"no valid JSON from character {error.at + 1} on: {error.problem}"
            records.faults.add(place, problem)


def read_csv(to_sample: ToSample, records: Records) -> None:
    """Read rows of CSV by the names in its first line; a row is always one line."""
    names: list[str] | None = None
    for number, line in _lines(records):
        if not line.strip():
            continue
        place, fields = f"line {number}", _fields(line)
        if names is None:
            names = [it.strip() for it in fields or ()]
        elif fields is None:
            records.faults.add(place, "a quote is not closed")
        elif len(fields) != len(names):
            records.faults.add(place, f"{len(fields)} fields instead of {len(names)}")
        else:
            records.add(dict(zip(names, fields, strict=True)), place, to_sample)


def _fields(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line.rstrip("\r\n")], strict=True), [])
    except csv.Error:
        return None


def _lines(records: Records) -> Iterator[tuple[int, str]]:
    bytes_read, file = 0, records.file
    lines = iter(lambda: file.readline(MAX_LINE_BYTES + 1), b"")
    for number, line in enumerate(records.job.timed(lines), start=1):
        bytes_read += len(line)
        if len(line) > MAX_LINE_BYTES:
            limit = MAX_LINE_BYTES // _MIB
            records.faults.add(f"line {number}", f"the line is longer than {limit} MiB")
            rest = line
            while rest and not rest.endswith(b"\n") and bytes_read <= MAX_LINES_BYTES:
                rest = file.readline(MAX_LINE_BYTES)
                bytes_read += len(rest)
        else:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if bytes_read > MAX_LINES_BYTES:
            limit = MAX_LINES_BYTES // _MIB
            problem = f"the file is larger than {limit} MiB; read no further"
            records.faults.add(f"line {number}", problem)
            return


def read_timings(source: ArtifactSource) -> Timings:
    """Read timings; what cannot be read is a fault with its line."""
    records = Records(source)
    try:
        _READERS[source.request.version](records)
    except Enough as error:
        source.faults.add(error.place, str(error))
    return Timings(
        version=source.request.version,
        samples=tuple(records.samples),
        is_complete=not source.faults,
        faults=source.faults.listed(),
    )


_READERS: Mapping[str, Callable[[Records], None]] = {
    "collector-v1": partial(read_document, ("requests",), collector_sample),
    "har": partial(read_document, ("log", "entries"), har_sample),
    "curl-json": partial(read_json_lines, curl_sample),
    "csv-v1": partial(read_csv, csv_sample),
    "hey-csv": partial(read_csv, hey_sample),
}


def _fits_curl(head: FileHead) -> bool:
    return "time_total" in head.members and not _CURL_STATUSES.isdisjoint(head.members)


def _fits_har(head: FileHead) -> bool:
    if "log" not in head.members:
        return False
    inside = outline(head.text[head.members["log"] :])
    return not {"creator", "entries"}.isdisjoint(inside)


def _fits_collector(head: FileHead) -> bool:
    text, places = head.text, head.members
    if "requests" not in places or "log" in places:
        return False
    try:
        if "format" in places:
            return decode(text, places["format"])[0] == "ttfb_timings"
        _, item = next(items(text, places["requests"]), (0, None))
    except Broken:
        return False
    return isinstance(item, dict) and "ttfb_ms" in item


def _columns(head: FileHead) -> set[str]:
    if head.text.startswith("{"):
        return set()
    try:
        return {it.strip() for it in next(csv.reader(head.text.splitlines()[:1]), [])}
    except csv.Error:
        return set()


def _fits_csv(head: FileHead) -> bool:
    columns = _columns(head)
    return columns >= _CSV_COLUMNS and not columns.isdisjoint({"url", "route"})


def _format(
    name: str, fits: Callable[[FileHead], bool], limit: int | None = None
) -> ArtifactFormat:
    return ArtifactFormat(
        name, "ttfb_timings", fits, read_timings, Timings, limit, is_packable=False
    )


FORMATS = (
    _format("curl-json", _fits_curl),
    _format("har", _fits_har, MAX_DOCUMENT_BYTES),
    _format("collector-v1", _fits_collector, MAX_DOCUMENT_BYTES),
    _format("hey-csv", lambda head: _columns(head) >= _HEY_COLUMNS),
    _format("csv-v1", _fits_csv),
)
