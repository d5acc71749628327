"""Compare the similarity of names with the ratings of IdBench, beside what its files say of others.

IdBench is Wainakh, Rauf and Pradel, ICSE 2021. Pairs are held out by identifier: the weights that
judge a pair were chosen by pairs that share no identifier with it.
"""

import csv
from pathlib import Path

import numpy as np

from agreement.table import Row, checkout
from names import edit_distance, held_out_scores, ours, read_pairs, spearman

_RIVALS = {"FT-cbow": "FastText, CBOW", "FT-SG": "FastText, skip-gram"}


def rows(projects: Path) -> list[Row]:
    """Return rank correlations with both ratings, of `names/pairs-medium.csv`."""
    path = checkout(projects, "names") / "pairs-medium.csv"
    pairs, ratings = read_pairs(path)
    with path.open(encoding="utf-8", newline="") as lines:
        rated = list(csv.DictReader(lines))
    scores = {
        "weights chosen by other identifiers": held_out_scores(pairs, ratings)[0],
        "weights as shipped": np.array([ours(*pair) for pair in pairs]),
        "edit distance": np.array([edit_distance(*pair) for pair in pairs]),
    }
    for column, name in _RIVALS.items():
        scores[name] = np.array([float(row[column]) for row in rated])
    result = "; ".join(
        f"{name} {spearman(it, ratings['similarity']):.3f}, "
        f"{spearman(it, ratings['relatedness']):.3f}"
        for name, it in scores.items()
    )
    sample = f"IdBench, {len(pairs)} pairs: similarity, relatedness"
    return [Row("names", "ratings by people", sample, result)]
