"""What people type who guess: `app.py:42` for a file and a line, `--top` for `--limit`."""

import difflib
import re
from collections.abc import Sequence

import click

_AT_LINE = re.compile(r"(.+):([0-9]+)")
# Names that other programs have for the same option; the first word that a command has is offered.
_SAME = (
    ("top-files", "top-n", "top-k", "limit", "max-results", "top", "n", "max", "count", "number"),
    ("include-patterns", "file-types", "path", "include", "glob", "files", "type", "ext", "g"),
    ("exclude-patterns", "exclude", "ignore", "skip"),
    ("diff", "base", "against", "branch", "ref", "revision", "commit", "since-commit"),
    ("period-days", "commits", "since", "days", "after"),
    ("format", "verbose", "v", "full", "details", "summary", "markdown", "html", "csv", "sarif"),
    ("output", "out", "output-file", "save", "o"),
    ("apply", "write", "force", "f", "in-place", "i"),
    ("start-line", "lines", "line", "range", "from"),
    ("tests", "test", "k"),
    ("min-confidence", "confidence-threshold", "confidence", "certainty"),
    ("max-cyclomatic", "threshold", "min-severity", "max-complexity"),
)


def meant(names: Sequence[str]) -> str:
    """Return the question whether one of some commands or options was meant; empty without any."""
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""


def near_options(typed: str, parameters: Sequence[click.Parameter]) -> list[str]:
    """Return the options of a command that may be meant by one that it does not have."""
    options = [it for it in parameters if isinstance(it, click.Option) and not it.hidden]
    there = {flag: it for it in options for flag in (*it.opts, *it.secondary_opts)}
    word = typed.lstrip("-")
    for names in _SAME:
        if word in names and (same := [f"--{it}" for it in names if f"--{it}" in there]):
            return same[:1]
    parts = set(word.split("-"))
    with_parts = [it for it in there if parts <= set(it.lstrip("-").split("-"))]
    near = difflib.get_close_matches(typed, there, n=2, cutoff=0.7)
    return with_parts[:2] or near


def at_lines(args: Sequence[str], parameters: Sequence[click.Parameter]) -> list[str]:
    """Return what was typed, with `app.py:42` as two arguments where a line follows a file."""
    placed = [it for it in parameters if isinstance(it, click.Argument)]
    lines = [at for at, it in enumerate(placed) if it.name == "line"]
    first = next((at for at, it in enumerate(args) if not it.startswith("-")), None)
    if lines != [1] or first is None or not (place := _AT_LINE.fullmatch(args[first])):
        return list(args)
    return [*args[:first], *place.groups(), *args[first + 1 :]]
