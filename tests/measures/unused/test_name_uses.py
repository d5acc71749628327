"""What a file uses is kept, and what is outside of code."""

import gc
import weakref

import pytest

from benchpin.measures.unused import FILE_USES
from benchpin.measures.unused import _outside_code as outside_code
from benchpin.measures.unused._definitions import TokenViews
from benchpin.measures.unused._file_uses import BARE, IMPORTED, MEMBER, STRING
from dead_code_kit import facts_of


def uses_in(path: str, text: str) -> list[dict[str, int]]:
    """Return the names that each code of a file uses, and how."""
    [file] = facts_of({path: text})
    found = FILE_USES.compute(file, None)
    counts, entries = memoryview(found.counts).cast("I"), memoryview(found.entries).cast("I")
    pairs = iter(zip((found.words[it] for it in entries), found.hows, strict=True))
    return [dict(next(pairs) for _ in range(count)) for count in counts]


def test_each_code_of_a_file_has_the_names_that_it_uses() -> None:
    top, one, inner = uses_in(
        "a.py",
        "from lib import helper\n\ndef one():\n    def inner():\n        x.two('three')\n"
        "    helper(inner)\n",
    )
    assert {"two", "helper", "inner"}.isdisjoint(top)
    assert (one["helper"], one["inner"]) == (BARE | IMPORTED, BARE)
    assert (inner["two"], inner["three"]) == (MEMBER, STRING)


def test_where_a_file_does_not_parse_its_names_count_for_all_of_it() -> None:
    top, broken = uses_in("a.py", "def broken():\n    other()\n    broken()\n\nx = ) (\n")
    assert "other" in top
    assert "other" not in broken
    assert "broken" in broken


def test_words_of_large_data_are_kept_only_if_they_are_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outside_code, "_MAX_WORDS", 2)
    texts = {"a.json": b'{"one": "two", "three": 3}', "b.json": b'{"four": 4}'}

    found = outside_code.read_words_outside_code(texts, frozenset({"one"}), texts.__getitem__)

    assert not found.is_complete
    assert found.words.configured == {"one", "four"}
    assert found.only(frozenset({"one"})).configured == {"one"}


def test_views_of_tokens_go_with_their_last_user() -> None:
    views = TokenViews([])
    gone = weakref.ref(views)
    gc.disable()
    try:
        del views
        assert gone() is None
    finally:
        gc.enable()
