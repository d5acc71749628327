"""Measure how fast SPX profiles are read, beside SPX's own reader where it can be had.

    python bench/performance_spx.py [PROFILE.txt.gz] [--events 8000000] [--spx-source DIR]

A real profile of 0.4 (its metadata beside it) is repeated until there are enough events, and is
written in both formats. `--spx-source` names a checkout of php-spx 0.4: its pages' JavaScript then
reads the same file under Node, as its report page does, without the page. Each reader works in a
process of its own; times are of the processor and of the wall.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from benchpin.system import zstd
from results import machine, write_section

DEFAULT = Path(__file__).parents[1] / "tests/fixtures/performance/spx"
DEFAULT /= "spx-full-20261115_060901-vm-5392-1804289383.txt.gz"
BUFFER_EVENTS = 8192
MIN_REFERRED = 100
FARTHEST_REFERENCE = 4
HEADER = (
    "| reader | format | events | processor s | wall s | million events/s | MB |\n"
    "|---|---|--:|--:|--:|--:|--:|"
)
OURS = """
import sys
from pathlib import Path
from benchpin.core.calls import Job
from benchpin.performance.formats import read_artifact
from benchpin.performance.reading import Budget, ReadRequest, validate
text = Path(sys.argv[1])
with text.open("rb") as file:
    version = validate(file).detected_version
    file.seek(0)
    metadata = text.with_name("profile.json").read_bytes()
    profile = read_artifact(ReadRequest(version, Budget(), metadata=metadata), file, Job())
