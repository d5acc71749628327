"""Judge one comment: does its author admit debt, how surely, and in which words."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ._cues import Cue, Strength
from ._known import CUES
from ._phrases import Phrases
from ._prose import DOC_TAG, START, Sentence, read_sentences
from ._weights import CEILING, INTERCEPT, WEIGHTS

MEASURED = tuple(WEIGHTS)
"""The strengths that count, in the order of a sentence's counts."""

_DENIALS = frozenset(
    {"avoid", "avoiding", "avoids", "never", "no", "not", "prevent", "prevents", "without"}
)
_DENIAL_REACH = 3
_PHRASES = Phrases([cue.phrase for cue in CUES])
_POINTS = [WEIGHTS.get(cue.strength, 0.0) for cue in CUES]
_BARE = "<bare>"
_TAG_WORD = re.compile(r"<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A cue and the words in which it was met."""

    cue: Cue
    words: str

    @property
    def shown(self) -> str:
        """The words as they are quoted: a tag in capitals."""
        words = self.words.removeprefix(f"{START} ")
        return _TAG_WORD.sub(lambda found: found[1].upper(), words)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the most telling sentence of a comment says."""

    confidence: float
    """The share of comments with such cues that people call debt."""
    sentence: Sentence
    spoken: tuple[Spoken, ...]

    @property
    def is_plain(self) -> bool:
        """Whether nothing speaks but a TODO, which is as often a wish as a fault."""
        said = {it.cue.strength for it in self.spoken}
        return self.sentence.tag == "todo" and said.isdisjoint({Strength.STRONG, Strength.CLEAR})

    @property
    def reason(self) -> str:
        """Which words spoke, and what they say."""
        ranked = sorted(self.spoken, key=lambda it: -WEIGHTS.get(it.cue.strength, 0.0))
        return "; ".join(
            f"{it.shown}: {it.cue.reason}" for it in ranked if it.cue.strength is not Strength.NONE
        )


def judge(text: str, *, is_formal: bool = False) -> Verdict | None:
    """Judge a comment by its most telling sentence; None when nothing speaks for debt.

    In a formal text, such as documentation or a licence, only tags and strong cues are heard:
    everything else is as likely to be about what the code does.
    """
    best: Verdict | None = None
    best_score = 0.0
    for sentence in read_sentences(text):
        heard = _heard(sentence, is_formal=is_formal)
        score = sum(_POINTS[number] for number in heard)
        if score > best_score:
            spoken = tuple(Spoken(CUES[number], words) for number, words in heard.items())
            best, best_score = Verdict(_probability(score), sentence, spoken), score
    return best


def count_cues(text: str) -> list[tuple[int, ...]]:
    """Return how many cues of each strength each sentence of a comment has, as it is judged."""
    return [
        _counts(CUES[number] for number in _heard(sentence, is_formal=False))
        for sentence in read_sentences(text)
    ]


def _counts(cues: Iterable[Cue]) -> tuple[int, ...]:
    counted = Counter(cue.strength for cue in cues)
    return tuple(counted[strength] for strength in MEASURED)


def _probability(score: float) -> float:
    return min(CEILING, 1.0 / (1.0 + math.exp(-(score + INTERCEPT))))


def _heard(sentence: Sentence, *, is_formal: bool) -> dict[int, str]:
    """Return the cues of a sentence by their numbers, each with its words."""
    words = _with_bareness(sentence)
    is_formal = is_formal or words[1] == DOC_TAG
    heard: dict[int, str] = {}
    for number, start, end in _PHRASES.find(words):
        cue = CUES[number]
        if is_formal and cue.strength in {Strength.CLEAR, Strength.FAINT}:
            continue
        if cue.can_be_denied and not _DENIALS.isdisjoint(
            words[max(0, start - _DENIAL_REACH) : start]
        ):
            continue
        heard.setdefault(number, " ".join(words[start:end]))
    return heard


def _with_bareness(sentence: Sentence) -> Sequence[str]:
    """Mark a tag after which nothing is said."""
    words = sentence.words
    if sentence.tag and not any(word[0].isalpha() or word[0] in "?<" for word in words[2:]):
        return [START, _BARE, *words[1:]]
    return words
