"""Compare the cyclomatic complexity of C and C++ with pmccabe's traditional McCabe column."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from agreement.comparing import Tally, Theirs, find_files, last_part, outline_of, pair, program
from benchpin.facts import Function
from benchpin.facts.languages import detect_language

_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp")
_WHERE = re.compile(r".*\((\d+)\): (.*)")
_TRADITIONAL = 1


def compare(project: Path) -> Sequence[Tally]:
    """Compare every function that both find, C and C++ apart."""
    tallies = {
        language: Tally(f"pmccabe, {project.name} ({language})") for language in ("c", "cpp")
    }
    for place in find_files(project, _ENDINGS):
        language = detect_language(place.name, place.read_bytes)
        if language is None:
            continue
        outline, tally = outline_of(place, language), tallies[language]
        named = [it for it in outline.functions if it.kind != "closure"]
        text = place.read_bytes().decode(errors="replace").split("\n")
        for ours, other in pair(named, _ask(place), tally):
            body = "\n".join(text[ours.line - 1 : ours.end_line])
            why = _explain(ours, other.value, body, has_error=outline.error_line > 0)
            tally.add(f"{place}:{ours.line} {ours.name}", ours.cyclomatic, other.value, why)
    return [tally for tally in tallies.values() if tally.compared]


def _ask(place: Path) -> list[Theirs]:
    done = subprocess.run([program("pmccabe"), str(place)], capture_output=True, check=False)
    found = []
    for line in done.stdout.decode(errors="replace").splitlines():
        columns = line.split("\t")
        where = _WHERE.fullmatch(columns[-1])
        if where is not None:
            name = last_part(where[2])
            found.append(Theirs(name, int(where[1]), int(columns[_TRADITIONAL])))
    return found


def _explain(ours: Function, theirs: int, body: str, *, has_error: bool) -> str:
    catches = len(re.findall(r"\bcatch\s*\(", body))
    words = len(re.findall(r"\b(?:and|or)\b", body))
    if catches and ours.cyclomatic - theirs in {catches, catches + words}:
        return "catch is not counted by pmccabe"
    if theirs == 1:
        return "pmccabe takes a later part of the function for a function of its own"
    if "#" in body:
        return "conditionals of the preprocessor inside the function"
    return "the file does not parse without errors" if has_error else "unexplained"
