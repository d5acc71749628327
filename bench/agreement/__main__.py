"""Measure how far our numbers agree with their references: `python bench/agreement FOLDER`.

FOLDER holds checkouts of public repositories under their own names. Every subject is a module here
with a function `rows(projects)`; what it cannot find is named in the table, and the others go on.
"""

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from agreement.table import Missing, Row
from benchpin.core.errors import BenchpinError
from results import machine, write_section

SUBJECTS: tuple[str, ...] = (
    "clones",
    "complexity_c",
    "debt",
    "health",
    "imports",
    "names",
    "navigation",
    "repository_map",
    "syntax",
    "unused_code",
)


def _rows(subjects: list[str], projects: Path) -> Iterator[Row]:
    for subject in subjects:
        try:
            yield from import_module(f"agreement.{subject}").rows(projects)
        except (Missing, ImportError, BenchpinError) as reason:
            yield Row(subject, "", "", f"not measured: {' '.join(str(reason).split())}")


def main() -> None:
    """Measure every subject, or those that are named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("projects", type=Path, metavar="FOLDER")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    asked = parser.parse_args()
    head = "| number | reference | sample | result |\n| --- | --- | --- | --- |\n"
    rows = "\n".join(map(str, _rows(asked.subjects or list(SUBJECTS), asked.projects.resolve())))
    if asked.subjects:
        print(head + rows)
    else:
        write_section("Agreement", f"{machine()}.\n\n{head}{rows}")


if __name__ == "__main__":
    main()
