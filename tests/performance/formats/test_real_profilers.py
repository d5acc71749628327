"""Profiles made here and now by the real profilers, compared with their own readers."""

import cProfile
import io
import json
import pstats
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from profile_samples import read_sample
from waiting import WAIT_S

NS = 1_000_000_000
PHP = "<?php function fib($n) {return $n < 2 ? $n : fib($n-1) + fib($n-2);} fib(10);"
C = "int fib(int n) {return n < 2 ? n : fib(n-1) + fib(n-2);} int main() {return fib(12) > 900;}"
JAVA = """
class App {
  static int fib(int n) {return n < 2 ? n : fib(n - 1) + fib(n - 2);}
  static class Inner {byte[][] keep(int n) {
    byte[][] all = new byte[n][]; for (int i = 0; i < n; i++) all[i] = new byte[9999]; return all;
  }}
  public static void main(String[] args) {
    System.out.println(fib(42) + new Inner().keep(30000).length);
  }
}
"""
FIB = "fib(n) {return n < 2 ? n : fib(n - 1) + fib(n - 2)}"


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _run(*command: str, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, check=True, capture_output=True, text=True, timeout=WAIT_S
    )
    return done.stdout


def _fibonacci(number: int) -> int:
    return number if number < 2 else _fibonacci(number - 1) + _fibonacci(number - 2)


def test_cprofile_has_the_numbers_of_pstats(tmp_path: Path) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(lambda: (_fibonacci(12), sorted(map(str, range(500)), key=len)))
    place = tmp_path / "out.pstats"
    profiler.dump_stats(place)
    stats = pstats.Stats(str(place), stream=io.StringIO())
    profile = read_sample(place.read_bytes())
    found = {(it.file or "~", it.line or 0, it.function): it for it in profile.functions}
    assert len(found) == len(stats.stats)  # type: ignore[attr-defined]
    for key, (_, calls, own, inclusive, callers) in stats.stats.items():  # type: ignore[attr-defined]
        cost = found[key]
        assert cost.calls == calls
        assert cost.self == (round(own * NS),)
        assert cost.inclusive == (round(inclusive * NS),)
        assert sum(1 for it in profile.edges if profile.functions[it.callee] == cost) == len(
            callers
        )


@pytest.mark.slow
def test_node_has_the_time_from_its_first_sample_to_its_end(tmp_path: Path) -> None:
    node = _program("node")
    (tmp_path / "app.js").write_text(f"function {FIB}\nfib(35)\n", "utf-8")
    _run(node, "--cpu-prof", "--cpu-prof-name=out.cpuprofile", "app.js", cwd=tmp_path)
    content = (tmp_path / "out.cpuprofile").read_bytes()
    profile = read_sample(content)
    numbers = {
        name: [int(it) for it in re.findall(rb"-?\d+", found[1])]
        for name in (b"startTime", b"endTime", b"timeDeltas", b"samples")
        if (found := re.search(rb'"' + name + rb'":\[?([-0-9,]*)', content))
    }
    [start], [end] = numbers[b"startTime"], numbers[b"endTime"]
    first = numbers[b"timeDeltas"][0]
    assert sum(cost.self[0] for cost in profile.functions) == (end - start - first) * 1000
    assert sum(cost.self[1] for cost in profile.functions) == len(numbers[b"samples"])
    [fib] = [cost for cost in profile.functions if cost.function == "fib"]
    assert (fib.file, fib.line) == (str(tmp_path / "app.js"), 1)


@pytest.mark.slow
@pytest.mark.usefixtures("go_cache")
def test_go_has_the_totals_of_go_tool_pprof(tmp_path: Path) -> None:
    go = _program("go")
    source = """package main
import ("os"; "runtime"; "runtime/pprof")
func keep(n int) (all [][]byte) {
  for i := 0; i < n; i++ { all = append(all, make([]byte, 9999)) }
  return
}
func main() {
  runtime.MemProfileRate = 1
  kept := keep(300)
  heap, _ := os.Create("heap.pb.gz"); pprof.Lookup("allocs").WriteTo(heap, 0); heap.Close()
  if len(kept) == 0 { panic("") }
}
"""
    (tmp_path / "main.go").write_text(source, "utf-8")
    _run(go, "run", "main.go", cwd=tmp_path)
    raw = _run(go, "tool", "pprof", "-raw", "heap.pb.gz", cwd=tmp_path)
    rows = re.findall(r"^ +((?:\d+ +)*\d+): [\d ]*$", raw, re.MULTILINE)
    columns = zip(*(map(int, it.split()) for it in rows), strict=True)
    profile = read_sample((tmp_path / "heap.pb.gz").read_bytes())
    places = range(len(profile.metrics))
    assert profile.metrics[0] == "alloc_space_bytes"
    assert rows
    assert {sum(it.self[place] for it in profile.functions) for place in places} == {
        sum(column) for column in columns
    }


