"""Ask what is still true: notes written at an old commit, judged by somebody at a later one.

    still_true.py make NAME=GITDIR FOLDER [--notes 30] [--commits 200] [--language go]
    still_true.py recall FOLDER               write FOLDER/answer.json from what `recall` says
    still_true.py grade FOLDER [ANSWER]       compare an answer with the truth from git

`make` puts a clone with notes on lines drawn at random into FOLDER/repo, checked out some commits
later, the question into FOLDER/prompt.md and the truth into FOLDER/truth.json, where nobody who is
asked looks. An agent is given the folder `repo` and the text of prompt.md, and writes answer.json.
The truth is that of `states.py`: git blame, difflib and a parser, not Benchpin.
"""

import argparse
import json
import random
import shutil
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path

from benchpin.app import Workbench, configure
from results import help_if_asked
from states import LANGUAGES, STATES, Draw, Labels

_PROMPT = """\
The repository in this folder has notes on lines of code, written some time ago (`*.comments` files;
`benchpin recall` lists them, if you have it). Some of the code has changed since. Say of each note
below what became of the line it is about:

- fresh: the line and the function around it are the same, at the same place
- moved: the same, but in another line or file
- changed: the line or the function around it differs
- gone: the line is not there any more

Write `answer.json`, an object with a state for each number: {{"1": "moved", ...}}.

{notes}
"""


def make(history: str, folder: Path, notes: int, commits: int, language: str) -> None:
    """Make a clone with notes, a question and its truth."""
    name, _, git_dir = history.partition("=")
    labels, numbers = Labels(Path(git_dir).resolve(), language), random.Random(39)  # noqa: S311 - a repeatable draw
    last = labels.commits[-1]
    first = labels.commits[max(0, len(labels.commits) - 1 - commits)]
    drawn: list[Draw] = []
    counts: Counter[str] = Counter()
    for _ in range(60 * notes):
        draw = labels.draw_between(first, last, numbers)
        known = {(it.path, it.line) for it in drawn}
        if draw and counts[draw.state] < -(-notes // 3) and (draw.path, draw.line) not in known:
            counts[draw.state] += 1
            drawn.append(draw)
        if len(drawn) == notes:
            break
    repo = folder / "repo"
    folder.mkdir(parents=True)
    _git("clone", "--quiet", str(Path(git_dir).resolve()), str(repo))
    _git("-C", str(repo), "checkout", "--quiet", "--force", first)
    listed, truth = [], {}
    with closing(Workbench(configure(root=repo))) as shop:
        for number, draw in enumerate(drawn, 1):
            text = f"Note {number}: {labels.lines(first, draw.path)[draw.line - 1].strip()}"
            place = {"file_path": draw.path, "line": draw.line, "text": text[:200], "tag": "NOTE"}
            shop.call("add_comment", **place, author="ada")
            listed.append(f"{number}. {draw.path}:{draw.line} at that time, `{text[:80]}`")
            truth[str(number)] = draw.state
    _git("-C", str(repo), "checkout", "--quiet", "--force", last)
    (folder / "prompt.md").write_text(_PROMPT.format(notes="\n".join(listed)), encoding="utf-8")
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    print(f"{name}: {len(drawn)} notes, {dict(counts)}, {commits} commits")


def recall(folder: Path) -> None:
    """Answer from what `recall` says of the notes, as an agent that believes it would."""
    with closing(Workbench(configure(root=folder / "repo"))) as shop:
        found = shop.call("recall", limit=200, budget=20_000).model_dump(mode="json")
    states = {}
    for note in found["found"]:
        number = note["text"].removeprefix("Note ").partition(":")[0]
        states[number] = note["state"]
    (folder / "answer.json").write_text(json.dumps(states), encoding="utf-8")


def grade(folder: Path, answer: Path) -> int:
    """Print how many states are right; returns how many are not."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    given = json.loads(answer.read_text(encoding="utf-8"))
    right: Counter[str] = Counter(it for number, it in truth.items() if given.get(number) == it)
    total = Counter(truth.values())
    for state in STATES:
        if total[state]:
            print(f"{state}: {right[state]} of {total[state]}")
    wrong = {
        number: (it, given.get(number)) for number, it in truth.items() if given.get(number) != it
    }
    for number, (expected, said) in wrong.items():
        print(f"note {number} is {expected}; the answer says {said}")
    # What costs most is a note that is believed although its code is another now.
    believed = sum(
        said in {"fresh", "moved"} and it in {"changed", "gone"} for it, said in wrong.values()
    )
    print(f"{len(truth) - len(wrong)} of {len(truth)} right; {believed} believed in vain")
    return len(wrong)


def _git(*words: str) -> None:
    subprocess.run((shutil.which("git") or "git", *words), check=True)


def main() -> None:
    """Make a question, answer it with recall, or grade an answer."""
    help_if_asked(__doc__)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    making = actions.add_parser("make")
    making.add_argument("history", metavar="NAME=GITDIR")
    making.add_argument("folder", type=Path)
    making.add_argument("--notes", type=int, default=30)
    making.add_argument("--commits", type=int, default=200)
    making.add_argument("--language", choices=("python", *LANGUAGES), default="python")
    actions.add_parser("recall").add_argument("folder", type=Path)
    grading = actions.add_parser("grade")
    grading.add_argument("folder", type=Path)
    grading.add_argument("answer", type=Path, nargs="?")
    given = parser.parse_args()
    if given.action == "make":
        make(given.history, given.folder, given.notes, given.commits, given.language)
    elif given.action == "recall":
        recall(given.folder)
    else:
        raise SystemExit(
            1 if grade(given.folder, given.answer or given.folder / "answer.json") else 0
        )


if __name__ == "__main__":
    main()
