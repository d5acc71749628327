"""Collect every sentence that users read, to be read with fresh eyes.

    python bench/words.py [--draw N --seed S] [RESULTS...]

README, docs, the help of every command, and files with what commands printed. One sentence a line,
after its place; `--draw` takes some at random. bench/first_hour.md has what was counted.
"""

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from benchpin.cli.groups import ENTRIES, GROUPS, words_of
from benchpin.cli.main import OWN, cli

ROOT = Path(__file__).parent.parent
# Code, generated comments and pictures have no sentences.
NO_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|!\[[^]]*\]\([^)]*\)", re.MULTILINE | re.DOTALL)
# A new paragraph, a point of a list, a heading or a cell of a table begins a sentence.
BLOCK = re.compile(r"\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+|\n#+\s+|\n?\|")
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`\"*\[])")
MIN_WORDS = 3


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without those of one or two words."""
    for block in BLOCK.split("\n" + NO_PROSE.sub("", text)):
        for sentence in SENTENCE_END.split(" ".join(block.split())):
            if len(re.findall(r"[A-Za-z]{2,}", sentence)) >= MIN_WORDS:
                yield sentence


def documents() -> Iterator[tuple[str, str]]:
    """Yield the place and text of each document."""
    for place in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        yield str(place.relative_to(ROOT)), place.read_text(encoding="utf-8")


def help_texts() -> Iterator[tuple[str, str]]:
    """Yield each command and its help, options as points of a list."""
    words = [[], *([it] for it in {*ENTRIES, *OWN})]
    words += [[group, it] for group in GROUPS for it in (words_of(group) or ((), ()))[1]]
    for arguments in words:
        shown = CliRunner().invoke(cli, [*arguments, "--help"], terminal_width=10_000)
        text = re.sub(r"^  (-\S.*?|\S+) {2,}", "\n\n", shown.stdout, flags=re.MULTILINE)
        yield f"benchpin {' '.join(arguments)} --help", text


def main() -> None:
    """Print the sentences, each once."""
    parser = argparse.ArgumentParser()
    parser.add_argument("results", nargs="*", type=Path)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    printed = ((it.name, it.read_text(encoding="utf-8")) for it in chosen.results)
    found: dict[str, str] = {}
    for place, text in (*documents(), *help_texts(), *printed):
        for sentence in sentences(text):
            found.setdefault(sentence, place)
    lines = [f"{place}: {sentence}" for sentence, place in found.items()]
    if chosen.draw:
        lines = random.Random(chosen.seed).sample(lines, chosen.draw)  # noqa: S311 - no secret
    print("\n".join(lines))


if __name__ == "__main__":
    main()
