"""Fail when a file is longer than a person reads in one sitting."""

import sys
from pathlib import Path

LIMIT = 400
FOLDERS = ("src", "tests", "bench", "scripts")


def main() -> int:
    """Name every file over the limit."""
    root = Path(__file__).parent.parent
    too_long = [
        (place, length)
        for folder in FOLDERS
        for place in sorted((root / folder).rglob("*.py"))
        if (length := len(place.read_text(encoding="utf-8").splitlines())) > LIMIT
    ]
    for place, length in too_long:
        print(f"{place.relative_to(root)} has {length} lines; the limit is {LIMIT}")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
