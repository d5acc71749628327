"""How a command ends when something goes wrong: a message on stderr, and an exit code."""

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from benchpin.core.errors import BenchpinError

from .output import ERROR, INTERRUPTED, drop_output, print_error


@contextmanager
def ending_with_a_code() -> Iterator[None]:
    """Print errors, and end with their exit code."""
    try:
        yield
    except BenchpinError as error:
        print_error(error)
        sys.exit(ERROR)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        drop_output()
        sys.exit(0)
    except OSError as error:
        _cannot_write(error)


def _cannot_write(error: OSError) -> NoReturn:
    click.echo(f"Error: {error.strerror}", err=True)
    drop_output()
    sys.exit(ERROR)


def end_process() -> NoReturn:
    """End at once, though a thread may run a tool that never ends."""
    # os._exit skips exit handlers, which close the workspace session and flush telemetry.
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public function for this
    sys.stderr.flush()
    os._exit(0)
