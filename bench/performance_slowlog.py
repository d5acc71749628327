"""Digest a large slow log beside pt-query-digest: `performance_slowlog.py LOG... [--megabytes N]`.

The log is made of the real ones given, over and over, and never the same text twice where there
are values: each time every number and every quoted word in a statement is another one of the same
length, as are times, row counts and connections. So remembering statements helps no more than it
does in a log of a busy server.
"""

import argparse
import itertools
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from results import machine, write_section

_EVENT = re.compile(rb"(?<=;\n)(?=# (?:Time: [0-9]|User@Host: \w+\[\w+\] @ localhost))")
_NUMBER = re.compile(rb"(?<![\w.`])\d+(?![\w`])")
_WORD = re.compile(rb"(?<=')[A-Za-z][A-Za-z ]{2,}(?=')")
_THREAD = re.compile(rb"((?:Thread_id|Id): +)(\d+)")
_TIMES = re.compile(rb"(Query_time: \d+\.)(\d{6})")
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_OURS = """
import json, resource, sys, time
from pathlib import Path
from benchpin.core import Job
from benchpin.engines.profiles.slowlog.reading import read_slow_log
began = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    log = read_slow_log(file, Path(sys.argv[1]).stat().st_size, Job(), workers=int(sys.argv[2]))
wall = time.perf_counter() - began
own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps({
    "wall_s": wall, "rss_kb": [own, child], "events": log.events, "total_us": log.total_time_us,
    "classes": [[it.query_id, it.count, it.total_time_us] for it in log.classes],
}))
"""


@dataclass(frozen=True)
class Run:
    """What one run took and found."""

    wall_s: float
    rss_mb: float
    events: int
    total_us: int
    classes: dict[str, tuple[int, int]]


def events_of(logs: list[Path]) -> list[bytes]:
    """Return the events of real logs, without banners."""
    return [
        event
        for log in logs
        for event in _EVENT.split(log.read_bytes())
        if b"\n# Query_time: " in event and event.endswith(b";\n")
    ]


def varied(events: list[bytes], seed: int) -> Iterator[bytes]:
    """Yield the events with other values, for ever."""
    rng = random.Random(seed)  # noqa: S311 - no secret is made of it

    def number(found: re.Match[bytes]) -> bytes:
        digits = len(found[0])
        return b"%0*d" % (digits, rng.randrange(10 ** (digits - 1), 10**digits))

    def word(found: re.Match[bytes]) -> bytes:
        return bytes(rng.choices(_LETTERS, k=len(found[0])))

    for lap in itertools.count():
        for event in events:
            header, middle, sql = event.rpartition(b"SET timestamp=")
            stamp, semicolon, sql = sql.partition(b";\n")
            header = _THREAD.sub(partial(_renumbered, lap), header)
            header = _TIMES.sub(lambda it: it[1] + b"%06d" % rng.randrange(1, 40_000), header)
            yield b"".join(
                (header, middle, stamp, semicolon, _WORD.sub(word, _NUMBER.sub(number, sql)))
            )


def _renumbered(lap: int, thread: re.Match[bytes]) -> bytes:
    return thread[1] + b"%d" % (int(thread[2]) + 1000 * lap)


def make_log(logs: list[Path], place: Path, size: int) -> int:
    """Write a log of about this size; return its size."""
    written = 0
    with place.open("wb") as file:
        for event in varied(events_of(logs), seed=8):
            written += file.write(event)
            if written >= size:
                return written
    return written


def run_ours(log: Path, workers: int) -> Run:
    """Digest with so many processes."""
    answer = subprocess.run(
        [sys.executable, "-c", _OURS, str(log), str(workers)],
        check=True,
        capture_output=True,
    )
    found = json.loads(answer.stdout)
    return Run(
        wall_s=found["wall_s"],
        rss_mb=(found["rss_kb"][0] + (found["rss_kb"][1] if workers > 1 else 0)) / 1024,
        events=found["events"],
        total_us=found["total_us"],
        classes={key: (count, total) for key, count, total in found["classes"]},
    )


def run_rival(log: Path) -> Run:
    """Digest with pt-query-digest, all classes."""
    began = time.perf_counter()
    answer = subprocess.run(
        [
            str(shutil.which("pt-query-digest")),
            "--limit",
            "100%",
            "--output",
            "json",
            "--no-report-histogram",
            str(log),
        ],
        check=True,
        capture_output=True,
    )
    wall_s = time.perf_counter() - began
    found = json.loads(answer.stdout)
    classes = {
        it["checksum"]: (it["query_count"], round(float(it["metrics"]["Query_time"]["sum"]) * 1e6))
        for it in found["classes"]
    }
    return Run(
        wall_s=wall_s,
        rss_mb=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        events=sum(count for count, _ in classes.values()),
        total_us=sum(total for _, total in classes.values()),
        classes=classes,
    )


def main() -> None:
    """Make the log, digest it three times and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "slow.log"
        size = make_log(given.logs, log, given.megabytes << 20)
        log.read_bytes()
        theirs = run_rival(log)
        one = run_ours(log, 1)
        two = run_ours(log, 2)
    assert one.classes == two.classes, "two processes differ from one"
    same = sum(one.classes.get(key) == value for key, value in theirs.classes.items())
    write_section(
        "Slow log",
        f"{size / 1e6:.0f} MB, {one.events} events, {len(one.classes)} classes, every value varied "
        f"({machine()}).\n\n"
        "| | wall | MB/s | times faster | resident |\n| --- | --- | --- | --- | --- |\n"
        f"| pt-query-digest | {theirs.wall_s:.1f} s | {size / 1e6 / theirs.wall_s:.1f} | 1 | "
        f"{theirs.rss_mb:.0f} MB |\n"
        f"| one process | {one.wall_s:.1f} s | {size / 1e6 / one.wall_s:.1f} | "
        f"{theirs.wall_s / one.wall_s:.1f} | {one.rss_mb:.0f} MB |\n"
        f"| two processes | {two.wall_s:.1f} s | {size / 1e6 / two.wall_s:.1f} | "
        f"{theirs.wall_s / two.wall_s:.1f} | {two.rss_mb:.0f} MB |\n\n"
        f"{same} of pt-query-digest's {len(theirs.classes)} classes are equal in id, count and "
        f"time; events {one.events} and {theirs.events}.",
    )


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    main()
