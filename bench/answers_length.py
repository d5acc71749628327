"""How long answers are: `python bench/answers_length.py FOLDER`, with clones in FOLDER.

Asks the questions of `answers_length.toml` and runs the commands beside them, as somebody would who
knows git grep. Counts calls and the characters that come back; whether an answer is right is what
`answers.py` and `agents/` measure.
"""

import argparse
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

from benchpin.app import Workbench


def main() -> None:
    """Print a row for each tool, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    asked = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    calls, characters = Counter[str](), Counter[str]()
    commands, printed = Counter[str](), Counter[str]()
    for tree in asked["trees"]:
        bench = Workbench.open(folder / tree)
        for question in (it for it in asked["questions"] if it["tree"] == tree):
            text = bench.call(question["tool"], **question["arguments"]).to_text()
            for tool in (question["tool"], "all"):
                calls[tool] += 1
                characters[tool] += len(text)
                for command in question["shell"]:
                    commands[tool] += 1
                    printed[tool] += len(_printed(command, folder / tree))
        bench.close()
    print("| tool | calls | characters | commands of the shell | characters |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for tool, count in calls.items():
        sizes = f"{characters[tool]:,} | {commands[tool]} | {printed[tool]:,}"
        print(f"| {tool} | {count} | {sizes} |")


def _printed(command: str, root: Path) -> str:
    shell = ("bash", "-c", command)
    done = subprocess.run(shell, cwd=root, capture_output=True, check=False, text=True)
    return done.stdout


if __name__ == "__main__":
    main()
