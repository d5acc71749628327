"""Measure how many clones with known edits are found, and what is reported that is none.

    python bench/duplicates_recall.py PATH [PAIRS.txt=py ...]

Functions of the Python project in PATH are copied and edited in known ways (duplicates_mutants.py).
PAIRS.txt has pairs of functions that do the same, in the form of ValidateClones: a line of `$`,
four lines of origin, and the two texts, each behind a line of `-`.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection
from benchpin.measures.clones import ALL, DuplicateOptions, find_duplicates
from benchpin.measures.clones._grouping import CloneType
from duplicates_mutants import MUTATIONS, collect
from results import help_if_asked, machine, write_section

COUNT = 400
SHARE = 0.7
THRESHOLDS = (0.85, 0.7)
LANGUAGES = {"py": "python", "java": "java"}

NEAR = frozenset({"gapped", "semantic"})

Pair = tuple[str, str]


@dataclass(frozen=True)
class Verdict:
    """What came of one set of pairs."""

    types: Counter[CloneType]
    """Pairs by the strictest type of clone that they were found as."""
    near_groups: int
    """Groups of gapped and semantic clones."""
    strangers: int
    """Those of them that join functions of different origin, copies of one another aside."""


def read(texts: Sequence[str], language: str, folder: str) -> list[FileFacts]:
    """Return the facts of functions, a file each."""
    found = []
    for number, text in enumerate(texts):
        facts = extract(text.encode(), language)
        sections: dict[str, AnySection] = {"outline": facts.outline, "tokens": facts.tokens}
        found.append(FileFacts(f"{folder}/{number}", language, len(text), sections))
    return found


def judge(pairs: Sequence[Pair], language: str, threshold: float) -> Verdict:
    """Look for clones among pairs."""
    lefts = read([left for left, _ in pairs], language, "left")
    rights = read([right for _, right in pairs], language, "right")
    lines = {file.path: file.outline.lines for file in (*lefts, *rights)}
    options = DuplicateOptions(threshold=threshold)
    groups = find_duplicates([*lefts, *rights], options, Job()).groups
    types: dict[str, set[str]] = {}
    members: list[tuple[CloneType, set[str]]] = []
    for group in groups:
        whole = {
            it.file for it in group.fragments if it.end_line - it.line + 1 >= SHARE * lines[it.file]
        }
        numbers = Counter(file.partition("/")[2] for file in whole)
        members.append((group.type, set(numbers)))
        for number, count in numbers.items():
            if count > 1:
                types.setdefault(number, set()).add(group.type)
    first = Counter(next(kind for kind in ALL if kind in found) for found in types.values())
    near = [joined for kind, joined in members if kind in NEAR]
    copies: nx.Graph[str] = nx.Graph()
    for kind, joined in members:
        if kind not in NEAR:
            nx.add_path(copies, sorted(joined))
    family = {it: min(part) for part in nx.connected_components(copies) for it in part}
    strangers = sum(len({family.get(it, it) for it in joined}) > 1 for joined in near)
    return Verdict(first, len(near), strangers)


def row(name: str, pairs: Sequence[Pair], language: str, threshold: float) -> str:
    """Return one line of the table."""
    found = judge(pairs, language, threshold)
    cells = " | ".join(f"{found.types[kind]}" for kind in ALL)
    share = f"{found.types.total() / len(pairs):.1%}"
    strangers = f"{found.strangers} of {found.near_groups}"
    return f"| {name} | {threshold} | {len(pairs)} | {cells} | {share} | {strangers} |"


def read_pairs(argument: str) -> tuple[str, list[Pair], str]:
    """Read `PAIRS.txt=py`; functions under the minimum of 5 lines and 50 tokens are left out."""
    place, _, ending = argument.rpartition("=")
    language = LANGUAGES[ending]
    blocks = re.split(r"^\$+\n", Path(place).read_text(encoding="utf-8"), flags=re.MULTILINE)
    pairs: dict[str, Pair] = {}
    for block in blocks:
        parts = re.split(r"^-+\n", block, flags=re.MULTILINE)
        if len(parts) >= 3:  # noqa: PLR2004 - origin and two texts
            origin = parts[0].split("\n")[0]
            texts = (_wrapped(parts[1], ending), _wrapped(parts[2], ending))
            if all(_is_big_enough(text, language) for text in texts):
                pairs.setdefault(origin, texts)
    return f"pairs of {Path(place).stem}", list(pairs.values()), language


def _wrapped(text: str, ending: str) -> str:
    return f"class A {{\n{text}\n}}\n" if ending == "java" else text


def _is_big_enough(text: str, language: str) -> bool:
    functions = extract(text.encode(), language).outline.functions
    return any(it.code_lines >= 5 and it.last_token - it.first_token >= 50 for it in functions)  # noqa: PLR2004


def main() -> None:
    """Measure and write the section."""
    chosen = collect(Path(sys.argv[1]), COUNT)
    originals = [it for it in chosen if _is_big_enough(it.text, "python")]
    labelled = [read_pairs(argument) for argument in sys.argv[2:]]
    rows = []
    for threshold in THRESHOLDS:
        for name, mutate in MUTATIONS.items():
            chance = random.Random(1)  # noqa: S311 - the same edits every time
            edited = [(it.text, mutate(it, chance)) for it in originals]
            pairs = [(text, mutant) for text, mutant in edited if mutant]
            rows.append(row(name, pairs, "python", threshold))
        rows += [row(name, pairs, language, threshold) for name, pairs, language in labelled]
    name = Path(sys.argv[1]).name
    text = [
        f"{len(originals)} functions of {name} and a copy of each, edited; {machine()}.",
        f"A pair is found when {SHARE:.0%} of both are in one group; its strictest type counts.",
        "",
        "| edit | threshold | pairs | exact | renamed | gapped | semantic | found | strangers |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        "Strangers: of the gapped and semantic groups, those that join functions of different",
        "origin; origins with the same code count as one, but real near-clones are among them.",
    ]
    write_section("Duplicates with known edits", "\n".join(text))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
