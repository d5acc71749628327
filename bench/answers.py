"""How many calls an answer costs: `python bench/answers.py FOLDER`, with clones in FOLDER.

Asks the questions of `answers_questions.toml`, each with one call, and compares with what grep and
reading say. An agent needs one call more for each further page, one to check an answer that does
not reconcile with a plain search for the name, and one to read the code of one that shows none.
Characters are those of the text that the agent reads; time is processor time, warm.
"""

import argparse
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchpin.app import Workbench

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "uses": ("find_references", {"certainty": "possible"}),
    "callers": ("trace_calls", {}),
    "tests": ("find_tests", {}),
    "impact": ("analyze_impact", {}),
}
MAX_PAGES = 8


def main() -> None:
    """Print one line for each question, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="print the answers too")
    options = parser.parse_args()
    asked = tomllib.loads(Path(__file__).with_name("answers_questions.toml").read_text("utf-8"))
    benches: dict[str, Workbench] = {}
    rows = []
    for question in asked["question"]:
        if not question["id"].startswith(options.only):
            continue
        tree = options.folder / question["tree"]
        if question["tree"] not in benches:
            benches[question["tree"]] = bench = Workbench.open(tree)
            bench.call("find_symbol", symbol="main")  # reads the index
        rows.append(ask(benches[question["tree"]], tree, question, show=options.show))
        print(" ".join(f"{name}={value}" for name, value in rows[-1].items()), flush=True)
    calls, right = sum(it["calls"] for it in rows), sum(it["right"] for it in rows)
    chars, cpu = sum(it["chars"] for it in rows), sum(it["cpu_ms"] for it in rows)
    print(f"{len(rows)} questions: {right} right, {calls} calls, {chars:,} characters, {cpu:,} ms")


def ask(bench: Workbench, tree: Path, question: dict[str, Any], *, show: bool) -> dict[str, Any]:
    """Ask one question until all of its truth has been seen; return what it cost."""
    tool, arguments = TOOLS[question["kind"]]
    arguments = {**arguments, "symbol": question["symbol"]}
    if "depth" in question:
        arguments["depth"] = question["depth"]
    bench.call(tool, **arguments)  # warm
    seen: set[str] = set()
    sure: set[str] = set()
    text, pages, cursor, cpu = "", 0, None, 0.0
    wanted = set(question["truth"])
    first: dict[str, Any] = {}
    while pages < MAX_PAGES:
        started = time.process_time()
        result = bench.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        cpu += time.process_time() - started
        dumped = result.model_dump()
        first = first or dumped
        text += result.to_text()
        pages += 1
        for place, is_sure in places(dumped):
            seen.add(place)
            sure |= {place} if is_sure else set()
        cursor = dumped.get("next_cursor")
        if wanted <= seen or cursor is None:
            break
    if show:
        print(text)
    account: dict[str, Any] = first.get("account") or next(iter(first.get("accounts", ())), {})
    reconciles = (account.get("lines"), account.get("files")) == plain(tree, question["symbol"])
    reconciles = reconciles and account.get("unexplained") == 0
    # Of tests, the files are what was asked for.
    has_code = question["kind"] == "tests" or any(row.get("text") for row in rows_of(first))
    return {
        "id": question["id"],
        "right": wanted <= seen and sure.isdisjoint(question.get("not", ())),
        "missing": len(wanted - seen),
        "reconciles": reconciles,
        "calls": pages + (not reconciles) + (not has_code),
        "chars": len(text),
        "cpu_ms": round(1000 * cpu / pages),
    }


def rows_of(value: object) -> Iterator[dict[str, Any]]:
    """Yield every row of a result that names a place."""
    if isinstance(value, dict):
        if "file" in value:
            yield value
        for inner in value.values():
            yield from rows_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from rows_of(inner)


def places(result: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the places and files that a result names, and whether it is sure of them."""
    for row in rows_of(result):
        is_sure = row.get("certainty") == "certain"
        yield row["file"], is_sure
        for line in {row.get("line"), *row.get("lines", ())} - {None}:
            yield f"{row['file']}:{line}", is_sure


def plain(tree: Path, symbol: str) -> tuple[int, int]:
    """Count the lines and files that have a name, as an agent would."""
    name = symbol.rpartition("::")[2].rpartition(".")[2]
    command = ["git", "grep", "-nwIF", name]
    found = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    return len(lines), len({it.partition(":")[0] for it in lines})


if __name__ == "__main__":
    main()
