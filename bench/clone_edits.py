"""Apply random edits to a small project full of clones; compare updated searches with new ones.

    python bench/clone_edits.py [EDITS] [SEED]

All types of clones, with and without small functions, with the usual number of neighbours in a
bucket and with two, so that buckets are full. Every fifth search starts as a new process does.
Exits with 1 if a search differs.
"""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from benchpin.measures.clones import _minhash as minhash
from edited_clones import OPTIONS, different
from results import help_if_asked

EDITS = 1_000
SEED = 25


def main(edits: int, seed: int) -> int:
    """Return after how many edits the results differ."""
    total = 0
    ways = [(options, full) for options in OPTIONS for full in (minhash.NEIGHBOURS, 2)]
    for number, (options, full) in enumerate(ways):
        minhash.NEIGHBOURS = full
        with tempfile.TemporaryDirectory() as folder:
            found = different(Path(folder), seed + number, edits // len(ways), options)
        print(f"{options.minimum}, {full} neighbours: {edits // len(ways)} edits, differs: {found}")
        total += len(found)
    return total


if __name__ == "__main__":
    help_if_asked(__doc__)
    given = [int(it) for it in sys.argv[1:]]
    sys.exit(bool(main(*given, *(EDITS, SEED)[len(given) :])))
