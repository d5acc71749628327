"""What a coverage report contains about each file, the limits on reading one, and its readers.

Both XML formats, Cobertura and JaCoCo, name a DTD, which is neither fetched nor needed. A file that
declares entities is refused: no such report does, and XML bombs are made of them.
"""

import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from xml.parsers import expat

from benchpin.core.calls import Job

Unit = Literal["lines", "functions"]

# A larger report is not read.
MAX_BYTES = 1 << 26
# A report with more lines is not read.
MAX_LINES = 5_000_000
# Looking at the clock for every line would take longer than reading it.
_LINES_BETWEEN_CHECKS = 1 << 12
# A file without lines takes 350 bytes, a line 80.
_LINES_A_FILE = 4
_MAX_DIGITS = 18


class DamagedReport(Exception):
    """A report that cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How much of a file was run."""

    covered: int
    total: int
    unit: Unit = "lines"
    """Functions where the report has only the lines that ran, not those that could have."""

    @property
    def share(self) -> float | None:
        """From 0 to 1; None for a file without anything to run."""
        return self.covered / self.total if self.total else None


def share_of(files: Collection[FileCoverage], unit: Unit) -> float | None:
    """Return how much was run of the files that are counted in a unit; None without any."""
    total = sum(it.total for it in files if it.unit == unit)
    return sum(it.covered for it in files if it.unit == unit) / total if total else None


def share_of_all(files: Collection[FileCoverage]) -> float | None:
    """Return how much was run of some files; of functions only where no lines are known."""
    of_lines = share_of(files, "lines")
    return share_of(files, "functions") if of_lines is None else of_lines


@dataclass(slots=True)
class ReportedLines:
    """The lines of one file, or only their totals where a report has no more."""

    hits: dict[int, bool] = field(default_factory=dict)
    """Whether each line that can run did."""
    covered: int = 0
    total: int = 0
    entered: frozenset[int] | None = None
    """The lines that ran, in a report without those that did not."""

    def add(self, line: int, *, is_hit: bool) -> None:
        """Add a line; one that ran in any test has run."""
        self.hits[line] = self.hits.get(line, False) or is_hit

    def coverage(self) -> FileCoverage:
        """Return how many lines ran, and how many could."""
        if self.hits:
            return FileCoverage(sum(self.hits.values()), len(self.hits))
        return FileCoverage(min(self.covered, self.total), self.total)


@dataclass(frozen=True, slots=True)
class ReportContents:
    """The files of a report, by the paths that it writes."""

    files: Mapping[str, ReportedLines]
    sources: tuple[str, ...] = ()
    """Folders that the paths may be relative to."""


