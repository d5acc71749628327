"""How often `review_change` raises an alarm on good commits: `python bench/review.py CHECKOUT…`.

The newest commits with code of each checkout are reviewed, which their maintainers merged. A
finding of level error or warning is an alarm; whether it is a false one a person decides, from what
is printed.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError
from results import machine, write_section

ALARMS = {"error", "warning"}
Findings = list[dict[str, object]]


def git(root: Path, *arguments: str) -> str:
    """Run git in a checkout."""
    command = (shutil.which("git") or "git", *arguments)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def reviewed(project: Path, count: int, scratch: Path) -> Iterator[tuple[str, Findings]]:
    """Yield what is said about each of the newest commits, in a clone that shares nothing."""
    work = scratch / project.name
    git(project, "clone", "--quiet", "--no-hardlinks", str(project), str(work))
    code = [f"*.{it}" for it in ("py", "ts", "tsx", "js", "go", "rs", "java", "kt")]
    options = ("--no-merges", f"--max-count={count}", "HEAD", "--", *code)
    newest = git(work, "rev-list", *options).split()
    for commit in newest:
        git(work, "checkout", "--quiet", "--force", commit)
        bench = Workbench.open(work, cache_dir=scratch / "cache")
        try:
            found = bench.call("review_change", limit=1000, diff=f"{commit}~1..{commit}")
            yield commit, found.model_dump()["findings"]
        except BenchpinError as error:
            print(f"  {project.name} {commit[:10]}: {error}", file=sys.stderr)
        finally:
            bench.close()


def main() -> None:
    """Review the newest commits of every project, and print the alarms."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="+", type=Path, metavar="CHECKOUT")
    parser.add_argument("--commits", type=int, default=20, help="of each project")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for project in asked.projects:
            total = alarmed = wrong = 0
            rules: Counter[str] = Counter()
            for commit, findings in reviewed(project.resolve(), asked.commits, Path(folder)):
                total += 1
                alarms = [it for it in findings if it["level"] in ALARMS]
                alarmed += bool(alarms)
                wrong += any(it["level"] == "error" for it in alarms)
                rules.update(str(it["rule"]) for it in alarms)
                for it in alarms:
                    where = f"{commit[:10]} {it['level']} {it['rule']} {it['file']}:{it['line']}"
                    print(f"  {where} {it['message']}", flush=True)
            found = ", ".join(f"{count} {rule}" for rule, count in rules.most_common()) or "none"
            rows.append(f"| {project.name} | {total} | {alarmed} | {wrong} | {found} |")
            print(rows[-1], flush=True)
    head = (
        "| project | commits | with an alarm | with an error | alarms by rule |\n"
        "| --- | --- | --- | --- | --- |\n"
    )
    write_section("Review of clean commits", f"{machine()}.\n\n{head}" + "\n".join(rows))


if __name__ == "__main__":
    main()
