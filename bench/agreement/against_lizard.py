"""Compare the cyclomatic complexity of a project with lizard's, language by language."""

import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from agreement.comparing import Tally, Theirs, find_files, outline_of, pair, program
from agreement.lizard_quirks import QUIRKS
from benchpin.facts import Function, Outline
from benchpin.facts.languages import detect_language

_ENDINGS = {
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hpp"),
    "csharp": (".cs",),
    "go": (".go",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "php": (".php",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "scala": (".scala",),
    "swift": (".swift",),
}
_NAME, _LINE, _FILE, _VALUE = 7, 9, 6, 1


def compare(project: Path) -> Sequence[Tally]:
    """Compare every function that both find; closures have their own line in lizard at times."""
    reported = _ask(project)
    tallies: dict[str, Tally] = {}
    for language, endings in _ENDINGS.items():
        for place in find_files(project, endings):
            if str(place) not in reported or _language(place) != language:
                continue
            tally = tallies.setdefault(language, Tally(f"lizard, {project.name} ({language})"))
            _compare_file(place, language, reported[str(place)], tally)
    return list(tallies.values())


def _language(place: Path) -> str | None:
    return detect_language(place.name, place.read_bytes)


def _ask(project: Path) -> dict[str, list[Theirs]]:
    asked = [program("lizard"), "--csv", str(project)]
    done = subprocess.run(asked, capture_output=True, check=False)
    found: dict[str, list[Theirs]] = defaultdict(list)
    for row in csv.reader(done.stdout.decode(errors="replace").splitlines()):
        if len(row) > _LINE:
            found[row[_FILE]].append(Theirs(row[_NAME], int(row[_LINE]), int(row[_VALUE])))
    return found


def _compare_file(place: Path, language: str, theirs: list[Theirs], tally: Tally) -> None:
    outline = outline_of(place, language)
    own = dict(_without_closures(outline))
    text = place.read_bytes().decode(errors="replace").split("\n")
    named = [it for it in outline.functions if it.kind != "closure"]
    for ours, other in pair(named, theirs, tally):
        body = "\n".join(text[ours.line - 1 : ours.end_line])
        apart = own[ours.first_token, ours.last_token] - ours.cyclomatic
        why = _explain(other.value - ours.cyclomatic, apart, body, QUIRKS[language])
        tally.add(f"{place}:{ours.line} {ours.name}", ours.cyclomatic, other.value, why)


def _without_closures(outline: Outline) -> Iterator[tuple[tuple[int, int], int]]:
    """Return the paths of each function without those of the closures right inside it."""
    around: list[tuple[Function, list[int]]] = []
    for function in outline.functions:
        while around and around[-1][0].last_token < function.last_token:
            left, inner = around.pop()
            yield (left.first_token, left.last_token), left.cyclomatic - sum(inner)
        if around and function.kind == "closure":
            around[-1][1].append(function.cyclomatic - 1)
        around.append((function, []))
    for left, inner in around:
        yield (left.first_token, left.last_token), left.cyclomatic - sum(inner)


def _explain(difference: int, apart: int, body: str, quirks: Sequence[tuple[str, str]]) -> str:
    counted = [
        (why, len(re.findall(pattern, body)) * (-1 if "does not" in why else 1))
        for why, pattern in quirks
    ]
    for why, count in (("reports closures apart", apart), *counted):
        if count and difference == count:
            return why
    if counted and difference == sum(count for _, count in counted):
        return "several of these"
    present = [why for why, count in counted if count]
    return f"{present[0]} (at least)" if present else "unexplained"
