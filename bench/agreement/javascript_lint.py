"""Runs ESLint with its own rule and that of sonarjs; README.md says what must be installed."""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agreement.comparing import find_files, outline_of, program
from benchpin.facts import Function

_LANGUAGES = {
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_MAX_BYTES = 400_000
_VALUES = {
    "complexity": re.compile(r"complexity of (\d+)"),
    "sonarjs/cognitive-complexity": re.compile(r"from (\d+) to"),
}


@dataclass(frozen=True, slots=True)
class LintedFile:
    """One file: our functions and their values, by line."""

    place: Path
    text: list[str]
    ours: Mapping[int, list[Function]]
    complexity: Mapping[int, list[int]]
    cognitive: Mapping[int, list[int]]


def lint(project: Path) -> Iterator[LintedFile]:
    """Lint every file that ESLint can parse."""
    files = [
        place
        for place in find_files(project, tuple(_LANGUAGES))
        if place.stat().st_size < _MAX_BYTES and "node_modules" not in place.parts
    ]
    script = Path(__file__).with_name("lint.cjs")
    done = subprocess.run(
        [program("node"), str(script)],
        input="\n".join(map(str, files)),
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        reported = json.loads(line)
        if not any(message["fatal"] for message in reported["messages"]):
            yield _linted(Path(reported["file"]), reported["messages"])


def _linted(place: Path, messages: list[dict[str, str]]) -> LintedFile:
    values: dict[str, dict[int, list[int]]] = {rule: defaultdict(list) for rule in _VALUES}
    for message in messages:
        rule, text = message["rule"], message["message"]
        found = _VALUES[rule].search(text) if rule in _VALUES else None
        if found is not None and not text.startswith("Class"):
            values[rule][int(message["line"])].append(int(found[1]))
    ours: dict[int, list[Function]] = defaultdict(list)
    for function in outline_of(place, _LANGUAGES[place.suffix]).functions:
        ours[function.line].append(function)
    lines = place.read_bytes().decode(errors="replace").split("\n")
    complexity, cognitive = values.values()
    return LintedFile(place, lines, ours, complexity, cognitive)
