"""Count the functions and files of Benchpin that six calls run through, once they are warm.

    python bench/journeys.py            # as `make check` runs it: fails when one is longer
    python bench/journeys.py --record   # also writes the section of results.md

A reader who follows a call has to open about as many. Each function counts once, however often it
runs; comprehensions and lambdas do not count.
"""

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import benchpin
from benchpin.app import Workbench
from benchpin.server import Kernel
from results import help_if_asked, write_section
from wire import Wire

Edit = Callable[[], None]
SOURCE = str(Path(benchpin.__file__).parent)
# Files that were just written are read again in every call; wait until they are old.
SETTLED_S = 2.5
# The longest allowed journeys, in functions and files. They may only get shorter; the aims are
# 130 in 35 for the first, 350 in 70 for the review and 300 in 60 for comments after an edit.
RECORDED = {
    "analyze_complexity": (187, 46),
    "quality_gate diff=HEAD": (389, 75),
    "add_comment": (271, 55),
    "get_file_comments": (217, 53),
    "get_file_comments after an edit": (375, 75),
    "review_change": (654, 133),
}
# Functions more or less from run to run, with what a thread has finished when it is asked.
VARIES = 2
# Other threads add some on a busy machine, so the shortest of this many runs counts.
MAX_RUNS = 3
CODE = "def f(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(15))


class Journey:
    """The functions that were entered while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.functions: set[tuple[str, str]] = set()

    def enter(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note a function of Benchpin; for `sys.setprofile`."""
        code = frame.f_code
        is_named = not code.co_qualname.rpartition(".")[2].startswith("<")
        if self.is_on and event == "call" and is_named and code.co_filename.startswith(SOURCE):
            self.functions.add((code.co_filename, code.co_qualname))

    async def count(self, call: Callable[[], Awaitable[object]], edit: Edit) -> tuple[int, int]:
        """Run a call, edit, and return what the same call enters now."""
        await call()
        edit()
        self.functions.clear()
        self.is_on = True
        await call()
        self.is_on = False
        return len(self.functions), len({file for file, _ in self.functions})


def make_repository(root: Path) -> None:
    """Commit one file."""
    (root / "a.py").write_text(CODE, encoding="utf-8")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=root, check=True)  # noqa: S607 - on the path


def edit_a_line(root: Path) -> None:
    """Add a line above the code, as an editor saves it."""
    place = root / "a.py"
    place.write_text("# More.\n" + place.read_text(encoding="utf-8"), encoding="utf-8")


async def count_all(root: Path) -> dict[str, tuple[int, int]]:
    """Count the journeys on a repository of one file."""
    journey = Journey()
    threading.setprofile(journey.enter)
    sys.setprofile(journey.enter)
    make_repository(root)
    wire = Wire(Kernel(Workbench.open(root, cache_dir=root / ".cache")))
    await wire.handshake()
    await asyncio.sleep(SETTLED_S)
    add = {"filePath": "a.py", "line": 1, "text": "Why?", "tag": "QUESTION"}
    calls: dict[str, tuple[Callable[[], Awaitable[object]], Edit]] = {
        "analyze_complexity": (lambda: wire.call("analyze_complexity"), no_edit),
        "quality_gate diff=HEAD": (lambda: wire.call("quality_gate", diff="HEAD"), no_edit),
        "add_comment": (lambda: wire.call("add_comment", **add), no_edit),
        "get_file_comments": (lambda: wire.call("get_file_comments", filePath="a.py"), no_edit),
        "get_file_comments after an edit": (
            lambda: wire.call("get_file_comments", filePath="a.py"),
            lambda: edit_a_line(root),
        ),
        "review_change": (lambda: wire.call("review_change"), lambda: edit_a_line(root)),
    }
    counted = {name: await journey.count(*it) for name, it in calls.items()}
    sys.setprofile(None)
    threading.setprofile(None)
    await wire.close()
    return counted


def no_edit() -> None:
    """Leave everything as it is."""


def longer_than_recorded(counted: Mapping[str, tuple[int, int]]) -> list[str]:
    """Say which journeys are longer than the table allows."""
    return [
        f"{name}: {many} functions in {files} files; recorded are {RECORDED[name]}. Call fewer, or "
        "raise the numbers in bench/journeys.py and say why in the commit."
        for name, (many, files) in counted.items()
        if many > RECORDED[name][0] + VARIES or files > RECORDED[name][1]
    ]


def main() -> int:
    """Print the journeys, and fail when one is longer than recorded."""
    counted: dict[str, tuple[int, int]] = {}
    for _ in range(MAX_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            run = asyncio.run(count_all(Path(folder)))
        counted = {name: min(run[name], counted.get(name, run[name])) for name in run}
        if not longer_than_recorded(counted):
            break
    rows = ["| call | functions | files |", "| --- | --: | --: |"]
    rows += (f"| {name} | {many} | {files} |" for name, (many, files) in counted.items())
    if "--record" in sys.argv[1:]:
        about = "Functions and files that a warm call runs through, over the wire, on one file:"
        write_section("Journeys", "\n".join((about, "", *rows)))
    else:
        print(*rows, sep="\n")
    longer = longer_than_recorded(counted)
    print(*longer, sep="\n", end="\n" if longer else "")
    return 1 if longer else 0


if __name__ == "__main__":
    help_if_asked(__doc__)
    sys.exit(main())
