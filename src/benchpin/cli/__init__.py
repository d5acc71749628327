"""The command line. Imports the server only to serve."""

import sys


def main() -> None:
    """Run the command line."""
    from .main import cli  # noqa: PLC0415 - `import benchpin.cli` stays cheap

    cli(prog_name="benchpin", args=sys.argv[1:])
