"""`benchpin call`: call a tool with JSON and print JSON."""

import json
import sys

import click

from benchpin.core.errors import BenchpinError, InvalidParams

from .flags import FlaggedCommand, Flags
from .output import ERROR, print_json, show
from .running import run_tool


@click.command(cls=FlaggedCommand)
@click.argument("tool", help="The name of a tool; see benchpin tools.")
@click.option(
    "--json",
    "text",
    default="{}",
    metavar="JSON",
    help="The arguments as a JSON object; - reads them from stdin.",
)
@click.pass_obj
def call(flags: Flags, /, tool: str, text: str) -> None:
    """Call TOOL with JSON arguments and print the structured result as JSON.

    Errors are JSON on stderr, with exit code 2.

    Example: benchpin call read_result --json '{"id": "0123456789abcdef"}'
    """
    try:
        arguments = _arguments(text)
        result = run_tool(flags.workbench(), tool, arguments)
    except BenchpinError as error:
        print_json({"error": error.as_dict()}, err=True)
        sys.exit(ERROR)
    show(result, as_json=True)


def _arguments(text: str) -> dict[str, object]:
    hint = 'Quote it: --json \'{"name": "value"}\'.'
    if text == "-":
        hint = "Send one JSON object on stdin."
    try:
        value = json.loads(_stdin() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise InvalidParams(f"--json is not JSON: {error}", suggestion=hint) from error
    if not isinstance(value, dict):
        raise InvalidParams("--json must be an object", suggestion=hint)
    return value


def _stdin() -> str:
    return sys.stdin.read() if sys.stdin is not None else ""
