"""Measure the search for exact clones beside jscpd on one tree: time, memory, clones found.

    python bench/duplicates.py PATH [JSCPD]

Both look for at least 50 tokens and 5 lines in the Python files of the tree, comments left aside
(jscpd: --mode weak). Whole commands are timed from outside, in turn. A clone of jscpd is found
when one group of ours has, in each of its two places, 70 % of the lines that it has in full.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import numpy as np

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, SourceIndex, SourceQuery
from benchpin.measures.clones import DuplicateOptions, find_duplicates
from benchpin.measures.clones._corpus import Corpus, build_corpus
from results import help_if_asked, machine, write_section
from source import BENCHPIN, SETTLED_S, peak_of, timed

ROUNDS = 5
TOKENS, LINES = 50, 5
SHARES = (0.5, 0.7, 0.9)
SHARE = 0.7
OURS = (*BENCHPIN, "analyze", "duplicates", "--toolchain", "python", "--detection-type", "exact")


@dataclass(frozen=True)
class Span:
    """Lines of a file; the first and the last only if they are whole."""

    file: str
    line: int
    end_line: int
    whole: frozenset[int]


Pair = tuple[Span, Span]


def rival(program: str, output: str) -> tuple[str, ...]:
    """Return the command of jscpd."""
    limits = ("--min-tokens", str(TOKENS), "--min-lines", str(LINES))
    report = ("--reporters", "json,silent", "--output", output)
    return (program, "--format", "python", "--mode", "weak", *limits, *report, ".")


def read_rival(tree: Path, output: str) -> list[Pair]:
    """Return the clones that jscpd reported."""
    found = json.loads(Path(output, "jscpd-report.json").read_text(encoding="utf-8"))

    @cache
    def texts(name: str) -> list[str]:
        return (tree / name).read_text(encoding="utf-8").split("\n")

    def span(place: dict[str, dict[str, int]], name: str, first: int, last: int) -> Span:
        lines = texts(name)
        code = {
            at
            for at in range(first, last + 1)
            if lines[at - 1].strip() and not lines[at - 1].lstrip().startswith("#")
        }
        indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
        if place["startLoc"]["column"] > indent:
            code.discard(first)
        if place["endLoc"]["column"] < len(lines[last - 1].rstrip()):
            code.discard(last)
        return Span(name, first, last, frozenset(code))

    def pair(clone: dict[str, dict[str, int]]) -> Pair:
        places = [clone["firstFile"], clone["secondFile"]]
        spans = [span(it, str(it["name"]), it["start"], it["end"]) for it in places]  # type: ignore[arg-type]  # JSON
        return spans[0], spans[1]

    return [pair(clone) for clone in found["duplicates"]]


def read_ours(tree: Path) -> tuple[list[list[Span]], list[FileFacts]]:
    """Return our groups, and the facts they were found in."""
    with tempfile.TemporaryDirectory() as folder:
        index = SourceIndex(tree, Path(folder))
        query = SourceQuery(sections=("outline", "tokens"), languages=frozenset({"python"}))
        files = index.read(query, Job()).files
        index.close()
    found = find_duplicates(files, DuplicateOptions(types=("exact",)), Job())
    groups = [
        [Span(it.file, it.line, it.end_line, frozenset()) for it in group.fragments]
        for group in found.groups
    ]
    return groups, files


def is_found(pair: Pair, places: dict[str, list[tuple[int, Span]]], share: float) -> bool:
    """Whether one group covers both places of a clone to such a share."""
    covering = [
        {
            number
            for number, it in places.get(span.file, [])
            if sum(it.line <= line <= it.end_line for line in span.whole) >= share * len(span.whole)
        }
        for span in pair
    ]
    return bool(covering[0] & covering[1])


def why_missed(pair: Pair, corpus: Corpus) -> str:
    """Say what kind of clone it is that we do not have."""
    words, lines = [], []
    for span in pair:
        at = corpus.paths.index(span.file)
        here = slice(int(corpus.starts[at]), int(corpus.starts[at + 1]) - 1)
        numbers = corpus.lines.of(np.arange(here.start, here.stop))
        inside = (numbers >= span.line) & (numbers <= span.end_line)
        words.append(corpus.tokens[here][inside].tolist())
        lines.append(numbers[inside].tolist())
    run = SequenceMatcher(None, words[0], words[1], autojunk=False).find_longest_match()
    if run.size < TOKENS:
        return f"fewer than {TOKENS} of our tokens in a row agree"
    first, second = pair
    if (
        first.file == second.file
        and second.line <= first.end_line
        and first.line <= second.end_line
    ):
        return "the two places overlap"
    if lines[0][run.a + run.size - 1] - lines[0][run.a] + 1 < LINES:
        return f"the tokens that agree are on fewer than {LINES} lines"
    begins = [
        [0, *(at for at in range(1, len(it)) if it[at] > it[at - 1]), len(it)] for it in lines
    ]
    first_lines = {at - run.a for at in begins[0]} & {at - run.b for at in begins[1]}
    bounds = [at for at in first_lines if 0 <= at <= run.size]
    if not bounds or whole_lines(lines[0][run.a : run.a + run.size], bounds) < LINES:
        return f"fewer than {LINES} lines agree as a whole"
    return "other"


def whole_lines(lines: Sequence[int], bounds: Sequence[int]) -> int:
    """Return how many lines the tokens between two bounds span."""
    inside = lines[min(bounds) : max(bounds)]
    return inside[-1] - inside[0] + 1 if inside else 0


def compare(tree: Path, output: str) -> tuple[str, dict[float, float]]:
    """Return what was found of the rival's clones, as a table, and in numbers."""
    theirs = read_rival(tree, output)
    groups, files = read_ours(tree)
    places: dict[str, list[tuple[int, Span]]] = {}
    for number, group in enumerate(groups):
        for span in group:
            places.setdefault(span.file, []).append((number, span))
    shares = {
        share: sum(is_found(pair, places, share) for pair in theirs) / len(theirs)
        for share in SHARES
    }
    corpus = build_corpus(files, Job(), splits_literals=True)
    missed = [pair for pair in theirs if not is_found(pair, places, SHARE)]
    reasons = Counter(why_missed(pair, corpus) for pair in missed)
    rows = [
        f"jscpd has {len(theirs):,} pairs, we {len(groups):,} groups.",
        "",
        "| lines of each place that must be covered | clones of jscpd found |",
        "| --- | --- |",
        *(f"| {share:.0%} | {found:.2%} |" for share, found in shares.items()),
        "",
        f"| the {len(missed)} that are missing at {SHARE:.0%} | clones |",
        "| --- | --- |",
        *(f"| {reason} | {count} |" for reason, count in reasons.most_common()),
    ]
    return "\n".join(rows), shares


