"""Measure the comments: 50,000 of them in 5,000 files, searched and read over stdio.

    python bench/comments.py

The time is from the request to the answer. Ripgrep, where it is installed, searches the same files
of comments for the same pattern; it neither parses JSON nor finds the present lines.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from benchpin.comments import CommentStore, NewComment
from benchpin.comments.anchoring import TrackedText, make_anchor
from benchpin.core.calls import Job
from protocol import Server
from results import help_if_asked, machine, write_section

FILES = 5_000
COMMENTS = 10
ROUNDS = 15
RIPGREP = Path(sys.executable).with_name("rg")
QUERIES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "a word that occurs once": ("needle in file 4321", {}),
    "a word that occurs 5,000 times": ("review the [a-z]+ path 7", {}),
    "everything": (".", {}),
    "everything with a tag, in a folder": (".", {"tag": "FIXME", "filePath": "pkg7/**"}),
    "nothing": ("zzz_nowhere", {}),
}


def make_workspace(root: Path) -> None:
    """Write files and comments about them."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store = CommentStore(root)
    for number in range(FILES):
        path = PurePosixPath(f"pkg{number % 50}/module{number}.py")
        lines = [f"value_{number}_{line} = {line}" for line in range(100)]
        text = "\n".join(lines).encode() + b"\n"
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text)
        document = TrackedText(text)
        with store.editing([path], Job()) as [editor]:
            for at in range(COMMENTS):
                said = f"review the slow path {at}: needle in file {number}, if that was it"
                if at:
                    said = said.replace("needle", "straw")
                tag = ("TODO", "FIXME", "NOTE")[at % 3]
                anchor = make_anchor(document, 1 + at * 9)
                editor.add(NewComment(said, tag, "ann"), document, anchor, now)


def asking(server: Server, method: str, params: dict[str, object]) -> Callable[[], object]:
    """Return an action that asks a server and checks that it answers."""
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    line = json.dumps(request).encode() + b"\n"

    def ask() -> object:
        answer = json.loads(server.ask(line))
        assert "error" not in answer, answer
        assert not answer["result"].get("isError"), answer
        return answer["result"]

    return ask


def timed(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median milliseconds of an action."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds) * 1000


def ripgrep(query: str, root: Path) -> Callable[[], object]:
    """Return an action that looks for the same words in the files of comments."""
    command = (str(RIPGREP), "--ignore-case", "--glob", "*.comments", query, ".")
    return lambda: subprocess.run(command, cwd=root, capture_output=True, check=False)


def main() -> None:
    """Measure, and write it down."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_workspace(root)
        time.sleep(2.5)  # what was written just now is read again to be sure
        server = Server([sys.executable, "-m", "benchpin", "serve", "--root", str(root)])
        lines = ["| what | Benchpin, ms | ripgrep, ms |", "| --- | --- | --- |"]
        first = asking(server, "tools/call", _search("needle in file 1,", {}))
        lines.append(f"| the first search, from disk | {timed(first, 1):,.0f} | – |")
        for name, (query, filters) in QUERIES.items():
            action = asking(server, "tools/call", _search(query, filters))
            action()
            rival = f"{timed(ripgrep(query, root), 3):,.0f}" if RIPGREP.exists() else "–"
            lines.append(f"| {name} | {timed(action):,.1f} | {rival} |")
        page = asking(server, "resources/read", {"uri": "comment://workspace/all"})
        page()
        lines.append(f"| a page of `comment://workspace/all` | {timed(page):,.1f} | – |")
        server.close()
    text = f"{FILES * COMMENTS:,} comments in {FILES:,} files; {machine()}.\n\n"
    write_section("Comments", text + "\n".join(lines))


def _search(query: str, filters: Mapping[str, object]) -> dict[str, object]:
    return {"name": "search_comments", "arguments": {"query": query, "filters": filters}}


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
