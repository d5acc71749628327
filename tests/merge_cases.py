"""Random three-way merges, and what `git merge-file` makes of them."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from repositories import GIT

_ALPHABETS = (
    ["a", "b", ""],
    ["a", "b", "c", "d", "e", "f", "g", "", "}", "  x"],
    [*(f"line {it}" for it in range(200)), "", "}"],
)


class MergeCase(NamedTuple):
    """Three versions of a text."""

    base: bytes
    ours: bytes
    theirs: bytes


def merge_cases(seed: int, count: int) -> Iterator[MergeCase]:
    """Yield texts of few and of many different lines, with all kinds of line ends."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(count):
        alphabet = chance.choice(_ALPHABETS)
        base = [chance.choice(alphabet) for _ in range(chance.choice([0, 1, 3, 8, 20, 60]))]
        ours = _edited(base, alphabet, chance)
        theirs = _edited(ours if chance.random() < 0.15 else base, alphabet, chance)
        kinds = [0, 0, 0, 1, 2, 3] if chance.random() < 0.3 else [0]
        yield MergeCase(*(_text(it, chance.choice(kinds), chance) for it in (base, ours, theirs)))


def _edited(lines: list[str], alphabet: list[str], chance: random.Random) -> list[str]:
    edited = list(lines)
    for _ in range(chance.choice([0, 1, 1, 2, 3, 6])):
        at = chance.randint(0, len(edited))
        fresh = [chance.choice(alphabet) for _ in range(chance.randint(1, 4))]
        kind = chance.random()
        if kind < 0.35:
            edited[at:at] = fresh
        elif kind < 0.65:
            del edited[at : at + len(fresh)]
        elif kind < 0.9:
            edited[at : at + chance.randint(1, 3)] = fresh
        else:
            block = edited[at : at + 3]
            del edited[at : at + 3]
            at = chance.randint(0, len(edited))
            edited[at:at] = block
    return edited


def _text(lines: list[str], kind: int, chance: random.Random) -> bytes:
    """Join lines with LF, with CRLF, without a last line end, or with a mixture."""
    ends = {0: ["\n"], 1: ["\r\n"], 2: ["\n"], 3: ["\n", "\r\n"]}[kind]
    text = "".join(line + chance.choice(ends) for line in lines)
    return text.removesuffix("\n" if kind == 2 else "").encode()


def merged_by_git(case: MergeCase, folder: Path) -> tuple[bytes, int]:
    """Return what git makes of a case, and the number of conflicts."""
    for name, content in zip(("base", "ours", "theirs"), case, strict=True):
        (folder / name).write_bytes(content)
    labels = ("-L", "yours", "-L", "base", "-L", "template")
    done = subprocess.run(
        (GIT, "merge-file", "-p", *labels, "ours", "base", "theirs"),
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.stdout, done.returncode
