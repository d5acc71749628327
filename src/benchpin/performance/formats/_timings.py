"""Recognise a file of timings by its first bytes, and read it."""

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.reading import (
    Broken,
    FaultLog,
    decode,
    items,
    member,
    outline,
    skip_blanks,
)
from benchpin.performance.values import Sample, Timings

from ._format import MAX_DOCUMENT_BYTES, ArtifactFormat, FileHead, ReadRequest
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
MAX_FAULTS = 100
MAX_LINES_BYTES = 256 << 20
MAX_LINE_BYTES = 1 << 20
_MIB = 1 << 20
_LINES_PER_CHECK = 1_000
ToSample = Callable[[Record], Sample]


# Split a file into records: items of a JSON document, JSON on lines, rows of CSV.


class Enough(Exception):
    """A file has more samples than are kept, or the time is up."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{reason}; read no further")
        self.place = place


class Records:
    """The samples and faults of a file while it is read."""

    def __init__(self, job: Job) -> None:
        self.samples: list[Sample] = []
        self.faults = FaultLog(MAX_FAULTS)
        self._job = job

    def check_time(self, place: str) -> None:
        """Return if reading may go on.

        Raises:
            Enough: when the time is up.
        """
        self._job.check()
        if self._job.is_expired:
            self._job.leave_out("the rest of the timings")
            raise Enough(place, "the time ran out")

    def add(self, record: object, place: str, to_sample: ToSample) -> None:
        """Convert a record to a sample, or note why it is none.

        Raises:
            Enough: when there is no room for it, or no time.
        """
        self.check_time(place)
        if not isinstance(record, dict):
            self.faults.add(place, "it is no JSON object")
            return
        try:
            sample = redacted(to_sample(record))
        except Unusable as error:
            self.faults.add(place, str(error))
            return
        if len(self.samples) >= MAX_SAMPLES:
            raise Enough(place, f"more than {MAX_SAMPLES} samples")
        self.samples.append(sample)


def read_document(
    path: tuple[str, ...], to_sample: ToSample, file: BinaryIO, records: Records
) -> None:
    """Read the items of the array at a path of members in a JSON document."""
    content = file.read(MAX_DOCUMENT_BYTES + 1)
    records.check_time("line 1")
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


def read_json_lines(to_sample: ToSample, file: BinaryIO, records: Records) -> None:
    """Read JSON values that follow one another, usually one on each line."""
    for number, line in _lines(file, records):
        place, at = f"line {number}", skip_blanks(line, 0)
        try:
            while at < len(line):
                record, at = decode(line, at)
                records.add(record, place, to_sample)
                at = skip_blanks(line, at)
        except Broken as error:
            problem = f"no valid JSON from character {error.at + 1} on: {error.problem}"
            records.faults.add(place, problem)


def read_csv(to_sample: ToSample, file: BinaryIO, records: Records) -> None:
    """Read rows of CSV by the names in its first line; a row is always one line."""
    names: list[str] | None = None
    for number, line in _lines(file, records):
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


def _lines(file: BinaryIO, records: Records) -> Iterator[tuple[int, str]]:
    number = bytes_read = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        bytes_read += len(line)
        if number % _LINES_PER_CHECK == 0:
            records.check_time(f"line {number}")
        if len(line) > MAX_LINE_BYTES:
            limit = MAX_LINE_BYTES // _MIB
            records.faults.add(f"line {number}", f"the line is longer than {limit} MiB")
            while line and not line.endswith(b"\n") and bytes_read <= MAX_LINES_BYTES:
                line = file.readline(MAX_LINE_BYTES)
                bytes_read += len(line)
        else:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if bytes_read > MAX_LINES_BYTES:
            limit = MAX_LINES_BYTES // _MIB
            problem = f"the file is larger than {limit} MiB; read no further"
            records.faults.add(f"line {number}", problem)
            return


def read_timings(file: BinaryIO, job: Job) -> Timings:
    """Read timings from a seekable file; what cannot be read is a fault with its line."""
    head = FileHead(file)
    file.seek(0)
    version = next((it.name for it in FORMATS if it.fits(head) and head.packing == "plain"), None)
    if version is None:
        raise InvalidParams(
            "The file holds no timings that can be read",
            suggestion="Give collector-v1, csv-v1, lines of curl's %{json}, HAR or hey's CSV.",
        )
    records = Records(job)
    try:
        _READERS[version](file, records)
    except Enough as error:
        records.faults.add(error.place, str(error))
    return Timings(
        version=version,
        samples=tuple(records.samples),
        is_complete=not records.faults,
        faults=records.faults.listed(),
    )


_READERS: Mapping[str, Callable[[BinaryIO, Records], None]] = {
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
    def read(_request: ReadRequest, file: BinaryIO, job: Job) -> Timings:
        return read_timings(file, job)

    return ArtifactFormat(name, "ttfb_timings", fits, read, Timings, limit, is_packable=False)


FORMATS = (
    _format("curl-json", _fits_curl),
    _format("har", _fits_har, MAX_DOCUMENT_BYTES),
    _format("collector-v1", _fits_collector, MAX_DOCUMENT_BYTES),
    _format("hey-csv", lambda head: _columns(head) >= _HEY_COLUMNS),
    _format("csv-v1", _fits_csv),
)
