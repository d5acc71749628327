"""Compare the cyclomatic complexity of Python with radon's."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from agreement.comparing import Tally, Theirs, find_files, outline_of, pair, program


class _Block(TypedDict, total=False):
    type: str
    name: str
    lineno: int
    complexity: int
    methods: list["_Block"]
    closures: list["_Block"]


def compare(project: Path) -> Sequence[Tally]:
    """Compare every function that both find; files that radon cannot parse are left out."""
    tally = Tally(f"radon, {project.name}")
    files = find_files(project, (".py",))
    asked = [program("radon"), "cc", "-j", str(project)]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    reported: dict[str, list[_Block]] = json.loads(done.stdout)
    for place in files:
        blocks = reported.get(str(place))
        if not isinstance(blocks, list):
            continue
        theirs = [it for block in _flat(blocks) for it in _theirs(block)]
        text = place.read_text(encoding="utf-8", errors="replace").split("\n")
        for ours, other in pair(outline_of(place, "python").functions, theirs, tally):
            body = "\n".join(text[ours.line - 1 : ours.end_line])
            why = "radon does not know except*" if "except*" in body else "unexplained"
            tally.add(f"{place}:{ours.line} {ours.name}", ours.cyclomatic, other.value, why)
    return [tally]


def _flat(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Return functions, methods and closures; radon lists methods twice."""
    seen: set[tuple[str, int]] = set()
    pending = list(blocks)
    while pending:
        block = pending.pop()
        pending += [*block.get("methods", ()), *block.get("closures", ())]
        key = (block["name"], block["lineno"])
        if block["type"] != "class" and key not in seen:
            seen.add(key)
            yield block


def _theirs(block: _Block) -> Iterator[Theirs]:
    yield Theirs(block["name"], block["lineno"], block["complexity"])
