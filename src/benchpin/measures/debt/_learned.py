"""What labelled comments say about words: how much each cue, phrase and word weighs.

`scripts/train_debt.py` wrote `learned.json`. A phrase is a word or a pair of words. A word that no
labelled comment has still weighs something: its tone follows from the words that occur near it in
other comments.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from ._sentences import Sentence

_END = "$"
# Lengths are doubled up to 2 to this power; longer comments count as that long.
_MAX_WORDS = 6
# Words without a tone that are added to a comment: a single word says little.
_FEW = 2


class Learned(msgspec.Struct, frozen=True):
    """Weights; what is not in a table weighs nothing."""

    intercept: float
    cues: dict[str, float]
    """By phrase of the lexicon, and by strength."""
    phrases: dict[str, float]
    tones: dict[str, float]
    """Of words; the mean of all words of a comment counts."""


@cache
def learned() -> Learned:
    """Return the weights of the package."""
    return msgspec.json.decode(
        files(__package__).joinpath("learned.json").read_bytes(), type=Learned
    )


def phrases_of(sentence: Sentence) -> Iterator[str]:
    """Yield the words of a sentence and the pairs of neighbouring words, its ends included."""
    before = ""
    for word in (*sentence.words, _END):
        if before:
            yield f"{before} {word}"
            if word != _END:
                yield word
        before = word


def size_of(sentences: Sequence[Sentence]) -> str:
    """Return the length of a comment as a phrase, by powers of two."""
    count = sum(len(it.words) - 1 for it in sentences)
    return f"[{min(_MAX_WORDS, (count + 1).bit_length() - 1)}]"


def words_of(sentences: Sequence[Sentence]) -> list[str]:
    """Return the plain words of a comment."""
    return [word for it in sentences for word in it.words if word[0].isalpha()]


def score(sentences: Sequence[Sentence], cues: Collection[str]) -> float:
    """Return the logarithm of the odds that a comment without a tag admits debt."""
    known = learned()
    phrases = {size_of(sentences), *(it for sentence in sentences for it in phrases_of(sentence))}
    words = words_of(sentences)
    tone = sum(known.tones.get(word, 0.0) for word in words) / (len(words) + _FEW)
    weights = (known.phrases.get(phrase, 0.0) for phrase in phrases)
    return known.intercept + sum(known.cues.get(it, 0.0) for it in cues) + sum(weights) + tone
