"""Print where the walk was loaded from, and a digest of the facts of each file in some folders.

The same files must give the same digests, whether the walk is compiled or not.
"""

import hashlib
import json
import sys
from pathlib import Path

from benchpin.facts.languages import detect_language
from benchpin.facts.parsing import _walker as walker
from benchpin.facts.workers._worker import encode


def main(folders: list[str]) -> None:
    """Print `[file of the walk, {path: digest}]` as JSON."""
    found = {}
    for folder in folders:
        for place in sorted(Path(folder).rglob("*.*")):
            language = detect_language(place.name, place.read_bytes) if place.is_file() else None
            if language:
                facts = b"".join(encode(place.read_bytes(), language).values())
                found[str(place)] = hashlib.sha256(facts).hexdigest()
    print(json.dumps([walker.__file__, found]))


if __name__ == "__main__":
    main(sys.argv[1:])
