"""Counts of tokens, and estimates where the vocabulary is not installed."""

import sys
from pathlib import Path

import pytest

from benchpin.repository.packing import count_tokens, encoding
from benchpin.repository.packing._tokens import estimate_tokens

SAMPLES = sorted((Path(__file__).parents[1] / "fixtures" / "languages").rglob("*.*"))


def test_an_estimate_is_near_the_count_in_every_language() -> None:
    texts = [it.read_text(encoding="utf-8") for it in SAMPLES if it.suffix not in {".json", ".so"}]
    counted, estimated = sum(map(count_tokens, texts)), sum(map(estimate_tokens, texts))
    assert len(texts) > 15
    assert estimated == pytest.approx(counted, rel=0.1)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("camelCaseName", 3), ("def f(a):\n    return a\n", 8), ("\ud800é", 1)],
)
def test_short_texts_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_without_the_extra_counts_are_named_as_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert encoding() == "o200k_base"
    monkeypatch.setitem(sys.modules, "splintr", None)
    assert encoding() == "estimate of o200k_base"
    assert count_tokens("one two three") == estimate_tokens("one two three")
