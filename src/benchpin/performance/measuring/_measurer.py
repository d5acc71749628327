"""Run a command on two states of a project in turns, until the difference is clear.

This file is sent into the sandbox as text, behind those that it imports, and runs there without
Benchpin.

The two states are the folders `before` and `after`. The one whose turn it is, is renamed to `now`:
both run at the same path, so that neither the length of the path nor what a program derives from it
differs, and what compilers keep beside the sources stays valid.
"""

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn, TypedDict

from ._deciding import LOOKS, decide, is_settled
from ._one_run import MAX_OUTPUT_BYTES, TAIL_BYTES, EndedRun, adopt_orphans, run_once

SIDES = ("before", "after")
_NOW = "now"
# A run that takes this many times as long as the longest before it hangs.
_HANG_FACTOR, _MIN_HANG_S = 10.0, 20.0
_COLLECTED = re.compile(r"Collected\s*:\s*(\d+)")


class MeasuringPlan(TypedDict):
    """What to run, and for how long."""

    argv: list[str]
    prepare: list[str]
    folder: str
    """Relative to the project."""
    environment: dict[str, str]
    path: list[str]
    measure: str
    """`cpu`, `wall` or `instructions`."""
    min_share: float
    deadline: float
    mark: str


class RunMeasured(TypedDict):
    """What one run took; times in microseconds."""

    cpu_us: int
    wall_us: int
    queued_us: int
    """How long it waited for a processor."""
    peak_bytes: int
    instructions: int
    exit_code: int
    digest: str
    left: int
    """Processes that it left running, which were ended."""


