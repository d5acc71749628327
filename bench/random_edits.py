"""Apply random edits to a small project, and compare what is updated with what is computed anew.

`python bench/random_edits.py [EDITS] [SEED]`: after each edit, every tool whose measures are kept
is asked three times: a server that has seen all edits, a new process with the same cache, and a
process with an empty cache. All three must answer the same. Exits with 1 if one does not.
"""

import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from benchpin.app import Workbench, configure
from benchpin.core import BenchpinError
from edited_project import CALLS, RandomEdits

EDITS = 1_000
SEED = 25


def answers(bench: Workbench, made: Counter[str]) -> list[object]:
    """Return the answer of each tool, and count how its measures came about."""
    found: list[object] = []
    for tool, arguments in CALLS:
        try:
            result = bench.call(tool, **arguments)
        except BenchpinError as error:
            found.append((error.kind, error.message))
        else:
            found.append(result.model_dump())
            made.update(f"{name} {how}" for name, how in result.assurance().measures.items())
    return found


def main(edits: int, seed: int) -> int:
    """Return how many answers differ."""
    different = 0
    made: dict[str, Counter[str]] = {name: Counter() for name in ("server", "process", "nothing")}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        project = RandomEdits(work, seed)
        kept = configure(root=work, cache_dir=Path(folder, "cache"))
        with closing(Workbench(kept)) as server:
            for number, edit in enumerate(project.steps(edits), start=1):
                served = answers(server, made["server"])
                with closing(Workbench(kept)) as process:
                    again = answers(process, made["process"])
                with tempfile.TemporaryDirectory() as empty:
                    nothing = configure(root=work, cache_dir=Path(empty))
                    with closing(Workbench(nothing)) as process:
                        expected = answers(process, made["nothing"])
                for (tool, arguments), *three in zip(CALLS, served, again, expected, strict=True):
                    if three[0] != three[2] or three[1] != three[2]:
                        different += 1
                        print(f"{number}: {edit}: {tool} {arguments} differs")
                if number % 50 == 0:
                    print(f"{number} edits, {different} differences", flush=True)
    print(f"{edits} edits, seed {seed}: {different} differences")
    for name, counts in made.items():
        print(f"{name}: " + ", ".join(f"{it} {count:,}" for it, count in sorted(counts.items())))
    return different


if __name__ == "__main__":
    given = [int(it) for it in sys.argv[1:]]
    sys.exit(bool(main(*given, *(EDITS, SEED)[len(given) :])))
