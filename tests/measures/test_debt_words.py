"""Weak cues, among words that were learned to go with debt or not."""

import pytest

from benchpin.measures.debt import MIN_CONFIDENCE
from benchpin.measures.debt._cues import CUES
from benchpin.measures.debt._verdict import judge, learned


def is_debt(text: str) -> bool:
    verdict = judge(text)
    return verdict is not None and verdict.confidence >= MIN_CONFIDENCE


@pytest.mark.parametrize(
    "comment",
    [
        "// not sure what this flag is about",
        "// should this method be part of the reader??",
        "// this method is not used by anybody, could be removed",
        "// could probably be moved to a common place",
        "# not very elegant, but it works",
        "// how should we handle this??",
        "# revisit: the sizes may not be ideal",
        "// I think this method should be private",
        "// maybe we should throw an exception here",
    ],
)
def test_a_weak_cue_is_debt_among_words_that_go_with_it(comment: str) -> None:
    assert is_debt(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "// not sure: the server answers this when it is starting up",
        "// is this the first row?",
        "// a flag that is not used in strict mode",
        "// maybe null",
    ],
)
def test_a_weak_cue_alone_is_not_debt(comment: str) -> None:
    assert not is_debt(comment)


def test_every_learned_cue_is_one_of_the_lexicon() -> None:
    names = {cue.phrase for cue in CUES} | {cue.strength.value for cue in CUES}
    assert learned().cues.keys() <= names
