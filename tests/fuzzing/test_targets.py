"""The corpus of the fuzzer as tests, and its words in any order."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzing.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
SEEDS = {name: sorted((CORPUS / name).iterdir()) for name in TARGETS}
_WORDS = re.compile(rb"\w+|\s+|.", re.DOTALL)


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    assert sorted(TARGETS) == sorted(it.name for it in CORPUS.iterdir())
    assert all(SEEDS.values())


@pytest.mark.parametrize(
    ("name", "seed"),
    [pytest.param(name, seed, id=f"{name} {seed.name}") for name in SEEDS for seed in SEEDS[name]],
)
def test_a_seed_is_read_or_refused(name: str, seed: Path) -> None:
    TARGETS[name].try_once(seed.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.data())
def test_words_of_the_seeds_in_any_order_are_read_or_refused(
    name: str, data: st.DataObject
) -> None:
    seeds = [seed.read_bytes() for seed in SEEDS[name]]
    words = sorted({word for seed in seeds for word in _WORDS.findall(seed)})
    head = data.draw(st.sampled_from(sorted({seed.partition(b"\n")[0] for seed in seeds})))
    rest = data.draw(st.lists(st.sampled_from(words) | st.binary(max_size=4), max_size=40))
    TARGETS[name].try_once(head + b"\n" + b"".join(rest))
