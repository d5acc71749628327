"""Check cognitive complexity by the examples in SonarSource's own analysers, given by path."""

import re
from collections.abc import Sequence
from pathlib import Path

from agreement.comparing import Tally, outline_of

_EXAMPLES = (
    ("python", "**/metrics/cognitive-complexities.py", re.compile(r"# =(\d+)")),
    ("java", "**/CognitiveComplexityMethodCheckMax0.java", re.compile(r"from (\d+) to the 0")),
)


def compare(project: Path) -> Sequence[Tally]:
    """Compare the value that stands in a comment beside each function."""
    tallies = []
    for language, pattern, expectation in _EXAMPLES:
        for place in project.glob(pattern):
            tally = Tally(f"SonarSource's examples, {place.name}")
            ours = {it.line: it for it in outline_of(place, language).functions}
            for line, text in enumerate(place.read_text(encoding="utf-8").split("\n"), start=1):
                expected = expectation.search(text)
                if expected is not None:
                    where = f"line {line} {ours[line].name}"
                    tally.add(where, ours[line].cognitive, int(expected[1]), "unexplained")
            tallies.append(tally)
    return tallies
