"""Measure what confinement costs: `true` in each sandbox beside a plain process."""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchpin.core.calls import Job, Permissions
from benchpin.run.sandbox import Execution, run_confined
from benchpin.run.sandbox._detection import candidates, probe
from benchpin.run.sandbox._running import run_unconfined
from benchpin.run.sandbox._workspace_mounts import workspace_mounts
from results import machine, write_section

TIMEOUT_S = 30
COMMAND = ("/bin/sh", "-c", "true")


def confined(kind: str, folder: Path) -> Callable[[], None] | None:
    """Return what runs the command in a kind of sandbox as the tools do, if it works here."""
    sandbox = next(
        (it for it in candidates(shutil.which("bwrap")) if it.name == kind and probe(it) is None),
        None,
    )
    if sandbox is None:
        return None

    def run() -> None:
        view = workspace_mounts(folder, Permissions(), Job(), may_write=False)
        program = Execution(COMMAND, str(folder))
        assert run_confined(program, view, sandbox, TIMEOUT_S, Job()).exit_code == 0

    return run


def unconfined(folder: Path) -> None:
    """Run the command under the launcher alone."""
    assert run_unconfined(Execution(COMMAND, str(folder)), TIMEOUT_S, Job()).exit_code == 0


def bare_bubblewrap() -> None:
    """Run the command in bubblewrap alone: no filter, no Landlock, nothing hidden."""
    walls = ("--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--dev", "/dev")
    subprocess.run((shutil.which("bwrap") or "", *walls, "--", *COMMAND), check=True)


def main() -> None:
    """Measure in turn, several times, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sandboxes = {kind: confined(kind, folder) for kind in ("bubblewrap", "namespaces")}
        runs: dict[str, Callable[[], object] | None] = {
            "plain process": lambda: subprocess.run(COMMAND, check=True),
            "bubblewrap alone": bare_bubblewrap if sandboxes["bubblewrap"] else None,
            **sandboxes,
            "none (`--unconfined`)": lambda: unconfined(folder),
        }
        able = {name: run for name, run in runs.items() if run is not None}
        times: dict[str, list[float]] = {name: [] for name in able}
        for _ in range(rounds):
            for name, run in able.items():
                started = time.perf_counter()
                run()
                times[name].append(1000 * (time.perf_counter() - started))
    write_section("Sandbox", report(rounds, times))


def report(rounds: int, times: dict[str, list[float]]) -> str:
    """Return the table."""
    about = f"{rounds} rounds in turn; {machine()}, load {os.getloadavg()[0]:.0f}"
    plain = statistics.median(times["plain process"])
    rows = (
        f"| {name} | {statistics.median(taken):.1f} | {min(taken):.1f} "
        f"| {statistics.median(taken) - plain:.1f} |"
        for name, taken in times.items()
    )
    return "\n".join(
        (
            f"`sh -c true` in an empty workspace; {about}.",
            "",
            "| sandbox | median ms | fastest ms | cost ms |",
            "| --- | --- | --- | --- |",
            *rows,
        )
    )


if __name__ == "__main__":
    main()
