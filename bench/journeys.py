"""Count the functions and files of Benchpin that three calls run through, once they are warm.

    python bench/journeys.py

A reader who follows a call has to open about as many. Each function counts once, however often it
runs; comprehensions and lambdas do not count.
"""

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import benchpin
from benchpin.app import Workbench
from benchpin.server import Kernel
from wire import Wire

SOURCE = str(Path(benchpin.__file__).parent)
SETTLED_S = 2.5
"""Files that were just written are read again in every call; wait until they are old."""
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

    async def count(self, name: str, call: Callable[[], Awaitable[object]]) -> None:
        """Run a call twice and print what the second one enters."""
        await call()
        self.functions.clear()
        self.is_on = True
        await call()
        self.is_on = False
        files = {file for file, _ in self.functions}
        print(f"{name:40} {len(self.functions):4} functions in {len(files):3} files")


def make_repository(root: Path) -> None:
    """Commit one file."""
    (root / "a.py").write_text(CODE, encoding="utf-8")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=root, check=True)  # noqa: S607 - on the path


async def main() -> None:
    """Count the three journeys on a repository of one file."""
    journey = Journey()
    threading.setprofile(journey.enter)
    sys.setprofile(journey.enter)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_repository(root)
        wire = Wire(Kernel(Workbench.open(root, cache_dir=root / ".cache")))
        await wire.handshake()
        await asyncio.sleep(SETTLED_S)
        add = {"filePath": "a.py", "line": 1, "text": "Why?", "tag": "QUESTION"}
        await journey.count("analyze_complexity", lambda: wire.call("analyze_complexity"))
        await journey.count(
            "quality_gate diff=HEAD", lambda: wire.call("quality_gate", diff="HEAD")
        )
        await journey.count("add_comment", lambda: wire.call("add_comment", **add))
        await journey.count(
            "get_file_comments", lambda: wire.call("get_file_comments", filePath="a.py")
        )
        await wire.close()


if __name__ == "__main__":
    asyncio.run(main())
