"""Apply random edits to a project, and compare what is updated with what is computed anew.

    python bench/random_edits.py --edits 1000 --seed 25 [--tree REPOSITORY]

After each edit, every tool whose measures are kept is asked three times: a server that has seen all
edits, a new process with the same cache, and a process with an empty cache. All three must answer
with the same bytes. Exits with 1 if one does not. The server and the process take turns at being
first: the other finds the results in the cache. `--tree` edits a copy of a repository; there the
third keeps what it knows of each file (of a cache that the others do not use), but no result.
With `--unsaved`, updates are not saved as if every result were a large one, so that processes start
from older results.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from itertools import takewhile
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from benchpin.app import Workbench, configure
from benchpin.core.errors import BenchpinError
from benchpin.memory import _reductions as reductions
from edited_project import CALLS, RandomEdits

_SHOWN = 400


class Answers:
    """The answers of a workbench, and how their measures came about."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made: Counter[str] = Counter()
        self.spent_s = 0.0

    def ask(self, bench: Workbench) -> list[str]:
        """Return the answer of each tool."""
        start = time.process_time()
        found: list[str] = []
        for tool, arguments in CALLS:
            try:
                result = bench.call(tool, **arguments)
            except BenchpinError as error:
                found.append(f"{error.kind}: {error.message}")
            else:
                found.append(result.model_dump_json() + result.to_text())
                measures = result.assurance().measures
                self.made.update(f"{name} {how}" for name, how in measures.items())
        self.spent_s += time.process_time() - start
        return found


def difference(one: str, other: str) -> str:
    """Return where two answers differ."""
    at = sum(1 for _ in takewhile(lambda it: it[0] == it[1], zip(one, other, strict=False)))
    start = max(0, at - _SHOWN // 2)
    return f"    {one[start : start + _SHOWN]!r}\n    {other[start : start + _SHOWN]!r}"


class Comparison:
    """A project that is edited, and three ways to know about it."""

    def __init__(self, folder: Path, tree: Path | None, seed: int) -> None:
        work = folder / "work"
        if tree is None:
            work.mkdir()
        else:
            shutil.copytree(tree, work, symlinks=True)
        self.edits = RandomEdits(work, seed)
        self._kept = configure(root=work, cache_dir=folder / "cache")
        self._empty = configure(root=work, cache_dir=folder / "empty")
        self.is_large = tree is not None
        self._server = Workbench(self._kept)
        self._turn = 0
        self.served, self.process, self.nothing = (
            Answers(name) for name in ("server", "process", "nothing")
        )

    def close(self) -> None:
        """End the server."""
        self._server.close()

    def differences(self) -> list[str]:
        """Ask all three, and return what differs."""
        self._forget()
        with closing(Workbench(self._empty)) as bench:
            expected = self.nothing.ask(bench)
        self._turn += 1
        if self._turn % 2:
            served, again = self._ask_server(), self._ask_process()
        else:
            again, served = self._ask_process(), self._ask_server()
        return [
            f"{tool} {arguments}: {name}\n{difference(answer, right)}"
            for name, found in (("server", served), ("process", again))
            for (tool, arguments), answer, right in zip(CALLS, found, expected, strict=True)
            if answer != right
        ]

    def _ask_server(self) -> list[str]:
        return self.served.ask(self._server)

    def _ask_process(self) -> list[str]:
        with closing(Workbench(self._kept)) as bench:
            return self.process.ask(bench)

    def _forget(self) -> None:
        """Empty the cache of the third; in a large project, facts of files stay."""
        folder = self._empty.settings.cache_dir
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not (self.is_large and path.name.startswith("facts-")):
                path.unlink()


def main() -> int:
    """Return how many answers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--every", type=int, default=1, help="compare after so many edits")
    parser.add_argument("--tree", type=Path)
    parser.add_argument(
        "--unsaved", action="store_true", help="save no updates, as those of large results"
    )
    given = parser.parse_args()
    if given.unsaved:
        reductions.SMALL_BYTES = 0
    different = 0
    with (
        tempfile.TemporaryDirectory(prefix="random-edits-") as folder,
        closing(Comparison(Path(folder), given.tree, given.seed)) as comparison,
    ):
        for number, edit in enumerate(comparison.edits.steps(given.edits), start=1):
            found = [] if number % given.every else comparison.differences()
            different += len(found)
            for it in found:
                print(f"{number}: {edit}: {it}", flush=True)
            if comparison.is_large or number % 50 == 0:
                print(f"{number} edits, {different} differences: {edit}", flush=True)
    print(f"{given.edits} edits, seed {given.seed}: {different} differences")
    for way in (comparison.served, comparison.process, comparison.nothing):
        made = ", ".join(f"{it} {count:,}" for it, count in sorted(way.made.items()))
        print(f"{way.name}, {way.spent_s:.0f} s: {made}")
    return different


if __name__ == "__main__":
    sys.exit(bool(main()))
