"""Measure the file tools beside ripgrep and the official file server, on one tree, in one run.

    python bench/workspace.py PATH

Ripgrep is timed as a command; the servers answer over stdio, and the time is from the request to
the answer. The official server searches names only, so names are what both are asked for there.
It lists everything, with sizes or without; Benchpin always gives kinds, sizes and times, so its
listing of everything is set beside both.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from protocol import Server
from results import help_if_asked, machine, write_section

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from npm_packages import prepare, script

ROUNDS = 25
BLOCKS = 7
PATTERNS = ("def get_queryset", r"\bself\._\w+cache\b", "zzz_nowhere")
RIPGREP = str(Path(sys.executable).with_name("rg"))
EVERYTHING: dict[str, object] = {"path": ".", "include_hidden": True, "include_ignored": True}
OFFICIAL = "@modelcontextprotocol/server-filesystem"

Row = tuple[str, float, float | None, float | None]
"""What was asked, and the milliseconds of Benchpin, ripgrep and the official server."""


def timed(action: Callable[[], object]) -> float:
    """Return the median milliseconds of an action."""
    action()
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds) * 1000


def timed_beside(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Return the median milliseconds of two brief actions, measured in turn."""
    found = [(timed(ours), timed(theirs)) for _ in range(BLOCKS)]
    return statistics.median(one for one, _ in found), statistics.median(two for _, two in found)


def calling(server: Server, tool: str, arguments: dict[str, object]) -> Callable[[], str]:
    """Return an action that calls a tool and checks that it worked."""
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    line = json.dumps(request).encode() + b"\n"

    def call() -> str:
        answer = json.loads(server.ask(line))
        assert not answer["result"].get("isError"), answer
        text: str = answer["result"]["content"][0]["text"]
        return text

    return call


def ripgrep(pattern: str, tree: Path) -> Callable[[], int]:
    """Return an action that searches with ripgrep, ignoring case, on all cores."""
    command = (RIPGREP, "--ignore-case", "--line-number", pattern, ".")

    def search() -> int:
        return len(subprocess.run(command, cwd=tree, capture_output=True, check=False).stdout)

    return search


def main() -> None:
    """Measure the tree that was given."""
    tree = Path(*sys.argv[1:2]).resolve()
    if not sys.argv[1:] or not tree.is_dir():
        sys.exit("Which tree? For example: python bench/workspace.py ~/code/django")
    node = prepare()
    ours = Server([sys.executable, "-m", "benchpin", "serve", "--root", str(tree)])
    official = Server([str(node), str(script(OFFICIAL, "mcp-server-filesystem")), str(tree)])
    rows: list[Row] = []
    for pattern in PATTERNS:
        search = calling(ours, "search_files", {"pattern": pattern, "max_results": 10_000})
        rows.append((f"content `{pattern}`", timed(search), timed(ripgrep(pattern, tree)), None))
    names = calling(
        ours, "search_files", {"pattern": "models", "search_type": "filename", "max_results": 9_999}
    )
    theirs = calling(official, "search_files", {"path": str(tree), "pattern": "**/*models*"})
    rows.append(("names with `models`", timed(names), None, timed(theirs)))
    file = next(place for place in sorted(tree.iterdir()) if place.is_file())
    read = calling(ours, "read_file", {"path": file.name})
    their_read = calling(official, "read_text_file", {"path": str(file)})
    mine, its = timed_beside(read, their_read)
    rows.append((f"read `{file.name}`", mine, None, its))
    listing = calling(ours, "list_directory", EVERYTHING)
    for tool in ("list_directory_with_sizes", "list_directory"):
        mine, its = timed_beside(listing, calling(official, tool, {"path": str(tree)}))
        rows.append((f"list the root, its `{tool}`", mine, None, its))
    default = timed(calling(ours, "list_directory", {"path": "."}))
    rows.append(("list the root, without what is ignored", default, None, None))
    ours.close()
    official.close()
    write_section("Workspace", report(tree, rows))


def report(tree: Path, rows: list[Row]) -> str:
    """Return the table."""
    lines = [
        f"{tree.name}; medians of {ROUNDS} in milliseconds; {machine()}.",
        "",
        "| what | benchpin | ripgrep | official server | benchpin takes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for what, ours, grep, official in rows:
        rival = grep if grep is not None else official
        shown = ["–" if value is None else f"{value:.2f}" for value in (ours, grep, official)]
        ratio = "–" if rival is None else f"{ours / rival:.2f}×"
        lines.append(f"| {what} | {' | '.join(shown)} | {ratio} |")
    return "\n".join(lines)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