@pytest.mark.slow
def test_callgrind_has_the_totals_of_callgrind_annotate(tmp_path: Path) -> None:
    valgrind, compiler = _program("valgrind"), _program("gcc")
    (tmp_path / "app.c").write_text(C, "utf-8")
    _run(compiler, "-g", "-O0", "app.c", "-o", "app", cwd=tmp_path)
    _run(valgrind, "--tool=callgrind", "--callgrind-out-file=out.callgrind", "./app", cwd=tmp_path)
    listed = _run("callgrind_annotate", "--threshold=100", "out.callgrind", cwd=tmp_path)
    profile = read_sample((tmp_path / "out.callgrind").read_bytes())
    total = re.search(r"([\d,]+) .*PROGRAM TOTALS", listed)
    assert total is not None
    assert sum(cost.self[0] for cost in profile.functions) == int(total[1].replace(",", ""))
    main = re.search(r"([\d,]+) \([ \d.]+%\) +\S*app\.c:main", listed)
    assert main is not None
    own = sum(cost.self[0] for cost in profile.functions if cost.function == "main")
    assert own == int(main[1].replace(",", ""))


@pytest.mark.slow
def test_xdebug_has_the_calls_that_the_program_made(tmp_path: Path) -> None:
    php = _program("php")
    if "xdebug" not in _run(php, "-m", cwd=tmp_path):
        pytest.skip("php has no Xdebug")
    (tmp_path / "app.php").write_text(PHP, "utf-8")
    settings = (
        "xdebug.mode=profile",
        "xdebug.output_dir=.",
        "xdebug.profiler_output_name=out",
        "xdebug.use_compression=0",
    )
    _run(php, *(part for it in settings for part in ("-d", it)), "app.php", cwd=tmp_path)
    profile = read_sample((tmp_path / "out").read_bytes())
    [fib] = [cost for cost in profile.functions if cost.function == "fib"]
    assert fib.calls == 177
    assert profile.metrics == ("wt", "memory_bytes")
    main = max(profile.functions, key=lambda cost: cost.inclusive[0])
    assert main.function == "{main}"


@pytest.mark.slow
def test_jfr_has_the_samples_and_allocations_that_jfr_print_shows(tmp_path: Path) -> None:
    java, compiler, jfr = _program("java"), _program("javac"), _program("jfr")
    (tmp_path / "App.java").write_text(JAVA, "utf-8")
    _run(compiler, "App.java", cwd=tmp_path)
    recorded = "-XX:StartFlightRecording=filename=out.jfr,settings=profile"
    _run(java, recorded, "App", cwd=tmp_path)
    events = "jdk.ExecutionSample,jdk.ObjectAllocationSample"
    printed = _run(jfr, "print", "--json", "--events", events, "out.jfr", cwd=tmp_path)
    samples: Counter[str] = Counter()
    allocated: Counter[str] = Counter()
    for event in json.loads(printed)["recording"]["events"]:
        values = event["values"]
        if values["stackTrace"] is None:
            continue
        method = values["stackTrace"]["frames"][0]["method"]
        name = f"{method['type']['name'].replace('/', '.')}.{method['name']}"
        samples[name] += event["type"] == "jdk.ExecutionSample"
        allocated[name] += values.get("weight", 0)
    profile = read_sample((tmp_path / "out.jfr").read_bytes())
    assert profile.is_complete
    for metric, expected in (("samples", samples), ("alloc_bytes", allocated)):
        place = profile.metrics.index(metric)
        own = {it.function: it.self[place] for it in profile.functions if it.self[place]}
        assert own == {name: cost for name, cost in expected.items() if cost}
    assert samples["App.fib"] > 0
    assert allocated["App$Inner.keep"] > 0