class LineBudget:
    """Counts lines, and stops at a report with too many, or when the time is up."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._left = MAX_LINES
        self._next_check = MAX_LINES
        self._skipped = 0

    def skip(self) -> None:
        """Count a line that is not kept: it only takes time."""
        self._skipped += 1
        if self._skipped % _LINES_BETWEEN_CHECKS == 0:
            self._job.require_time()

    def spend(self, count: int = 1) -> None:
        """Count lines that are read.

        Raises:
            Cancelled: when the job was cancelled.
            DamagedReport: when there are too many.
            TimeLimitExceeded: when the time is up.
        """
        self._left -= count
        if self._left < 0:
            raise DamagedReport(f"it has more than {MAX_LINES:,} lines")
        if self._left <= self._next_check:
            self._next_check = self._left - _LINES_BETWEEN_CHECKS
            self._job.require_time()

    def spend_file(self) -> None:
        """Count a file, which takes as much memory as some lines."""
        self.spend(_LINES_A_FILE)


def number(text: str | None) -> int:
    """Read a count.

    Raises:
        DamagedReport: when it is none.
    """
    if text is None or not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise DamagedReport(f"it has {(text or '')[:20]!r} where a number belongs")
    return int(text)


_MAX_DEPTH = 64


class _Format(NamedTuple):
    """The names of an element for a file, and of the attributes that matter."""

    file: str
    path: str
    line: str
    hits: str


# The keys are names of the first element.
_FORMATS = {
    "coverage": _Format("class", "filename", "number", "hits"),  # Cobertura
    "report": _Format("sourcefile", "name", "nr", "ci"),  # JaCoCo
}


def read_xml(data: bytes, budget: LineBudget) -> ReportContents:
    """Read a report in either format.

    Raises:
        DamagedReport: when it is in neither, is cut off, declares entities, or is in
            an unknown encoding.
    """
    reader = _Reader(budget)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise DamagedReport(f"it is not whole XML: {expat.ErrorString(error.code)}") from error
    except (LookupError, ValueError) as error:  # of Python, when it is asked for the encoding
        raise DamagedReport("it names an encoding that is not read") from error
    return reader.finish()


def _refuse_entity(*_declared: object) -> None:
    raise DamagedReport("it declares XML entities")


class _Reader:
    """Collects which lines ran, element by element."""

    def __init__(self, budget: LineBudget) -> None:
        self._depth = 0
        self._format = _FORMATS["coverage"]
        self._package = ""
        self._current: ReportedLines | None = None
        self._source: list[str] | None = None
        self._sources: list[str] = []
        self._files: dict[str, ReportedLines] = {}
        self._budget = budget

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._budget.skip()
        if self._depth > _MAX_DEPTH:
            raise DamagedReport(f"its elements are nested over {_MAX_DEPTH} deep")
        if self._depth > 1:
            self._read(tag, attributes)
        elif tag in _FORMATS:
            self._format = _FORMATS[tag]
        else:
            raise DamagedReport(f"its first element is <{tag[:40]}>, neither Cobertura nor JaCoCo")

    def _read(self, tag: str, attributes: dict[str, str]) -> None:
        form, is_jacoco = self._format, self._format is _FORMATS["report"]
        if tag == form.file:
            self._current = self._file(attributes.get(form.path, ""))
        elif tag == "line" and self._current is not None:
            self._budget.spend()
            hits = number(attributes.get(form.hits))
            self._current.add(number(attributes.get(form.line)), is_hit=hits > 0)
        elif tag == "source" and not is_jacoco:
            self._source = []
        elif tag == "package" and is_jacoco:
            self._package = attributes.get("name", "")
        elif tag == "counter" and self._current and attributes.get("type") == "LINE":
            self._current.covered = number(attributes.get("covered"))
            self._current.total = self._current.covered + number(attributes.get("missed"))

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag == self._format.file:
            self._current = None
        elif tag == "source" and self._source is not None:
            self._sources.append("".join(self._source).strip())
            self._source = None

    def text(self, text: str) -> None:
        if self._source is not None:
            self._source.append(text)

    def finish(self) -> ReportContents:
        return ReportContents(self._files, tuple(filter(None, self._sources)))

    def _file(self, name: str) -> ReportedLines:
        path = f"{self._package}/{name}" if self._package else name
        if not path:
            raise DamagedReport("it has a file without a name")
        self._budget.spend_file()
        return self._files.setdefault(path, ReportedLines())


def read_lcov(data: bytes, budget: LineBudget) -> ReportContents:
    """Read the lines of each file; branches and functions are skipped.

    Raises:
        DamagedReport: when it is something else, or is cut off.
    """
    files: dict[str, ReportedLines] = {}
    current: ReportedLines | None = None
    for line in io.BytesIO(data):
        budget.skip()
        key, colon, value = line.decode("utf-8", "replace").strip().partition(":")
        if key == "SF" and colon:
            budget.spend_file()
            current = files.setdefault(value, ReportedLines())
        elif key == "end_of_record":
            current = None
        elif current is None or not colon:
            continue
        elif key == "DA":
            budget.spend()
            number_of_line, _, rest = value.partition(",")
            hits = rest.partition(",")[0]
            is_hit = not hits.startswith("-") and number(hits) > 0
            current.add(number(number_of_line), is_hit=is_hit)
        elif key == "LF":
            current.total = number(value)
        elif key == "LH":
            current.covered = number(value)
    if current is not None:
        raise DamagedReport("its last record does not end")
    if not files:
        raise DamagedReport("it has no records of files")
    return ReportContents(files)


# Blocks of code that ran, as `go test -coverprofile` writes them: no file of the project has it.
_BLOCK = re.compile(
    r"^(?P<file>[^\n:]{1,4000}):(?P<first>\d{1,9})\.\d+,(?P<last>\d{1,9})\.\d+ \d+ "
    r"(?P<hits>\d{1,18})$",
    re.MULTILINE,
)
_MAX_BLOCK_LINES = 10_000


def lines_that_ran(text: str, job: Job) -> dict[str, dict[int, bool]]:
    """Return whether each line of code ran, by the paths of a report of lcov or of go test.

    Raises:
        DamagedReport: when it is neither.
    """
    budget = LineBudget(job)
    if not text.startswith("mode: "):
        return {path: it.hits for path, it in read_lcov(text.encode(), budget).files.items()}
    found: dict[str, dict[int, bool]] = {}
    for block in _BLOCK.finditer(text):
        lines = found.setdefault(block["file"], {})
        first, last = int(block["first"]), int(block["last"])
        for line in range(first, min(last, first + _MAX_BLOCK_LINES) + 1):
            budget.spend()
            lines[line] = lines.get(line, False) or int(block["hits"]) > 0
    return found
