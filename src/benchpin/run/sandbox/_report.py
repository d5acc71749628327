"""The result of a program that was run."""

import os
from collections.abc import Sequence
from typing import Literal

from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result

_TIMED_OUT = 124
_KILLED = 137
_EXCEEDED = {"processes": "too many processes", "memory": "too much memory"}
# MAX_ARG_STRLEN of Linux: the longest single argument, less the NUL at its end.
MAX_ARGUMENT_BYTES = (128 << 10) - 1


class ExecutionReport(Result):
    """What a program wrote, and how it ended."""

    exit_code: int | None
    """None when it was stopped; 128 and more when a signal ended it."""
    stdout: str
    stderr: str
    duration_ms: int
    timed_out: bool
    timeout_s: float
    """The limit that applied: the requested one, or the time that the server had left."""
    truncated: bool
    stdout_cut_bytes: int
    """Bytes left out of the middle; the beginning and the end are kept."""
    stderr_cut_bytes: int
    signal: str | None
    exceeded: Literal["processes", "memory"] | None
    """The limit for which the program and its children were stopped."""
    sandbox: str
    """The sandbox: bubblewrap, namespaces, landlock, or none if the operator chose --unconfined."""
    suggestion: str | None = None
    """The folder to allow, when a program that is installed cannot be seen in the sandbox."""

    def to_text(self) -> str:
        """Return how it ended, then its output."""
        parts = [f"{self._ending()} ({self.duration_ms:,} ms, sandbox: {self.sandbox})"]
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text:
                parts.append(f"{name}:\n{text.rstrip()}")
        if self.suggestion is not None:
            parts.append(self.suggestion)
        return "\n".join(parts)

    def lacks(self) -> list[str]:
        """Return how much of the output was left out."""
        cut = {"stdout": self.stdout_cut_bytes, "stderr": self.stderr_cut_bytes}
        return [f"{size:,} bytes of {name}" for name, size in cut.items() if size]

    def document(self) -> str:
        """Return what the program wrote to stdout."""
        return self.stdout

    def beside_document(self) -> str:
        """Return what the program wrote to stderr, and how it ended if not well."""
        ending = self._ending() if self.exit_code != 0 else ""
        return "\n".join(it for it in (self.stderr.rstrip(), ending) if it)

    def exit_status(self) -> int:
        """Return the program's own exit status; if it was stopped, that of timeout(1) or kill."""
        if self.exit_code is not None:
            return self.exit_code
        return _TIMED_OUT if self.timed_out else _KILLED

    def _ending(self) -> str:
        if self.timed_out:
            return f"Stopped after {self.timeout_s:g} s"
        if self.exceeded is not None:
            return f"Stopped: {_EXCEEDED[self.exceeded]}"
        if self.signal is not None:
            return f"Ended by {self.signal}"
        return f"Exit code {self.exit_code}"


# Which words can be arguments of a program.


def require_passable(argv: Sequence[str], name: str) -> None:
    """Check that a program can receive the words of its command, a parameter of this name.

    Raises:
        InvalidParams: naming the first that it cannot.
    """
    for place, word in enumerate(argv):
        problem = _problem(word)
        if problem:
            raise InvalidParams(
                f"{name}[{place}] cannot be passed to a program: {problem}",
                suggestion="Put it into a file in the workspace that the program reads.",
                data={"path": f"{name}[{place}]"},
            )


def _problem(word: str) -> str:
    if "\0" in word:
        return f"it has a NUL byte at position {word.index(chr(0))}"
    try:
        size = len(os.fsencode(word))
    except UnicodeEncodeError as error:
        return f"the character at position {error.start} is half of a surrogate pair"
    if size > MAX_ARGUMENT_BYTES:
        return f"it has {size:,} bytes, more than {MAX_ARGUMENT_BYTES:,}"
    return ""