assert profile.is_complete, profile.faults
print(profile.events, sum(cost.self[0] for cost in profile.functions))
"""
THEIRS = """
import fs from "node:fs";
import zlib from "node:zlib";
import { ProfileDataBuilder } from "./profileData.js";
console.time = console.timeEnd = () => {};
const [text, metadata] = process.argv.slice(2);
const builder = new ProfileDataBuilder([]);
builder.setMetadata(JSON.parse(fs.readFileSync(metadata, "utf8")));
const decoder = new TextDecoder("ascii");
let [section, functions, events, cut] = ["", 0, 0, ""];
for await (const chunk of fs.createReadStream(text).pipe(zlib.createGunzip())) {
  const lines = decoder.decode(chunk).split("\\n");
  lines[0] = cut + lines[0];
  cut = lines.pop();
  for (const line of lines) {
    if (line.startsWith("[")) section = line;
    else if (section === "[events]") {
      builder.addEvent(line.split(" ").map((it) => parseFloat(it)));
      events += 1;
    } else builder.setFunctionName(functions++, line);
  }
}
await builder.buildCallRangeTree(() => {});
const profile = builder.getProfileData();
const stats = profile.getTimeRangeStats(profile.getTimeRange()).getFunctionsStats().getValues();
console.log(events, stats.reduce((sum, it) => sum + it.exc.getValue("wt"), 0));
"""

Event = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True)
class Run:
    """What one reader took for one file."""

    events: int
    wall_time_ns: int
    processor_s: float
    wall_s: float
    resident_mb: int

    def row(self, reader: str, form: str) -> str:
        """Return a line of the table."""
        rate = self.events / self.processor_s / 1e6
        return (
            f"| {reader} | {form} | {self.events:,} | {self.processor_s:.2f} | {self.wall_s:.2f} "
            f"| {rate:.2f} | {self.resident_mb} |"
        )


def repeated(text: Path, wanted: int) -> tuple[Iterator[Event], int, list[str]]:
    """Return the events of a profile again and again, how many, and the names of functions."""
    head, _, tail = gzip.decompress(text.read_bytes()).decode().partition("[functions]\n")
    rows = [[round(float(field)) for field in line.split()] for line in head.splitlines()[1:]]
    times = max(1, wanted // len(rows))

    def events() -> Iterator[Event]:
        now = [0] * (len(rows[0]) - 2)
        for _ in range(times):
            for function, is_enter, *values in rows:
                yield function, is_enter, tuple(map(sum, zip(values, now, strict=True)))
            now = [value + before for value, before in zip(rows[-1][2:], now, strict=True)]

    return events(), times * len(rows), tail.splitlines()


def write_04(place: Path, events: Iterator[Event], names: list[str]) -> None:
    """Write a profile as SPX 0.4 does."""
    with gzip.open(place, "wt", encoding="utf-8", compresslevel=6) as file:
        file.write("[events]\n")
        for function, is_enter, values in events:
            file.write(f"{function} {is_enter} {' '.join(map(str, values))}\n")
        file.write("\n".join(["[functions]", *names, ""]))


def write_05(place: Path, events: Iterator[Event], names: list[str]) -> None:
    """Write a profile as SPX 0.5 does."""
    with zstd.ZstdFile(place, "w") as file:
        file.write(b"[events]\n")
        before: tuple[int, ...] = ()
        recent: list[int] = []
        for number, (function, is_enter, values) in enumerate(events):
            if number % BUFFER_EVENTS == 0:
                before, recent = (), []
            spent = [
                str(value - earlier or "") for value, earlier in zip(values, before, strict=False)
            ] or [f"a{value}" for value in values]
            named = str(function)
            if function >= MIN_REFERRED and function in recent:
                named = f"r{recent.index(function) + 1}"
            head = f"{number % 500:x}|{named}" if is_enter else f"-{named}"
            file.write(f"{head}|{'|'.join(spent)}\n".encode())
            before, recent = values, [function, *recent][:FARTHEST_REFERENCE]
        file.write(
            "\n".join(["[functions]", *(f"/srv/app.php:1:{it}" for it in names), ""]).encode()
        )


def measure(command: list[str]) -> Run:
    """Run a reader and return what it took."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        answer = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.perf_counter() - start
    assert child.returncode == 0, answer
    events, spent = map(int, answer.split()[-2:])
    return Run(events, spent, used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss // 1024)


def rival(folder: Path, source: Path) -> list[str]:
    """Return the command that reads with SPX's own code, taken out of its page."""
    for script in (source / "assets/web-ui/js").glob("*.js"):
        code = re.sub(r"getImportUrl\('/js/", r"('./", script.read_text(encoding="utf-8"))
        (folder / script.name).write_text(code, encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "read.js").write_text(THEIRS, encoding="utf-8")
    node = which("node")
    assert node, "CallNode is not installed"
    return [node, "--max-old-space-size=16000", str(folder / "read.js")]


def main() -> None:
    """Make the files, read them with each reader, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--events", type=int, default=8_000_000)
    parser.add_argument("--spx-source", type=Path)
    options = parser.parse_args()
    metadata = json.loads(
        options.profile.with_name(options.profile.name.removesuffix(".txt.gz") + ".json").read_text(
            encoding="utf-8"
        )
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        old, new, beside = folder / "04.txt.gz", folder / "05.txt.zst", folder / "profile.json"
        for place, write in ((old, write_04), (new, write_05)):
            events, count, names = repeated(options.profile, options.events)
            write(place, events, names)
        metadata |= {"recorded_call_count": count // 2, "call_count": count // 2}
        beside.write_text(json.dumps(metadata), encoding="utf-8")
        ours = [sys.executable, "-c", OURS]
        rows, spent = [], set()
        for form, place in (("0.4, gzip", old), ("0.5, zstd", new)):
            run = measure([*ours, str(place)])
            rows.append(run.row("benchpin", form))
            spent.add(run.wall_time_ns)
        if options.spx_source:
            run = measure([*rival(folder, options.spx_source), str(old), str(beside)])
            rows.append(run.row("SPX's own, Node", "0.4, gzip"))
            spent.add(run.wall_time_ns)
        assert len(spent) == 1, f"the readers do not agree: {spent}"
    note = "" if options.spx_source else " SPX's own reader was not measured."
    write_section(
        "SPX profiles",
        f"A real profile with {len(metadata['enabled_metrics'])} metrics, repeated; {machine()}. "
        f"The sums of the readers are equal.{note}\n\n" + "\n".join([HEADER, *rows]),
    )


if __name__ == "__main__":
    main()
