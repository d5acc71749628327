"""Print results, errors and progress; the exit codes."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from benchpin.core import (
    BenchpinError,
    EmbeddedResource,
    Job,
    Progress,
    Report,
    Result,
    visible,
)
from benchpin.core.view import MACHINE_FORMATS

FAILED = 1
USAGE_ERROR = 2
PARTIAL = 3
INTERRUPTED = 130
_MOST_SHOWN = 80
CONTINUE_HINT = "What was read so far is cached: run it again, or allow more --tool-timeout."


def print_error(error: BenchpinError) -> None:
    """Print the message of an error, its reason if known, and its suggestion."""
    reason = error.data.get("reason") or error.data.get("parseError")
    why = f": {visible(str(reason))}" if reason else ""
    click.echo(f"Error: {error.message}{why}\n{error.suggestion}", err=True)


def show(result: Result, *, as_json: bool, is_timed: bool = True) -> None:
    """Print a result: its text, or the structured result as JSON.

    `is_timed` is whether there was a time limit, so that more time may bring what is missing.

    If stdout is a pipe or a file, it gets the binary content or the document of the result, if
    there is one; the text about a document then goes to stderr.
    """
    if as_json:
        print_json(result.model_dump(mode="json", by_alias=True))
    elif _is_piped() and (body := _binary(result)) is not None:
        click.echo(body, nl=False)
    elif _is_piped() and (document := result.document()) is not None:
        _echo(document, ends_line=bool(document) and not document.endswith("\n"))
        if about := result.beside_document():
            _echo(_shown(result, about), err=True)
    else:
        text = result.to_text()
        text = result.text_style.finish(text) if _is_piped() else _shown(result, text)
        _echo(text, ends_line=not text.endswith("\n"))
        if note := result.closing_note():
            _echo(_shown(result, note), err=not result.text_block().can_be_cut)
    if result.is_failure() and (as_json or _is_for_programs(result)):
        _echo(_shown(result, result.failure_note()), err=True)
    if result.partial:
        missing = visible("; ".join(result.missing))
        hint = f" {CONTINUE_HINT}" if is_timed else ""
        click.echo(f"Partial: left out {missing}.{hint}", err=True)
    if status := result.exit_status() or (PARTIAL if result.partial else 0):
        sys.exit(status)


def _shown(result: Result, text: str) -> str:
    """Return a text for a terminal: with our colours, and no other control characters."""
    return result.text_style.finish(visible(text))


def _is_for_programs(result: Result) -> bool:
    return isinstance(result, Report) and result.format in {*MACHINE_FORMATS, "json"}


def _is_piped() -> bool:
    """Whether stdout is a pipe or a file."""
    return sys.stdout is not None and not sys.stdout.isatty()


def _binary(result: Result) -> bytes | None:
    """Return the binary content of a result, if it has any."""
    bodies = [it.body for it in result.to_content() if isinstance(it, EmbeddedResource)]
    return next((it for it in bodies if isinstance(it, bytes)), None)


def _echo(text: str, *, ends_line: bool = True, err: bool = False) -> None:
    """Print a text unchanged; nothing if the stream is closed."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        click.echo(_printable(text, stream), nl=ends_line, err=err, color=True)


def print_json(value: object, *, err: bool = False) -> None:
    """Print JSON, indented in a terminal and on one line otherwise."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    indent = 2 if stream.isatty() else None
    text = visible(json.dumps(value, indent=indent, ensure_ascii=False))
    if text != _printable(text, stream):
        text = json.dumps(value, indent=indent)
    _echo(text, err=err)


def _printable(text: str, stream: TextIO) -> str:
    """Escape what the stream cannot encode, such as file names that are not UTF-8."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _one_line(message: str) -> str:
    """Return the last line without control characters, which a program's output may contain."""
    last = message.rstrip().rpartition("\n")[2][:_MOST_SHOWN]
    return "".join(it if it.isprintable() else "?" for it in last)


@contextmanager
def job_with_progress(time_limit_s: float | None) -> Iterator[Job]:
    """Yield a job with a progress bar, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Job(time_limit_s=time_limit_s)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, visible=False)

        def update(progress: Progress) -> None:
            bar.update(
                task,
                completed=progress.done,
                total=progress.total,
                description=_one_line(progress.message),
                visible=True,
            )

        yield Job(time_limit_s=time_limit_s, on_progress=update)
