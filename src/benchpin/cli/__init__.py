"""The command line. The server is imported only by `benchpin serve`."""

import gc
import os
import sys
from typing import NoReturn

__all__ = ["INTERRUPTED", "end_interrupted", "main"]

INTERRUPTED = 130


def end_interrupted() -> NoReturn:
    """Say that Ctrl-C ended the command, and end with its exit code."""
    print("\nInterrupted.", file=sys.stderr)
    sys.exit(INTERRUPTED)


def main() -> None:
    """Run the command line."""
    _open_standard_streams()
    try:
        from .main import cli  # noqa: PLC0415 - `import benchpin.cli` stays cheap

        cli(prog_name="benchpin", args=sys.argv[1:])
    except KeyboardInterrupt:
        end_interrupted()
    finally:
        # Skips the garbage collections at exit; DuckDB writes to stderr what they would free.
        if "duckdb" not in sys.modules:
            gc.freeze()


def _open_standard_streams() -> None:
    """Open closed standard descriptors on /dev/null, or the next opened file would become one."""
    for descriptor, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != descriptor:
                os.dup2(nothing, descriptor)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
