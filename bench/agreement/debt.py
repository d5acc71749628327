"""Compare debt comments with the labels of the replication kit of MAT (Guo and others, 2021).

It has the comments of 20 Java projects, each distinct one once: ten labelled by Maldonado and
others, five of which the lexicon was written on, and ten labelled by its authors.
"""

import re
from pathlib import Path

from agreement.table import Row, checkout
from benchpin.measures.debt import MIN_CONFIDENCE
from benchpin.measures.debt._verdict import judge

KNOWN = ("Ant", "ArgoUML", "Columba", "Hibernate", "JFreeChart")
OTHERS = ("EMF", "JEdit", "JMeter", "JRuby", "SQuirrel")
_KEYWORDS = re.compile(r"\b(?:todo|fixme|xxx|hack)\b", re.IGNORECASE)


def rows(projects: Path) -> list[Row]:
    """Return precision, recall and F1 on projects that nothing was learned from."""
    folder = checkout(projects, "Naplues/MAT") / "dataset"
    names = [it.stem.removeprefix("data--") for it in sorted(folder.glob("data--*.txt"))]
    samples = {
        "5 projects of Maldonado": [it for it in names if it in OTHERS],
        "10 projects of Guo": [it for it in names if it not in KNOWN + OTHERS],
    }
    return [_row(folder, title, chosen) for title, chosen in samples.items()]


def _row(folder: Path, title: str, names: list[str]) -> Row:
    ours, keywords, labels = [], [], []
    for name in names:
        texts = folder.joinpath(f"data--{name}.txt").read_text("utf-8", "replace").splitlines()
        found = folder.joinpath(f"label--{name}.txt").read_text("utf-8").splitlines()
        labels += [it == "positive" for it in found]
        for text in texts:
            verdict = judge(text)
            ours.append(verdict is not None and verdict.confidence >= MIN_CONFIDENCE)
            keywords.append(_KEYWORDS.search(text) is not None)
    sample = f"{title}, {sum(labels)} of {len(labels):,} comments are debt"
    result = f"{_scores(ours, labels)}; keywords {_scores(keywords, labels)}"
    return Row("debt comments", "labels by people", sample, result)


def _scores(said: list[bool], labels: list[bool]) -> str:
    right = sum(one and two for one, two in zip(said, labels, strict=True))
    precision, recall = right / max(sum(said), 1), right / max(sum(labels), 1)
    return f"F1 {2 * right / (sum(said) + sum(labels)):.3f} (P {precision:.3f}, R {recall:.3f})"
