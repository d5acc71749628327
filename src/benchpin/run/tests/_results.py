"""What a test runner reported."""

import re
from dataclasses import dataclass, field

from benchpin.core.results import Item

# More than these are counted, and not kept.
MAX_FAILURES = 500
_MAX_LINES = 12
_MAX_WIDTH_CHARS = 240
_MAX_MESSAGE_CHARS = 300
_ESCAPE = re.compile(r"\x1b\[[0-9;:?]*+[A-Za-z]")


# A file relative to the workspace, and a line if it is known.
Place = tuple[str, int | None]


class Failure(Item):
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
    failures: list[Failure] = field(default_factory=list)
    output: str | None = None
    """What the tests wrote, if it was inside the report."""

    @property
    def total(self) -> int:
        """How many tests the runner reported."""
        return self.passed + self.failed + self.skipped

    def add_failure(self, name: str, place: Place | None, message: str, excerpt: str) -> None:
        """Count a failure, and keep it if there is room."""
        self.failed += 1
        if len(self.failures) < MAX_FAILURES:
            file, line = place or (None, None)
            first = next((it for it in clean(message).splitlines() if it.strip()), "")
            self.failures.append(
                Failure(
                    name=clean(name)[:_MAX_MESSAGE_CHARS],
                    file=file,
                    line=line,
                    message=first.strip()[:_MAX_MESSAGE_CHARS],
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
