"""Compare the cognitive complexity of JavaScript and TypeScript with eslint-plugin-sonarjs."""

from collections.abc import Sequence
from pathlib import Path

from agreement.comparing import Tally
from agreement.javascript_lint import LintedFile, lint
from benchpin.facts import Function


def compare(project: Path) -> Sequence[Tally]:
    """Compare functions where the departures that sonarjs documents play no part."""
    tally = Tally(f"sonarjs, {project.name}")
    for file in lint(project):
        for line, functions in file.ours.items():
            if len(functions) == len(file.complexity.get(line, [])) == 1:
                _compare_function(functions[0], file, tally)
    return [tally]


def _compare_function(function: Function, file: LintedFile, tally: Tally) -> None:
    values = file.cognitive.get(function.line, [0])
    if len(values) != 1 or _has_inner(function, file):
        return
    body = "\n".join(file.text[function.line - 1 : function.end_line])
    if "||" in body or "??" in body or "/>" in body or "</" in body:
        return
    where = f"{file.place}:{function.line} {function.name}"
    tally.add(where, function.cognitive, values[0], "unexplained")


def _has_inner(function: Function, file: LintedFile) -> bool:
    return any(
        other is not function
        and function.line <= other.line
        and other.end_line <= function.end_line
        for others in file.ours.values()
        for other in others
    )
