"""Compare what people say of pairs of identifiers with what we say, and with plain baselines.

The pairs are read from the files named on the command line: CSV with the columns id1, id2,
similarity and relatedness, as IdBench has them (Wainakh, Rauf and Pradel, ICSE 2021).
"""

import argparse
import csv
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from benchpin.measures.names import split_identifier
from benchpin.measures.names._similarity import (
    CONTRAST_WEIGHT,
    MEANING_WEIGHT,
    NameIndex,
    compare_names,
)
from benchpin.measures.names._words import CODE_SHARE

Floats = NDArray[np.float64]
Pair = tuple[str, str]
Ratings = Mapping[str, Floats]

_RATED = ("similarity", "relatedness")
_FOLDS = 5
_MEANING_WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7)
_MANY = 100_000


def read_pairs(path: Path) -> tuple[list[Pair], Ratings]:
    """Read the pairs and how people rated them; not a number where they did not."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    ratings = {it: np.array([_number(row[it]) for row in rows]) for it in _RATED}
    return [(row["id1"], row["id2"]) for row in rows], ratings


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def spearman(ours: Floats, theirs: Floats) -> float:
    """Return the rank correlation over the pairs that were rated."""
    rated = ~np.isnan(theirs)
    return float(np.corrcoef(_ranks(ours[rated]), _ranks(theirs[rated]))[0, 1])


def _ranks(values: Floats) -> Floats:
    """Return the ranks; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=np.float64)


def edit_distance(first: str, second: str) -> float:
    """Return one less the share of letters to change."""
    return Levenshtein.normalized_similarity(first, second)


def word_overlap(first: str, second: str) -> float:
    """Return the share of words that both names have."""
    one, other = set(split_identifier(first)), set(split_identifier(second))
    return len(one & other) / max(len(one | other), 1)


def ours(first: str, second: str) -> float:
    """Return the score of the tool."""
    return compare_names(first, second).score


def without_contrast(first: str, second: str) -> float:
    """Return the score as if no words were opposed."""
    likeness = compare_names(first, second)
    return likeness.score / (1 - CONTRAST_WEIGHT * likeness.contrast)


def meaning_alone(first: str, second: str) -> float:
    """Return the part of the score that is no spelling."""
    meaning = compare_names(first, second).meaning
    return 0.0 if meaning is None else meaning


_METHODS: dict[str, Callable[[str, str], float]] = {
    "Benchpin": ours,
    "without contrast": without_contrast,
    "its meaning alone": meaning_alone,
    "edit distance": edit_distance,
    "word overlap": word_overlap,
}


def agreement_table(pairs: Sequence[Pair], ratings: Ratings) -> Iterable[str]:
    """Yield a line a method: its rank correlation with what people say."""
    yield "| method | similarity | relatedness |"
    yield "| --- | ---: | ---: |"
    for name, method in _METHODS.items():
        scores = np.array([method(*pair) for pair in pairs])
        cells = " | ".join(f"{spearman(scores, ratings[it]):.3f}" for it in _RATED)
        yield f"| {name} | {cells} |"


def _mixed(meanings: Floats, forms: Floats, weight: float) -> Floats:
    mixed = weight * np.clip(meanings, 0, 1) + (1 - weight) * forms
    return np.where(np.isnan(meanings), forms, mixed)


def all_scores(pairs: Sequence[Pair]) -> dict[float, Floats]:
    """Return what every weight of meaning makes of the pairs."""
    likenesses = [compare_names(*pair) for pair in pairs]
    forms = np.array([(it.spelling + it.words) / 2 for it in likenesses])
    contrasts = np.array([it.contrast for it in likenesses])
    meanings = np.array([math.nan if it.meaning is None else it.meaning for it in likenesses])
    kept = 1 - CONTRAST_WEIGHT * contrasts
    return {weight: _mixed(meanings, forms, weight) * kept for weight in _MEANING_WEIGHTS}


def folds_by_identifier(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    """Return the fold of each pair; pairs that share an identifier are in the same one."""
    parts = sorted(map(sorted, nx.connected_components(nx.Graph(pairs))))
    sizes = [0] * _FOLDS
    fold_of: dict[str, int] = {}
    for place in np.random.default_rng(0).permutation(len(parts)).tolist():
        fold = sizes.index(min(sizes))
        sizes[fold] += len(parts[place])
        fold_of |= dict.fromkeys(parts[place], fold)
    return np.array([fold_of[first] for first, _ in pairs])


def held_out_scores(
    pairs: Sequence[Pair], ratings: Ratings
) -> tuple[Floats, Sequence[tuple[int, float]]]:
    """Return the score of each pair by the weights that the other folds choose, and these."""
    scores = all_scores(pairs)
    fold_of = folds_by_identifier(pairs)
    unseen = np.zeros(len(pairs))
    chosen = []
    for fold in range(_FOLDS):
        seen = fold_of != fold
        best = max(scores, key=lambda it: _both(scores[it][seen], ratings, seen))
        unseen[~seen] = scores[best][~seen]
        chosen.append((fold, best))
    return unseen, chosen


def fold_table(pairs: Sequence[Pair], ratings: Ratings) -> Iterable[str]:
    """Yield a line a fold: the weights that the other folds choose, and how they do on this one."""
    scores = all_scores(pairs)
    fold_of = folds_by_identifier(pairs)
    unseen, chosen = held_out_scores(pairs, ratings)
    yield "| fold | meaning | similarity | relatedness |"
    yield "| --- | ---: | ---: | ---: |"
    for fold, best in chosen:
        held = fold_of == fold
        cells = [best, *(f"{spearman(unseen[held], ratings[it][held]):.3f}" for it in _RATED)]
        yield f"| {fold + 1} | {' | '.join(map(str, cells))} |"
    ends = " | ".join(f"{spearman(unseen, ratings[it]):.3f}" for it in _RATED)
    yield f"| all, each by weights that did not see it | | {ends} |"
    best = max(scores, key=lambda it: _both(scores[it], ratings, slice(None)))
    yield f"| chosen by all | {best} | | |"


def _both(scores: Floats, ratings: Ratings, chosen: NDArray[np.bool_] | slice) -> float:
    return sum(spearman(scores, ratings[it][chosen]) for it in _RATED)


def time_query() -> str:
    """Say how long one query against many names takes once they are known."""
    stems = ("load", "userName", "http_request", "Widget", "computeTotal", "idx", "parseTree")
    index = NameIndex([f"{stems[it % 7]}{stems[it // 7 % 7]}{it}" for it in range(_MANY)])
    took = []
    for phonetic in (False, True, True):
        began = time.perf_counter()
        index.scores("calculateTotal", phonetic=phonetic)
        took.append(time.perf_counter() - began)
    return (
        f"one query, {_MANY:,} names: {took[0] * 1000:.0f} ms; "
        f"with sounds {took[1] * 1000:.0f} ms at first, then {took[2] * 1000:.0f} ms"
    )


def main() -> None:
    """Print the tables for each file of pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="+", type=Path, help="CSV files of rated pairs")
    for path in parser.parse_args().pairs:
        pairs, ratings = read_pairs(path)
        print(f"## {path.name}: {len(pairs)} pairs\n")
        print("\n".join(agreement_table(pairs, ratings)) + "\n")
        print("\n".join(fold_table(pairs, ratings)) + "\n")
    print(f"Shipped: {CODE_SHARE}, {MEANING_WEIGHT}, {CONTRAST_WEIGHT}; {time_query()}.")


if __name__ == "__main__":
    main()
