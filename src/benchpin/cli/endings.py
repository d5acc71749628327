"""How a command ends when something goes wrong: a message on stderr, and an exit code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from benchpin.core import BenchpinError

from .output import ERROR, INTERRUPTED, print_error


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
        raise  # click ends quietly when the reader of a pipe has gone
    except OSError as error:
        _cannot_write(error)


def _cannot_write(error: OSError) -> NoReturn:
    click.echo(f"Error: {error.strerror}", err=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or flushing the buffer at exit fails again
    sys.exit(ERROR)