def measure(tree: Path, program: str) -> str:
    """Run everything in turn and return the report."""
    seconds: dict[str, list[float]] = {"jscpd": [], "cold": [], "facts": [], "warm": []}
    with tempfile.TemporaryDirectory() as folder:
        theirs = rival(program, folder)
        warm = {"BENCHPIN_CACHE_DIR": str(Path(folder, "warm"))}
        timed(OURS, tree, **warm)
        time.sleep(SETTLED_S)
        for number in range(ROUNDS):
            cold = {"BENCHPIN_CACHE_DIR": str(Path(folder, str(number)))}
            seconds["jscpd"].append(timed(theirs, tree))
            seconds["cold"].append(timed(OURS, tree, **cold))
            forget_clones(Path(folder, "warm"))
            seconds["facts"].append(timed(OURS, tree, **warm))
            seconds["warm"].append(timed(OURS, tree, **warm))
        peaks = {
            "jscpd": peak_of(theirs, tree),
            "cold": peak_of(OURS, tree, BENCHPIN_CACHE_DIR=str(Path(folder, "peak"))),
            "warm": peak_of(OURS, tree, **warm),
        }
        forget_clones(Path(folder, "warm"))
        peaks["facts"] = peak_of(OURS, tree, **warm)
        table, shares = compare(tree, folder)
    return "\n".join([*head(tree, seconds, peaks), "", table, "", *aims(seconds, peaks, shares)])


def forget_clones(cache: Path) -> None:
    """Delete what was found, so that facts are known and clones are searched for."""
    for path in cache.rglob("reductions-*"):
        path.unlink()


def head(tree: Path, seconds: dict[str, list[float]], peaks: dict[str, float]) -> Sequence[str]:
    """Return times and memory."""
    names = {
        "jscpd": "`jscpd --mode weak`",
        "cold": "`benchpin analyze duplicates`, nothing known",
        "facts": "`benchpin analyze duplicates`, facts of files known",
        "warm": "`benchpin analyze duplicates`, again",
    }
    load = os.getloadavg()[0]
    return [
        f"{tree.name}, exact clones; {ROUNDS} rounds in turn; {machine()}, load {load:.0f}.",
        "",
        "| program | median s | best s | peak MB |",
        "| --- | --- | --- | --- |",
        *(
            f"| {names[way]} | {statistics.median(it):.2f} | {min(it):.2f} | {peaks[way]:.0f} |"
            for way, it in seconds.items()
        ),
    ]


def aims(
    seconds: dict[str, list[float]], peaks: dict[str, float], shares: dict[float, float]
) -> Sequence[str]:
    """Return what was wanted beside what was measured."""
    medians = {way: statistics.median(it) for way, it in seconds.items()}
    return [
        "| what | measured | aim |",
        "| --- | --- | --- |",
        f"| time to jscpd's, again | {medians['warm'] / medians['jscpd']:.2f}× | ≤ 0.5× |",
        f"| time to jscpd's, facts known | {medians['facts'] / medians['jscpd']:.2f}× | ≤ 1× |",
        f"| time to jscpd's, nothing known | {medians['cold'] / medians['jscpd']:.2f}× | ≤ 1× |",
        f"| memory to jscpd's, again | {peaks['warm'] / peaks['jscpd']:.2f}× | ≤ 0.5× |",
        f"| memory to jscpd's, facts known | {peaks['facts'] / peaks['jscpd']:.2f}× | ≤ 0.5× |",
        f"| memory to jscpd's, nothing known | {peaks['cold'] / peaks['jscpd']:.2f}× | ≤ 0.5× |",
        f"| its clones found | {shares[SHARE]:.2%} | ≥ 99 % |",
    ]


def main() -> None:
    """Measure and write the section."""
    tree = Path(sys.argv[1]).resolve()
    program = sys.argv[2] if len(sys.argv) > 2 else shutil.which("jscpd")  # noqa: PLR2004
    if program is None:
        sys.exit("jscpd is not installed: pip install jscpd")
    write_section("Duplicates beside jscpd", measure(tree, program))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
