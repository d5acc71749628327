"""Fuzz the readers of foreign text, guided by coverage (atheris, which is libFuzzer for Python).

    python scripts/fuzz.py --seconds 60 [TARGET …]     so long for each target; --jobs 8 at once
    python scripts/fuzz.py --total 60                  so long for all targets, in one process

A target starts from its corpus in tests/fuzzing/corpus. An input that makes it raise, hang or use
too much memory is written to a folder that is named, and belongs into that corpus when it is fixed.
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
CORPUS = TESTS / "fuzzing" / "corpus"
EVERY = "every"
"""The target that chooses another one by the first line of the input."""
# What is slow and no hang is not written down: on a busy machine any input is.
LIMITS = (
    *("-timeout=20", "-report_slow_units=20", "-rss_limit_mb=2048"),
    *("-max_len=4096", "-print_final_stats=1"),
)
_ONE = "--one"


def main() -> None:
    """Run the targets, and exit with 1 when one of them has a finding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--total", type=int, help="for all targets together")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--seed", type=int, default=0, help="the same inputs again; 0: new")
    chosen = parser.parse_args()
    known = sorted(it.name for it in CORPUS.iterdir())
    names = [EVERY] if chosen.total else chosen.targets or known
    if unknown := sorted(set(names) - {*known, EVERY}):
        sys.exit(f"No target is called {', '.join(unknown)}. There are: {', '.join(known)}.")
    found = Path(tempfile.mkdtemp(prefix="benchpin-fuzz-"))
    seconds = chosen.total or chosen.seconds
    limits = (f"-max_total_time={seconds}", f"-seed={chosen.seed}")
    with ThreadPoolExecutor(max(1, chosen.jobs)) as running:  # each waits for its own process
        are_clean = list(running.map(lambda name: _is_clean(name, limits, found), names))
    failed = [name for name, is_clean in zip(names, are_clean, strict=True) if not is_clean]
    if failed:
        sys.exit(f"Findings in {', '.join(failed)}; the inputs are in {found}")
    found.rmdir()


def _is_clean(name: str, limits: tuple[str, ...], found: Path) -> bool:
    """Fuzz one target in a process of its own, so that a crash ends nothing else."""
    with tempfile.TemporaryDirectory() as corpus:
        for seed in CORPUS.glob("*/*"):
            content, owner = seed.read_bytes(), seed.parent.name
            if name == EVERY:
                content = f"{owner}\n".encode() + content
            if name in {owner, EVERY}:
                Path(corpus, f"{owner}-{seed.name}").write_bytes(content)
        finds = f"-artifact_prefix={found}/{name}-"
        done = subprocess.run(
            (sys.executable, __file__, _ONE, name, *LIMITS, *limits, finds, corpus),
            env={**os.environ, "INTERPRET_BENCHPIN": "1"},  # what is compiled cannot be followed
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    lines = done.stderr.splitlines() + done.stdout.splitlines()
    executed = next((it for it in lines if "number_of_executed_units" in it), "no statistics")
    covered = next((it for it in reversed(lines) if " cov: " in it), "").partition(" ft:")[0]
    verdict = f"FAILED ({done.returncode})" if done.returncode else "ok"
    inputs, edges = executed.rpartition(" ")[2], covered.rpartition(" ")[2]
    said = [f"{name}: {verdict}, {inputs} inputs, {edges} edges covered"]
    if done.returncode:
        said += (it for it in lines[-60:] if not it.startswith("#"))
    print("\n".join(said), flush=True)  # at once: several targets may end together
    return not done.returncode


def _fuzz(name: str) -> None:
    import atheris  # noqa: PLC0415 - only this process needs it

    sys.path.insert(0, str(TESTS))
    with atheris.instrument_imports(include=["benchpin", "h11"]):
        targets = importlib.import_module("fuzzing.targets")
    read = targets.try_any if name == EVERY else targets.TARGETS[name].try_once
    atheris.Setup([sys.argv[0], *sys.argv[3:]], read)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == [_ONE]:
        _fuzz(sys.argv[2])
    else:
        main()
