"""Compare the cyclomatic complexity of JavaScript and TypeScript with ESLint's `complexity`."""

from collections.abc import Sequence
from pathlib import Path

from agreement.comparing import Tally
from agreement.javascript_lint import lint


def compare(project: Path) -> Sequence[Tally]:
    """Compare the functions that begin on a line of their own; ESLint gives lines, no names."""
    tally = Tally(f"ESLint, {project.name}")
    for file in lint(project):
        for line, functions in file.ours.items():
            values = file.complexity.get(line, [])
            if len(functions) == len(values) == 1:
                where = f"{file.place}:{line} {functions[0].name}"
                tally.add(where, functions[0].cyclomatic, values[0], "unexplained")
            else:
                tally.only_ours += max(len(functions) - len(values), 0)
                tally.only_theirs += max(len(values) - len(functions), 0)
    return [tally]
