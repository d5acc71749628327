"""Run a tool from the command line with progress, end with an exit code, read texts."""

import atexit
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TextIO

import click

from benchpin.app import Workbench
from benchpin.core.calls import Caller, Job, Progress
from benchpin.core.errors import BenchpinError, FileMissing, InternalError, InvalidParams
from benchpin.core.results import Result

from . import end_interrupted
from .output import ERROR, drop_output, print_error, printable

STDIN = "-"
# No digest: `--apply` was typed without one.
_ALONE = "-"
_YES = "yes"
Call = Callable[[Mapping[str, object]], Result]
# More than any tool takes; it refuses what is too long for it by its own limit.
_MAX_BYTES = 64 << 20
_MAX_SHOWN = 80
_BAR_WIDTH = 40
_REDRAW_S = 0.1
# What is known before the answer is shown from then on: most answers come sooner.
_NEWS_AFTER_S = 0.2
_CALLER = Caller(agent_id="operator", from_agent="cli", session_id="cli")


@contextmanager
def ending_with_a_code() -> Iterator[None]:
    """Print errors, and end with their exit code."""
    try:
        yield
    except BenchpinError as error:
        print_error(error)
        sys.exit(ERROR)
    except KeyboardInterrupt:
        end_interrupted()
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
    except OSError as error:
        _cannot_write(error)


def _cannot_write(error: OSError) -> NoReturn:
    click.echo(f"Error: {error.strerror}", err=True)
    drop_output()
    sys.exit(ERROR)


def end_process(status: int = 0) -> NoReturn:
    """End at once, though a thread may run a tool that never ends."""
    # os._exit skips exit handlers, which close the workspace session and flush telemetry.
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public function for this
    sys.stderr.flush()
    os._exit(status)


def run_tool(workbench: Workbench, name: str, arguments: Mapping[str, object]) -> Result:
    """Call a tool; naming it on the command line enables it, and typed arguments what they ask for.

    There is no time limit unless one is set: a person can press Ctrl-C.

    Raises:
        BenchpinError: when the tool is barred, the arguments are wrong, or it fails.
    """
    listing = workbench.catalogue.find(name, for_operator=True)
    settings = workbench.configuration.settings
    time_limit_s = settings.chosen_timeout_of(listing.name)
    with job_with_progress(time_limit_s) as job, cancelling_on_interrupt(job):
        try:
            call = workbench.prepare(listing, arguments, job=job, caller=_CALLER, is_typed=True)
            return call.run()
        except KeyboardInterrupt:
            end_interrupted()
        except BenchpinError:
            raise
        except Exception as error:
            if "tools" in settings.debug:
                raise
            reference = "the traceback that BENCHPIN_DEBUG=tools shows"
            raise InternalError(reference) from error


