"""Decide whether a comment admits debt, with a confidence and the words that say so."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import msgspec

from ._cues import CUES, Cue, Phrases, Strength
from ._sentences import DOC_TAG, START, Sentence, read_sentences

# The weight of each strength of cue, learned by `scripts/train_debt.py`.
# People agree on no more than this share of even the clearest comments.
CEILING = 0.958
INTERCEPT = -4.457
WEIGHTS = {
    Strength.TAG: 5.768,
    Strength.BARE: -3.854,
    Strength.STRONG: 5.784,
    Strength.CLEAR: 2.783,
    Strength.FAINT: 0.949,
}
# More likely debt than not; also the best F1 on labelled comments.
MIN_CONFIDENCE = 0.5
# The strengths with a weight, in the order of `count_cues`.
MEASURED = tuple(WEIGHTS)

_DENIALS = frozenset(
    {"avoid", "avoiding", "avoids", "never", "no", "not", "prevent", "prevents", "without"}
)
# How many words before a cue a negation may be.
_DENIAL_REACH = 3
_PHRASES = Phrases([cue.phrase for cue in CUES])
_POINTS = [WEIGHTS.get(cue.strength, 0.0) for cue in CUES]
_BARE = "<bare>"
_TAGGED = frozenset({Strength.TAG, Strength.BARE})
# The confidence in a tag without a word after it.
#
# People who label comments rarely call it debt, because it does not say what is left. But its
# author marked the line, and a search that leaves it out is not trusted.
BARE_TAG = MIN_CONFIDENCE
_TAG_WORD = re.compile(r"<([a-z]+)>")
_END = "$"
# Lengths are doubled up to 2 to this power; longer comments count as that long.
_MAX_WORDS = 6
# Words without a tone that are added to a comment: a single word says little.
_FEW = 2


@dataclass(frozen=True, slots=True)
class FoundCue:
    """A cue and the words that matched it."""

    cue: Cue
    words: str

    @property
    def shown(self) -> str:
        """The words as a reason quotes them: a tag in capitals."""
        words = self.words.removeprefix(f"{START} ")
        return _TAG_WORD.sub(lambda found: found[1].upper(), words)


@dataclass(frozen=True, slots=True)
class DebtVerdict:
    """The sentence of a comment that most likely admits debt."""

    confidence: float
    """The share of comments with such cues that people label as debt."""
    sentence: Sentence
    cues: tuple[FoundCue, ...]

    @property
    def is_plain(self) -> bool:
        """Whether a TODO is all there is, which is as often a wish as a fault."""
        said = {it.cue.strength for it in self.cues}
        return self.sentence.tag == "todo" and said.isdisjoint({Strength.STRONG, Strength.CLEAR})

    @property
    def is_bare(self) -> bool:
        """Whether nothing is said after a tag."""
        return any(it.cue.strength is Strength.BARE for it in self.cues)

    @property
    def reason(self) -> str:
        """The words that indicate debt, and what they mean."""
        ranked = sorted(self.cues, key=lambda it: -WEIGHTS.get(it.cue.strength, 0.0))
        return "; ".join(
            f"{it.shown}: {it.cue.reason}" for it in ranked if it.cue.strength is not Strength.NONE
        )


def judge(text: str, *, is_formal: bool = False) -> DebtVerdict | None:
    """Judge a comment by its most suspicious sentence; None if nothing indicates debt.

    In a formal text, such as documentation or a licence, only tags and strong cues count: weaker
    ones are as likely to describe what the code does.
    """
    sentences = read_sentences(text)
    cues = [find_cues(sentence, is_formal=is_formal) for sentence in sentences]
    is_tagged = any(CUES[number].strength in _TAGGED for found in cues for number in found)
    by_cues = _judge_sentences(sentences, cues)
    by_words = None if is_formal or is_tagged else _judge_whole(sentences, cues)
    found = [it for it in (by_cues, by_words) if it is not None]
    return max(found, key=lambda it: it.confidence, default=None)


def _judge_sentences(
    sentences: Sequence[Sentence], cues: Sequence[Mapping[int, str]]
) -> DebtVerdict | None:
    """Judge by the strengths of the cues of one sentence."""
    best: DebtVerdict | None = None
    best_score = 0.0
    for sentence, found in zip(sentences, cues, strict=True):
        points = sum(_POINTS[number] for number in found)
        if points > best_score:
            best, best_score = _verdict(_probability(points + INTERCEPT), sentence, found), points
    if best is not None and best.is_bare:
        return replace(best, confidence=max(best.confidence, BARE_TAG))
    return best


def _judge_whole(
    sentences: Sequence[Sentence], cues: Sequence[Mapping[int, str]]
) -> DebtVerdict | None:
    """Judge by what was learned about all words of a comment that has a cue."""
    names = [{it for number in found for it in names_of(CUES[number])} for found in cues]
    known = set().union(*names)
    if not known:
        return None
    weights = learned().cues
    points = [sum(weights.get(it, 0.0) for it in own) if own else -math.inf for own in names]
    best = max(range(len(sentences)), key=points.__getitem__)
    return _verdict(_probability(score(sentences, known)), sentences[best], cues[best])


def _verdict(confidence: float, sentence: Sentence, cues: Mapping[int, str]) -> DebtVerdict:
    found = tuple(FoundCue(CUES[number], words) for number, words in cues.items())
    return DebtVerdict(confidence, sentence, found)


def names_of(cue: Cue) -> tuple[str, ...]:
    """Return under which names a cue was learned; none if it only keeps others from matching."""
    return () if cue.strength is Strength.NONE else (cue.phrase, cue.strength)


def count_cues(text: str) -> list[tuple[int, ...]]:
    """Return the number of cues of each strength, for each sentence of a comment."""
    return [
        _counts(CUES[number] for number in find_cues(sentence, is_formal=False))
        for sentence in read_sentences(text)
    ]


def _counts(cues: Iterable[Cue]) -> tuple[int, ...]:
    counted = Counter(cue.strength for cue in cues)
    return tuple(counted[strength] for strength in MEASURED)


def _probability(log_odds: float) -> float:
    return min(CEILING, 1.0 / (1.0 + math.exp(-log_odds)))


def find_cues(sentence: Sentence, *, is_formal: bool) -> dict[int, str]:
    """Return the cues of a sentence by number, with the words that matched."""
    words = _with_bareness(sentence)
    is_formal = is_formal or words[1] == DOC_TAG
    found: dict[int, str] = {}
    for number, start, end in _PHRASES.find(words):
        cue = CUES[number]
        if is_formal and cue.strength in {Strength.CLEAR, Strength.FAINT}:
            continue
        if cue.can_be_denied and not _DENIALS.isdisjoint(
            words[max(0, start - _DENIAL_REACH) : start]
        ):
            continue
        found.setdefault(number, " ".join(words[start:end]))
    return found


def _with_bareness(sentence: Sentence) -> Sequence[str]:
    """Mark a tag without any text after it."""
    words = sentence.words
    if sentence.tag and not any(word[0].isalpha() or word[0] in "?<" for word in words[2:]):
        return [START, _BARE, *words[1:]]
    return words


# What labelled comments say about words: how much each cue, phrase and word weighs.
#
# `scripts/train_debt.py` wrote `learned.json`. A phrase is a word or a pair of words. A word that
# no labelled comment has still weighs something: its tone follows from the words that occur near
# it in other comments.


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
