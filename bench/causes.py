"""Whether the causes of slowness that were planted in forty programs are named.

    python bench/causes.py [--languages python,go] [--only NAME,…] [--verbose]

Each program of `bench/causes/*.txtar` is slow for one reason, which `expected.toml` names: the
function and the kind. It is profiled as a user would do it, and the first cause that
`run_analysis` reports is compared. *Named*: function and kind are right. *Wrong*: another cause is
claimed. Otherwise nothing is claimed, or only the callee.
"""

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchpin.app import Workbench

FOLDER = Path(__file__).parent / "causes"
GO_TEST = """package planted

import "testing"

func BenchmarkRun(b *testing.B) {
	for range b.N {
		Run()
	}
}
"""
COMMANDS = {
    ".py": ("python3", []),
    ".js": ("node", ["--profiler=cpu-prof"]),
    ".php": ("php", []),
}


def files_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the files of an archive in the format of Go's txtar."""
    parts = text.split("\n-- ")
    for part in (parts[0].removeprefix("-- "), *parts[1:]):
        name, _, content = part.partition(" --\n")
        yield name, content + "\n"


def analysed(name: str, content: str, profiler: str | None) -> list[Any]:
    """Profile one program in a workspace of its own, and return its causes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / name).write_text(content, encoding="utf-8")
        bench = Workbench.open(root, allow=["execute"])
        if name.endswith(".go"):
            (root / "go.mod").write_text("module planted\n\ngo 1.22\n", encoding="utf-8")
            (root / "planted_test.go").write_text(GO_TEST, encoding="utf-8")
            argv = ["go", "test", "-run=^$", "-bench=.", "-benchtime=1s", "-cpuprofile=cpu.out"]
            subprocess.run(argv, cwd=root, check=True, capture_output=True)
            stored: Any = bench.call("ingest_artifacts", artifacts=[{"path": "cpu.out"}])
        else:
            argv = [COMMANDS[Path(name).suffix][0], name]
            more = {"profiler": profiler} if profiler else {}
            stored = bench.call("record_profile", argv=argv, runs=1, **more)
        found: Any = bench.call(
            "run_analysis", normalized_snapshot_id=stored.normalized_snapshot_id, source=True
        )
        return list(found.causes)


def main() -> int:
    """Judge the chosen programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", default="python,javascript,php,go")
    parser.add_argument("--only", default="")
    parser.add_argument("--profiler", default=None)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    expected = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
    only = set(filter(None, given.only.split(",")))
    totals: Counter[str] = Counter()
    for language in given.languages.split(","):
        text = (FOLDER / f"{language}.txtar").read_text(encoding="utf-8")
        for name, content in files_of(text):
            plant = expected[language][Path(name).stem]
            if only and Path(name).stem not in only:
                continue
            causes = analysed(name, content, given.profiler)
            claimed = [it for it in causes if it.kind]
            verdict = "not named"
            if claimed:
                first = claimed[0]
                is_right = first.function.rpartition(".")[2] in plant["function"]
                is_right = is_right or first.function.rpartition("::")[2] in plant["function"]
                verdict = "named" if is_right and first.kind in plant["kind"] else "wrong"
            totals[verdict] += 1
            shown = causes[:3] if given.verbose or verdict != "named" else causes[:1]
            print(f"{verdict:10} {language}/{name}", flush=True)
            for it in shown:
                print(f"    {it.share:.0%} {it.kind} {it.function}:{it.line} {it.says} [{it.loop}]")
    print(dict(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