@contextmanager
def cancelling_on_interrupt(job: Job) -> Iterator[None]:
    """Cancel the job on Ctrl-C, because a thread that waits for a child does not see the signal.

    SIGTERM ends the command in the same way, so that what it made for a while is removed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, _frame: object) -> None:
        job.cancel()
        if number == signal.SIGTERM:
            raise SystemExit(128 + number)  # the exit code of a shell for it
        raise KeyboardInterrupt

    before = {it: signal.signal(it, interrupt) for it in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def read_text(typed: str, flag: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    What has several lines is no name of a file: it is the text itself.

    Raises:
        FileMissing: when there is no such file.
        InvalidParams: when it cannot be read, is too large or is not UTF-8.
    """
    if "\n" in typed:
        return typed
    try:
        if typed == STDIN:
            content = sys.stdin.buffer.read(_MAX_BYTES + 1) if sys.stdin is not None else b""
        else:
            with Path(typed).open("rb") as file:  # a pipe, such as <(git diff), has no size
                content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        hint = f"Give {flag} the name of a file, or - for standard input."
        raise FileMissing(f"There is nothing at {typed!r}", suggestion=hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidParams(
            f"{flag} {typed!r} cannot be read: {reason}", suggestion="Give a text file."
        ) from error
    if len(content) > _MAX_BYTES:
        raise InvalidParams(
            f"{flag} {typed!r} has more than {_MAX_BYTES:,} bytes", suggestion="Split it."
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidParams(
            f"{flag} {typed!r} is not UTF-8: {error.reason} at byte {error.start:,}",
            suggestion="Convert it to UTF-8.",
        ) from error


@contextmanager
def job_with_progress(time_limit_s: float | None) -> Iterator[Job]:
    """Yield a job with a progress bar, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Job(time_limit_s=time_limit_s)
        return
    bar = _ProgressBar(sys.stderr)
    try:
        yield Job(time_limit_s=time_limit_s, on_progress=bar.update, on_news=bar.tell)
    except BenchpinError:
        bar.clear(with_news=True)  # the error is the answer
        raise
    except BaseException:
        bar.clear()
        raise
    bar.clear(with_news=True)  # the answer says it again


def _one_line(message: str) -> str:
    """Return the last line without control characters, which a program's output may contain."""
    last = message.rstrip().rpartition("\n")[2][:_MAX_SHOWN]
    return "".join(it if it.isprintable() else "?" for it in last)


class _ProgressBar:
    """One line of a terminal that is drawn over itself, at most ten times a second."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._started = time.monotonic()
        self._due = self._started
        self._width = 0
        self._news: list[str] = []
        self._told = 0

    def tell(self, line: str) -> None:
        """Print a line above the bar, unless the answer comes at once."""
        self._news.append(line)
        if time.monotonic() - self._started > _NEWS_AFTER_S:
            self._show_news()

    def update(self, progress: Progress) -> None:
        """Show how far the work is."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _REDRAW_S
        if now - self._started > _NEWS_AFTER_S:
            self._show_news()
        done, total = progress.done, progress.total
        filled = min(_BAR_WIDTH, int(_BAR_WIDTH * done / total)) if total else 0
        count = f"{done:,.0f}/{total:,.0f}" if total else f"{done:,.0f}"
        seconds = int(now - self._started)
        line = (
            f"{_one_line(progress.message)} [{'#' * filled:-<{_BAR_WIDTH}}] "
            f"{count} {seconds // 60}:{seconds % 60:02}"
        )
        width = shutil.get_terminal_size().columns - 1
        self._draw(printable(line[:width], self._terminal))

    def clear(self, *, with_news: bool = False) -> None:
        """Remove the line, and the lines above it if the answer has them too."""
        self._draw("")
        if with_news and self._told:
            self._write(f"\x1b[{self._told}F\x1b[J")

    def _show_news(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        for line in self._news[self._told :]:
            self._draw("")
            self._write(printable(_one_line(line)[:width], self._terminal) + "\n")
        self._told = len(self._news)

    def _draw(self, line: str) -> None:
        self._write(f"\r{line:<{self._width}}\r{line}")
        self._width = len(line)

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that has gone stops no work
            self._terminal.write(text)
            self._terminal.flush()


# `--apply` as a person types it: the preview is shown, and written after a question. An agent gives
# the digest of the preview that it has read; so may a person.


def confirming(parameters: Sequence[click.Parameter], name: str) -> list[click.Parameter]:
    """Return the parameters; the one that names a preview can be typed alone, beside `--yes`."""
    others = [it for it in parameters if it.name != name]
    if len(others) == len(parameters):
        return others
    return [
        *others,
        click.Option(
            [f"--{name}", name],
            is_flag=False,
            flag_value=_ALONE,
            default=None,
            metavar="[DIGEST]",
            help="Write what the preview shows, after a question. With the digest of a preview, "
            "write exactly that.",
        ),
        click.Option(["--yes", "-y", f"_{_YES}"], is_flag=True, help="Write without asking."),
    ]


def run_confirmed(
    call: Call, arguments: dict[str, object], name: str, show: Callable[[Result], None]
) -> Result:
    """Run a tool; if writing was asked for without naming a preview, ask about the preview first.

    Raises:
        InvalidParams: when there is nobody to ask.
    """
    is_sure = bool(click.get_current_context().params.get(f"_{_YES}"))
    if arguments.get(name) != _ALONE and not (is_sure and name not in arguments):
        return call(arguments)
    plan = {key: it for key, it in arguments.items() if key != name}
    preview = call(plan)
    digest = getattr(preview, "digest", "")
    if not digest:
        return preview
    if not is_sure:
        _ask(preview, show)
    done = call({**plan, name: digest})
    if is_sure:
        return done
    click.echo(done.to_text().rpartition("\n")[2])  # what was written has been shown
    sys.exit(done.exit_status())


def _ask(preview: Result, show: Callable[[Result], None]) -> None:
    if not sys.stdin or not sys.stdin.isatty():
        raise InvalidParams(
            "Nothing was written: there is no terminal to ask for confirmation on",
            suggestion="Add --yes to write without a question; without --apply it is a preview.",
        )
    with suppress(SystemExit):  # its exit code is that of the answer
        show(preview)
    if not click.confirm("Write this?", err=True):
        click.echo("Nothing was written.", err=True)
        sys.exit(0)