class StoppedShort(Exception):
    """Measuring cannot go on; the first word says which side, the second why."""

    def __init__(self, kind: str, side: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.side, self.text = kind, side, text


def main(text: str) -> NoReturn:
    plan: MeasuringPlan = json.loads(text)
    os.environ["PATH"] = os.pathsep.join([*plan["path"], os.environ.get("PATH", os.defpath)])
    os.environ.update(plan["environment"])
    measuring = _Measuring(plan)
    problem: dict[str, str] = {}
    try:
        measuring.run()
    except StoppedShort as found:
        problem = {"kind": found.kind, "side": found.side, "text": found.text}
    except OSError as error:
        named = f"{error.filename or plan['argv'][0]}: {error.strerror}"
        problem = {"kind": "not_started", "side": "", "text": named}
    ending = {
        "runs": measuring.runs,
        "counter": measuring.counter,
        "difference": measuring.difference,
        "problem": problem,
    }
    sys.stdout.buffer.write(f"\n{plan['mark']}{json.dumps(ending)}\n".encode())
    sys.stdout.buffer.flush()
    sys.exit(0)


class _Measuring:
    """The runs of both sides, in turns."""

    def __init__(self, plan: MeasuringPlan) -> None:
        self._plan = plan
        self._base = Path.cwd()
        self._chance = random.SystemRandom()
        self._longest_s = 0.0
        self._first: dict[str, list[bytes]] = {}
        self.runs: dict[str, list[RunMeasured]] = {side: [] for side in SIDES}
        self.counter = ""
        self.difference: list[str] = []
        """The first line of the outputs that differs, before and after."""
        adopt_orphans()

    def run(self) -> None:
        if shutil.which(self._plan["argv"][0]) is None and "/" not in self._plan["argv"][0]:
            raise StoppedShort("not_found", "", self._plan["argv"][0])
        if self._plan["measure"] == "instructions":
            self.counter = _counter()
        for side in SIDES:
            self._warm_up(side)
        self._compare_outputs()
        is_exact = self._plan["measure"] == "instructions"
        looks = (*range(3, 11), *LOOKS) if is_exact else LOOKS
        while len(self.runs["before"]) < LOOKS[-1] and self._has_time():
            self._pair()
            if len(self.runs["before"]) in looks and self._is_settled(is_exact=is_exact):
                return

    def _warm_up(self, side: str) -> None:
        """Run once without counting: files are read and code is compiled the first time."""
        if self._plan["prepare"]:
            _, ended = self._once(self._plan["prepare"], side, "0")
            if ended.code:
                raise StoppedShort("not_prepared", side, _ending(ended))
        ran, ended = self._once(self._plan["argv"], side, "0")
        if ran["exit_code"]:
            raise StoppedShort("failed", side, _ending(ended))
        self._first[side] = ended.lines
        self._longest_s = max(self._longest_s, ran["wall_us"] / 1e6)

    def _pair(self) -> None:
        # The order is drawn: whatever the machine does, it is as likely to disturb either side.
        order = self._chance.sample(SIDES, 2)
        seed = str(self._chance.randrange(1, 1 << 32))
        taken = {}
        for side in order:
            ran, ended = self._once(self._plan["argv"], side, seed)
            if ran["exit_code"]:
                raise StoppedShort("flaky", side, _ending(ended))
            taken[side] = ran
        for side in SIDES:
            self.runs[side].append(taken[side])
        self._longest_s = max([self._longest_s, *(it["wall_us"] / 1e6 for it in taken.values())])

    def _has_time(self) -> bool:
        return time.monotonic() + 2 * self._longest_s < self._plan["deadline"]

    def _is_settled(self, *, is_exact: bool) -> bool:
        name = "instructions" if is_exact else f"{self._plan['measure']}_us"
        first, second = (
            [float(it[name]) for it in self.runs[side]]  # type: ignore[literal-required] # a key
            for side in SIDES
        )
        share = self._plan["min_share"]
        return is_settled(decide(first, second, share, is_exact=is_exact), share)

    def _once(self, argv: list[str], side: str, seed: str) -> "tuple[RunMeasured, EndedRun]":
        now = self._base / _NOW
        (self._base / side).rename(now)
        try:
            return self._measured(argv, side, seed, now / self._plan["folder"])
        finally:
            now.rename(self._base / side)

    def _measured(
        self, argv: list[str], side: str, seed: str, folder: Path
    ) -> "tuple[RunMeasured, EndedRun]":
        limit = self._plan["deadline"]
        if self._longest_s:
            limit = min(limit, time.monotonic() + max(_MIN_HANG_S, _HANG_FACTOR * self._longest_s))
        with tempfile.TemporaryDirectory(prefix="count-", ignore_cleanup_errors=True) as place:
            counted = _with_counter(argv, self.counter, place)
            # Both runs of a pair get the same order of hashes.
            ended = run_once(counted, folder, {"PYTHONHASHSEED": seed}, limit)
            if ended.is_late:
                text = f"{ended.wall_us / 1e6:.1f} s"
                raise StoppedShort("hung" if self._longest_s else "too_long", side, text)
            if ended.is_flooding:
                raise StoppedShort("flood", side, f"{MAX_OUTPUT_BYTES >> 20} MiB")
            instructions = _read_count(self.counter, place)
        return {
            "cpu_us": ended.cpu_us,
            "wall_us": ended.wall_us,
            "queued_us": ended.queued_us,
            "peak_bytes": ended.peak_bytes,
            "instructions": instructions,
            "exit_code": ended.code,
            "digest": ended.digest,
            "left": ended.left,
        }, ended

    def _compare_outputs(self) -> None:
        before, after = (self._first[it] for it in SIDES)
        for place in range(max(len(before), len(after))):
            one = before[place] if place < len(before) else b"(nothing)"
            other = after[place] if place < len(after) else b"(nothing)"
            if one != other:
                self.difference = [it.decode("utf-8", "replace")[:300] for it in (one, other)]
                return


def _ending(ended: EndedRun) -> str:
    said = ended.errors.decode("utf-8", "replace").strip()
    said = said or b"\n".join(ended.lines[-15:]).decode("utf-8", "replace").strip()
    return f"exit code {ended.code}: {said[-TAIL_BYTES:] or 'it wrote nothing'}"


def _counter() -> str:
    """Return what counts instructions: `perf` where the machine has counters, or `valgrind`."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        argv = ["perf", "stat", "-x,", "-e", "instructions:u", "true"]
        tried = subprocess.run(argv, capture_output=True, timeout=20, check=True)  # noqa: S603 - its own
        if tried.stderr.strip()[:1].isdigit():
            return "perf"
    if shutil.which("valgrind") is not None:
        return "valgrind"
    raise StoppedShort("no_counter", "", "")


def _with_counter(argv: list[str], counter: str, place: str) -> list[str]:
    if counter == "perf":
        return ["perf", "stat", "-x,", "-e", "instructions:u", "-o", f"{place}/0.log", "--", *argv]
    if counter == "valgrind":
        options = ["--tool=callgrind", "--trace-children=yes", f"--log-file={place}/%p.log"]
        return ["valgrind", *options, f"--callgrind-out-file={place}/%p.out", "--", *argv]
    return argv


def _read_count(counter: str, place: str) -> int:
    texts = (it.read_text(encoding="utf-8", errors="replace") for it in Path(place).glob("*.log"))
    if counter == "perf":
        lines = (line for text in texts for line in text.splitlines())
        return sum(int(it.partition(",")[0]) for it in lines if it[:1].isdigit())
    return sum(int(it) for text in texts for it in _COLLECTED.findall(text))
