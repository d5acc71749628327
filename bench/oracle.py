"""Hold the behaviour of Benchpin while its inside is moved: record every answer, then compare.

    python bench/oracle.py record FILE [--case CASE]... [--only TOOL]...
    python bench/oracle.py check FILE [--only TOOL]... [--benchpin COMMAND]

It asks every tool that reads, over stdio and the command line, about a part of this repository at
one commit, about pinned public packages, and after random edits, where a warm server must say what
one that starts from nothing says. bench/oracle.md tells how to use it.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from oracle_run import Answer, Run
from oracle_server import Surroundings

DIGITS = 20  # of a SHA-256: enough, and the file of digests stays small
MAX_LINES = 40
MAX_WIDTH = 200
WARM = "=== A WARM SERVER SAYS:"


class Outputs:
    """The whole answers, by their digest, outside the repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def store(self, text: str) -> str:
        """Keep a text and return its digest."""
        encoded = text.encode("utf-8", "surrogateescape")
        digest = hashlib.sha256(encoded).hexdigest()[:DIGITS]
        place = self._place(digest)
        if not place.exists():
            place.write_bytes(gzip.compress(encoded, 1, mtime=0))
        return digest

    def read(self, digest: str) -> str | None:
        """Return a text, if it was recorded here."""
        place = self._place(digest)
        if not place.exists():
            return None
        return gzip.decompress(place.read_bytes()).decode("utf-8", "surrogateescape")

    def _place(self, digest: str) -> Path:
        return self._folder / f"{digest}.gz"


def record(file: Path, answers: Iterator[Answer], outputs: Outputs, *, is_part: bool) -> int:
    """Write the digests; those of a part replace the ones in the file."""
    found: dict[str, str] = _recorded(file) if is_part else {}
    count = wrong = 0
    for case, text in answers:
        found[case] = outputs.store(text)
        count += 1
        if WARM in text:
            wrong += 1
            print(f"{case}: a warm server and one that starts from nothing differ")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
    print(f"{count:,} cases recorded, {wrong} of them wrong")
    return wrong


def check(file: Path, answers: Iterator[Answer], outputs: Outputs, *, is_part: bool) -> int:
    """Print what differs from the record, and return how much does."""
    expected = _recorded(file)
    count = different = 0
    seen: set[str] = set()
    for case, text in answers:
        count += 1
        seen.add(case)
        digest = outputs.store(text)
        if digest != expected.get(case):
            different += 1
            print(f"\n### {case}", flush=True)
            _print_difference(expected.get(case), text, outputs)
    missing = [] if is_part else [case for case in expected if case not in seen]
    for case in missing:
        print(f"\n### {case}\nis recorded, and was not asked")
    print(f"\n{count:,} cases, {different + len(missing)} differ")
    return different + len(missing)


def _recorded(file: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def _print_difference(digest: str | None, text: str, outputs: Outputs) -> None:
    if digest is None:
        print("is not in the record")
        return
    before = outputs.read(digest)
    if before is None:
        print(f"differs; the recorded answer {digest} is not in the folder of outputs")
        return
    pair = (before.split("\n"), text.split("\n"))
    lines = difflib.unified_diff(*pair, "recorded", "now", lineterm="", n=1)
    for line in islice(lines, MAX_LINES):
        print(line if len(line) <= MAX_WIDTH else f"{line[:MAX_WIDTH]}…")
    left = sum(1 for _ in lines)
    if left:
        print(f"… {left} more lines")


def main() -> int:
    """Run it, and return 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=("record", "check"))
    parser.add_argument("file", type=Path, help="the digests, in JSON")
    parser.add_argument("--only", action="append", default=[], metavar="TOOL")
    parser.add_argument("--tree", action="append", default=[], help="only this workspace")
    parser.add_argument("--case", action="append", default=[], help="only this case, by its name")
    command = Path(sys.executable).with_name("benchpin")
    parser.add_argument("--benchpin", type=Path, default=command, help="the command to ask")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "benchpin-oracle",
        help="where packages and whole answers are kept",
    )
    given = parser.parse_args()

    def wants(case: str) -> bool:
        workspace, rest = case.split(" ", 1)
        tool = rest.split(" ", 1)[0]
        is_case = not given.case or any(
            case == it or it.startswith(f"{case} as ") for it in given.case
        )
        return (
            is_case
            and (not given.tree or workspace in given.tree)
            and (not given.only or tool in given.only)
        )

    is_part = bool(given.only or given.tree or given.case)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="benchpin-oracle-") as folder:
        around = Surroundings(given.benchpin.absolute(), Path(folder).resolve() / "run")
        run = Run(around, given.cache / "trees", wants)
        act = record if given.action == "record" else check
        wrong = act(given.file, run.answers(), Outputs(given.cache / "outputs"), is_part=is_part)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime
    print(f"{time.monotonic() - start:.0f} s, {spent:.0f} s of processor time")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
