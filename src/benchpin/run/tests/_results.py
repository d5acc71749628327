"""The results of a run, and JUnit XML, which most runners write.

A report that declares entities is refused: no runner writes them, and XML bombs are made of them.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

from benchpin.core.results import Item

_MAX_DEPTH = 64
_MAX_TEXT = 64 << 10
_MAX_CASES = 1_000_000
_FAILED = {"failure", "error"}
# More than these are counted, and not kept.
MAX_FAILURES = 500
# Names of tests that passed or were skipped, likewise.
MAX_NAMES = 20_000
_MAX_LINES = 12
_MAX_WIDTH_CHARS = 240
_MAX_MESSAGE_CHARS = 300
_ESCAPE = re.compile(r"\x1b\[[0-9;:?]*+[A-Za-z]")
# A file relative to the workspace, and a line if it is known.
Place = tuple[str, int | None]


@dataclass(slots=True)
class JUnitCase:
    """One test that failed."""

    name: str
    class_name: str
    suites: tuple[str, ...]
    """The names of the suites that it is in, outer ones first."""
    file: str | None
    line: int | None
    message: str = ""
    text: str = ""
    report: str = ""
    """The path of the report."""


@dataclass(slots=True)
class JUnitReport:
    """Counts, and the tests that failed."""

    passed: int = 0
    skipped: int = 0
    failed: int = 0
    failures: list[JUnitCase] = field(default_factory=list)
    others: list[tuple[JUnitCase, bool]] = field(default_factory=list)
    """The first of those that did not fail, and whether each passed."""


def read_junit(reports: Iterable[tuple[str, str]]) -> JUnitReport:
    """Read reports, each a path and a text.

    Raises:
        UnreadableReport: when there is none, or one is damaged or declares entities.
    """
    found = JUnitReport()
    count = 0
    for path, text in reports:
        count += 1
        _read_one(path, text, found)
    if not count:
        raise UnreadableReport("the runner wrote no JUnit XML")
    return found


def _read_one(path: str, text: str, found: JUnitReport) -> None:
    reader = _Reader(path, found)
    # Whatever encoding it names: the text is decoded already.
    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    parser.buffer_text = True
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise UnreadableReport(f"not whole XML: {expat.ErrorString(error.code)}") from error
    if not reader.has_suite:
        raise UnreadableReport("XML without a test suite")


def _refuse_entity(*_declared: object) -> None:
    raise UnreadableReport("XML that declares entities")


class _Reader:
    """Collects test cases, element by element."""

    def __init__(self, path: str, found: JUnitReport) -> None:
        self._path = path
        self._found = found
        self._depth = 0
        self._suites: list[str] = []
        self._case: JUnitCase | None = None
        self._outcome = "passed"
        self._pieces: list[str] | None = None
        self._room = 0
        self.has_suite = False
        self._handlers: dict[str, Callable[[dict[str, str]], None]] = {
            "testsuite": self._start_suite,
            "testsuites": self._start_suite,
            "testcase": self._start_case,
            "failure": self._start_failure,
            "error": self._start_failure,
            "skipped": self._skip,
        }

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UnreadableReport(f"XML nested over {_MAX_DEPTH} deep")
        handle = self._handlers.get(tag)
        if handle is not None:
            handle(attributes)

    def _start_suite(self, attributes: dict[str, str]) -> None:
        self.has_suite = True
        self._suites.append(attributes.get("name", ""))

    def _start_case(self, attributes: dict[str, str]) -> None:
        self._outcome = "passed"
        line = attributes.get("line", "")
        self._case = JUnitCase(
            name=attributes.get("name", ""),
            class_name=attributes.get("classname", attributes.get("class", "")),
            suites=tuple(filter(None, self._suites)),
            file=attributes.get("file") or None,
            line=int(line) if line.isascii() and line.isdigit() and len(line) < 8 else None,  # noqa: PLR2004 - no file has more lines
            report=self._path,
        )

    def _start_failure(self, attributes: dict[str, str]) -> None:
        if self._case is None or self._pieces is not None:
            return
        self._outcome = "failed"
        self._case.message = self._case.message or attributes.get("message", "")[:_MAX_TEXT]
        self._pieces, self._room = [], _MAX_TEXT - len(self._case.text)

    def _skip(self, _attributes: dict[str, str]) -> None:
        if self._outcome == "passed":
            self._outcome = "skipped"

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag in {"testsuite", "testsuites"} and self._suites:
            self._suites.pop()
        elif tag in _FAILED and self._pieces is not None and self._case is not None:
            self._case.text += "".join(self._pieces)
            self._pieces = None
        elif tag == "testcase" and self._case is not None:
            self._add(self._case)
            self._case = None

    def text(self, text: str) -> None:
        if self._pieces is not None and self._room > 0:
            self._pieces.append(text[: self._room])
            self._room -= len(text)

    def _add(self, case: JUnitCase) -> None:
        found = self._found
        if found.passed + found.failed + found.skipped >= _MAX_CASES:
            raise UnreadableReport(f"over {_MAX_CASES:,} tests")
        found.passed += self._outcome == "passed"
        found.skipped += self._outcome == "skipped"
        if self._outcome != "failed":
            if len(found.others) < MAX_NAMES:
                found.others.append((case, self._outcome == "passed"))
        else:
            found.failed += 1
            if len(found.failures) < MAX_FAILURES:
                found.failures.append(case)


# What a test runner reported.


class FailedTest(Item):
    """A test that failed, or a file with tests that could not be loaded or built."""

    name: str
    """As the runner names it."""
    file: str | None
    """Where it failed, relative to the workspace; None if the output does not say."""
    line: int | None
    message: str
    excerpt: str
    """The lines of the output that matter."""


@dataclass(slots=True)
class RunResults:
    """Counts and failures, and how they were read."""

    source: str
    """The format that the runner wrote, such as JUnit XML."""
    passed: int = 0
    failed: int = 0
    """Failures and errors."""
    skipped: int = 0
    failures: list[FailedTest] = field(default_factory=list)
    output: str | None = None
    """What the tests wrote, if it was inside the report."""
    passed_names: list[str] = field(default_factory=list)
    """The first ones, as the runner names them."""
    skipped_names: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many tests the runner reported."""
        return self.passed + self.failed + self.skipped

    def add_name(self, name: str, *, is_passed: bool) -> None:
        """Keep the name of a test that did not fail, if there is room."""
        names = self.passed_names if is_passed else self.skipped_names
        if len(names) < MAX_NAMES:
            names.append(clean(name)[:_MAX_MESSAGE_CHARS])

    def add_failure(self, name: str, place: Place | None, message: str, excerpt: str) -> None:
        """Count a failure, and keep it if there is room."""
        self.failed += 1
        if len(self.failures) < MAX_FAILURES:
            file, line = place or (None, None)
            lines = [it.strip() for it in clean(message).splitlines() if it.strip()]
            # `error:` says something only with the line below.
            first = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
            self.failures.append(
                FailedTest(
                    name=clean(name)[:_MAX_MESSAGE_CHARS],
                    file=file,
                    line=line,
                    message=first[:_MAX_MESSAGE_CHARS],
                    excerpt=shorten(excerpt),
                )
            )


class UnreadableReport(Exception):
    """The runner wrote no report, or one that is damaged; the message says how."""


def clean(text: str) -> str:
    """Return a text without the colours of a terminal."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def shorten(text: str, most_lines: int = _MAX_LINES) -> str:
    """Return the first lines of a text, without blank ones at its ends and long ends of lines."""
    lines = clean(text).strip("\n").splitlines()
    rest = len(lines) - most_lines
    shown = [it[:_MAX_WIDTH_CHARS].rstrip() for it in lines[:most_lines]]
    return "\n".join([*shown, f"… {rest} more lines"] if rest > 0 else shown).rstrip()


def last_lines(text: str, most_lines: int) -> str:
    """Return the last lines of a text that are not blank."""
    lines = [it for it in clean(text).splitlines() if it.strip()]
    return "\n".join(it[:_MAX_WIDTH_CHARS].rstrip() for it in lines[-most_lines:])
