"""Which defects of a whole commit the review sees: `python bench/plants_commits.py CLONES [NAME…]`.

`plants/commits/*.toml` are commits as an agent would write them, each with six defects of different
kinds among sensible changes, in projects that no rule was tuned on. They were committed before the
rules. CLONES has a clone of each, called as its file. A defect counts as seen when a finding is at
one of its places or names its word in one of its files; everything that is said is printed, because
whether it says *why* is for a reader to judge.
"""

import argparse
import re
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "agents"))

from plant import git, plant

from benchpin.app import Workbench

FOLDER = Path(__file__).parent / "plants" / "commits"


def line_of(root: Path, path: str, part: str) -> int:
    """Return the line of a text that a file has exactly once."""
    text = (root / path).read_text(encoding="utf-8")
    if text.count(part) != 1:
        sys.exit(f"{path}: {text.count(part)} places instead of one with {part!r}")
    return text[: text.index(part)].count("\n") + 1


def is_about(defect: dict[str, Any], root: Path, finding: dict[str, Any]) -> bool:
    """Whether a finding is at a place of a defect, or names its word in one of its files."""
    places = [(path, line_of(root, path, part)) for path, part in defect["at"]]
    is_named = re.search(rf"(?<!\w){re.escape(defect['word'])}(?!\w)", finding["message"])
    is_near = finding["file"] in {path for path, _ in places}
    return (finding["file"], finding["line"]) in places or (is_near and bool(is_named))


def main() -> None:
    """Plant each commit, review it, and print what was said of which defect."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clones", type=Path)
    parser.add_argument("names", nargs="*", default=sorted(it.stem for it in FOLDER.glob("*.toml")))
    asked = parser.parse_args()
    for name in asked.names:
        described = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / name
            git(asked.clones, "clone", "--quiet", str((asked.clones / name).resolve()), str(root))
            git(root, "checkout", "--quiet", "--detach", described["commit"])
            plant(root, described)
            bench = Workbench.open(root, cache_dir=Path(folder) / "cache")
            try:
                found = bench.call("review_change", limit=500, diff="HEAD~1..HEAD").model_dump()
            finally:
                bench.close()
            findings = found["findings"]
            said = [
                [it for it in findings if is_about(one, root, it)] for one in described["defect"]
            ]
        seen = sum(map(bool, said))
        print(f"{name} ({described['language']}): {seen} of {len(said)}", flush=True)
        for defect, about in zip(described["defect"], said, strict=True):
            print(f"  {'seen' if about else '-':4} {defect['kind']}: {defect['about']}")
            for it in about:
                print(f"         {it['level']} {it['rule']} {it['line']}: {it['message']}")
        known = [it for about in said for it in about]
        for it in [it for it in findings if it not in known]:
            where = f"{it['file']}:{it['line']}"
            print(f"  other: {it['level']} {it['rule']} {where} {it['message']}", flush=True)


if __name__ == "__main__":
    main()
