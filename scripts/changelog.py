"""Print what the change log says of a version: `python scripts/changelog.py v0.1.0`.

It fails if the package has another version, or if the change log says nothing of it.
"""

import re
import sys
from pathlib import Path

from benchpin._version import __version__

CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"


def section(text: str, version: str) -> str:
    """Return the text below the heading of a version; empty if there is none."""
    pattern = rf"^## \[?{re.escape(version)}(?![\w.])\]?[^\n]*\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def main(tag: str) -> int:
    """Print the notes of a tag; return how it ended."""
    version = tag.removeprefix("v")
    if version != __version__:
        print(f"The tag {tag} is not that of version {__version__}", file=sys.stderr)
        return 1
    notes = section(CHANGELOG.read_text(encoding="utf-8"), version)
    if not notes:
        print(f"{CHANGELOG.name} says nothing of {version}", file=sys.stderr)
        return 1
    print(notes)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
