"""Compare our measures with those of a reference tool: `python bench/agree.py radon PATH...`."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from agreement.table import Missing

REFERENCES = (
    "eslint",
    "lizard",
    "pmccabe",
    "radon",
    "rust_code_analysis",
    "sonar",
    "sonarjs",
)


def main() -> None:
    """Compare one project after the other, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference", choices=REFERENCES)
    parser.add_argument("projects", nargs="+", type=Path, metavar="PATH")
    asked = parser.parse_args()
    compare = import_module(f"agreement.against_{asked.reference}").compare
    try:
        for project in asked.projects:
            for tally in compare(project.resolve()):
                tally.show()
    except Missing as reason:
        sys.exit(str(reason))


if __name__ == "__main__":
    main()
