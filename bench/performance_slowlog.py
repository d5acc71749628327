"""Digest a large slow log beside pt-query-digest: `performance_slowlog.py LOG... [--megabytes N]`.

The log is made of the real ones given, over and over: once as they are, and once so that no text
comes twice where there are values. There every number and every quoted word in a statement is
another one of the same length, as are times, row counts and connections, so that remembering
statements helps no more than it does in a log of a busy server.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from results import machine, write_section

_EVENT = re.compile(rb"(?<=;\n)(?=# (?:Time: [0-9]|User@Host: \w+\[\w+\] @ localhost))")
_NUMBER = re.compile(rb"(?<![\w.`])\d+(?![\w`])")
_WORD = re.compile(rb"(?<=')[A-Za-z][A-Za-z ]{2,}(?=')")
_THREAD = re.compile(rb"((?:Thread_id|Id): +)(\d+)")
_TIMES = re.compile(rb"(Query_time: \d+\.)(\d{6})")
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_OURS = """
import json, sys
from pathlib import Path
from benchpin.core.calls import Job
from benchpin.performance.slowlog import read_slow_log
place = Path(sys.argv[1])
with place.open("rb") as file:
    log = read_slow_log(file, place.stat().st_size, Job(), workers=int(sys.argv[2]))
print(json.dumps([[it.query_id, it.count, it.total_time_us] for it in log.classes]))
"""

Classes = dict[str, tuple[int, int]]
"""Count and microseconds by id."""


@dataclass(frozen=True)
class Run:
    """What one run took and found."""

    wall_s: float
    cpu_s: float
    """Of all its processes: what counts where others are at work on the machine."""
    rss_mb: float
    """The most that all its processes held at a time."""
    output: bytes


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


def repeat(logs: list[Path], place: Path, size: int) -> None:
    """Write the logs as they are, one after the other, until there is enough."""
    contents = [log.read_bytes() for log in logs]
    with place.open("wb") as file:
        for content in itertools.cycle(contents):
            file.write(content)
            if file.tell() >= size:
                return


def run(command: list[str]) -> Run:
    """Run a program from its start to its end."""
    began, spent, most = time.perf_counter(), sum(os.times()[2:4]), 0
    with tempfile.TemporaryFile() as output:
        process = psutil.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            most = max(most, resident(process))
            time.sleep(0.02)
        wall_s, cpu_s = time.perf_counter() - began, sum(os.times()[2:4]) - spent
        assert process.returncode == 0, command
        output.seek(0)
        return Run(wall_s, cpu_s, most / 1e6, output.read())


def resident(process: psutil.Popen) -> int:
    """Return the bytes that a process and its children hold."""
    held = 0
    for one in (process, *process.children()):
        with suppress(psutil.Error):
            held += one.memory_info().rss
    return held


def our_classes(output: bytes) -> Classes:
    """Read what our program printed."""
    return {key: (count, total) for key, count, total in json.loads(output)}


def their_classes(output: bytes) -> Classes:
    """Read what pt-query-digest printed."""
    return {
        it["checksum"]: (it["query_count"], round(float(it["metrics"]["Query_time"]["sum"]) * 1e6))
        for it in json.loads(output)["classes"]
    }


def measure(log: Path, how: str) -> str:
    """Digest one log with every reader, and return the report of it."""
    size = log.stat().st_size
    rival = [str(shutil.which("pt-query-digest")), "--limit", "100%", "--output", "json"]
    theirs = run([*rival, str(log)])
    one = run([sys.executable, "-c", _OURS, str(log), "1"])
    two = run([sys.executable, "-c", _OURS, str(log), "2"])
    assert one.output == two.output, "two processes differ from one"
    ours, wanted = our_classes(one.output), their_classes(theirs.output)
    same = sum(ours.get(key) == value for key, value in wanted.items())
    events, counted = (sum(it[0] for it in found.values()) for found in (ours, wanted))
    return (
        f"{how}: {size / 1e6:.0f} MB, {events} events, {len(ours)} classes.\n\n"
        "| | wall | processor | MB/s | times faster | resident |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        + "".join(
            f"| {name} | {run.wall_s:.1f} s | {run.cpu_s:.1f} s | {size / 1e6 / run.wall_s:.1f} |"
            f" {theirs.wall_s / run.wall_s:.1f} | {run.rss_mb:.0f} MB |\n"
            for name, run in (
                ("pt-query-digest", theirs),
                ("one process", one),
                ("two processes", two),
            )
        )
        + f"\n{same} of pt-query-digest's {len(wanted)} classes are equal in id, count and "
        f"time; events {events} and {counted}."
    )


def main() -> None:
    """Make both logs, measure, and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--megabytes", type=int, default=150)
    given = parser.parse_args()
    size = given.megabytes << 20
    with tempfile.TemporaryDirectory() as folder:
        same, other = Path(folder, "same.log"), Path(folder, "other.log")
        repeat(given.logs, same, size)
        make_log(given.logs, other, size)
        reports = [
            measure(same, "The logs given, over and over"),
            measure(other, "The same, with every value another"),
        ]
    write_section("Slow log", "\n\n".join([f"{machine()}.", *reports]))


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    main()
