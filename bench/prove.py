"""Which verdict `benchpin prove` gives real commits, and the same commits with a defect planted.

    python bench/prove.py --projects FOLDER bench/prove_commits.toml [--only NAME]

FOLDER has a clone of each project, with whatever its tests need installed. A commit is checked out
in a copy of the clone; a plant replaces a text in one of its files, and becomes part of the commit.
What is expected was written before the first run: a good commit is not *broken*, and one with a
plant is not *proven*.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

BENCHPIN = Path(sys.executable).parent / "benchpin"
_GIT = shutil.which("git") or "git"
_LIMIT_S = 900


def main() -> None:
    """Print a line for each commit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--projects", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", default="120")
    given = parser.parse_args()
    cases = tomllib.loads(given.cases.read_text(encoding="utf-8"))["commit"]
    for case in cases:
        if given.only and given.only not in f"{case['project']} {case['id']}":
            continue
        plants = [None, *case.get("plant", [])]
        for plant in plants:
            verdict, seconds, why = _prove(
                given.projects / case["project"], case, plant, given.budget
            )
            kind = "good" if plant is None else "planted"
            said = "" if plant is None else plant["what"]
            line = (case["project"], case["id"], kind, verdict, f"{seconds:.1f}", said, why)
            print("\t".join(line), flush=True)


def _prove(
    project: Path, case: dict[str, Any], plant: dict[str, str] | None, budget: str
) -> tuple[str, float, str]:
    with tempfile.TemporaryDirectory(prefix="prove-") as name:
        place = Path(name) / project.name
        _git(project.parent, "clone", "-q", "--no-checkout", "--shared", str(project), str(place))
        _git(place, "checkout", "-q", case["id"])
        for needed in case.get("needs", []):
            (place / needed).symlink_to(project / needed) if (
                needed.startswith(".venv")
            ) else shutil.copytree(project / needed, place / needed, symlinks=True)
        if plant is not None:
            file = place / plant["file"]
            text = file.read_text(encoding="utf-8")
            assert text.count(plant["before"]) >= 1, (case["id"], plant["before"])
            file.write_text(text.replace(plant["before"], plant["after"], 1), encoding="utf-8")
            _git(place, "commit", "-q", "--all", "--amend", "--no-edit")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [BENCHPIN, "prove", "--diff", "HEAD~1..HEAD", "--format", "json", "--budget", budget],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
            env={"BENCHPIN_GIT_FOLDERS": str(project.parent), **os.environ},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return "no answer", seconds, done.stderr.strip()[-300:].replace("\n", " ")
    gaps = "; ".join(
        f"{it['rule']} {it['file']}:{it['line']} {it['message']}" for it in found["gaps"]
    )
    return found["verdict"], seconds, " ".join(gaps.split())[:600]


def _git(place: Path, *arguments: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run([_GIT, *author, *arguments], cwd=place, check=True, capture_output=True)


if __name__ == "__main__":
    main()
