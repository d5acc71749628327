"""Files that do not parse whole, on projects with syntax that the grammars do not know."""

from pathlib import Path

from agreement.comparing import find_files, outline_of
from agreement.table import Row, checkout
from benchpin.facts.languages import detect_language

_PROJECTS = ("preactjs/preact", "preactjs/preact-www", "solidjs/solid")
_ENDINGS = (".js", ".jsx", ".ts", ".tsx")


def rows(projects: Path) -> list[Row]:
    """Count the files of each project that do not parse."""
    return [_row(name, checkout(projects, name)) for name in _PROJECTS]


def _row(name: str, project: Path) -> Row:
    measured = broken = 0
    for place in find_files(project, _ENDINGS):
        language = detect_language(place.name, place.read_bytes)
        if language is not None:
            measured += 1
            broken += outline_of(place, language).error_line > 0
    return Row("files that do not parse", "", f"{name}, {measured:,} files", str(broken))
