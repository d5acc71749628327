"""How often `review_change` is right: `python bench/review.py FOLDER`.

FOLDER holds checkouts of public repositories. *Clean*: the newest commits of each, which their
maintainers merged; a remark of level error or warning on one of them is an alarm, and whether it is a
false one a person decides, from the list that is printed. *Planted*: defects that are made in
functions of the same repositories, one at a time; a remark of the right rule in a changed or
calling file catches it.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchpin.app.workbench import Workbench
from benchpin.core import BenchpinError
from results import machine, write_section

ALARMS = {"error", "warning"}


def git(root: Path, *arguments: str) -> str:
    """Run git in a checkout."""
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commits(project: Path, count: int) -> list[str]:
    """Return the newest commits that are no merges and change code."""
    return git(project, "rev-list", "--no-merges", f"--max-count={count}", "HEAD").split()


def reviewed(work: Path, cache: Path, **given: object) -> tuple[list[dict[str, object]], float]:
    """Return the remarks on a change of a checkout, and how long it took."""
    bench = Workbench.open(work, cache_dir=cache)
    started = time.perf_counter()
    try:
        result = bench.call("review_change", limit=1000, **given).model_dump()
    finally:
        bench.close()
    return result["remarks"], time.perf_counter() - started


def clean(
    project: Path, count: int, scratch: Path
) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield what is said about each of the newest commits."""
    work = scratch / project.name
    git(
        project,
        "clone",
        "--quiet",
        "--dissociate",
        "--reference",
        str(project),
        str(project),
        str(work),
    )
    for commit in commits(project, count):
        git(work, "checkout", "--quiet", "--force", commit)
        try:
            remarks, _ = reviewed(work, scratch / "cache", change=f"{commit}~1..{commit}")
        except BenchpinError as error:
            print(f"  {project.name} {commit[:10]}: {error}", file=sys.stderr)
            continue
        yield commit, remarks


def main() -> None:
    """Review clean commits of every project, and print the alarms."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="+", type=Path, metavar="CHECKOUT")
    parser.add_argument("--commits", type=int, default=20, help="of each project")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for project in asked.projects:
            total = alarmed = 0
            rules: Counter[str] = Counter()
            for commit, remarks in clean(project.resolve(), asked.commits, Path(folder)):
                total += 1
                alarms = [it for it in remarks if it["level"] in ALARMS]
                alarmed += bool(alarms)
                rules.update(str(it["rule"]) for it in alarms)
                for it in alarms:
                    print(f"  {commit[:10]} {it['rule']} {it['file']}:{it['line']} {it['message']}")
            found = ", ".join(f"{count} {rule}" for rule, count in rules.most_common()) or "none"
            rows.append(f"| {project.name} | {total} | {alarmed} | {found} |")
            print(rows[-1], flush=True)
    head = "| project | commits | with an alarm | alarms by rule |\n| --- | --- | --- | --- |\n"
    write_section("Review of clean commits", f"{machine()}.\n\n{head}" + "\n".join(rows))


if __name__ == "__main__":
    main()
