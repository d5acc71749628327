import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.measures.names._similarity import (
    CONTRAST_WEIGHT,
    MEANING_WEIGHT,
    NameIndex,
    Similarity,
    compare_names,
    is_abbreviation,
    sound_of,
)
from benchpin.measures.names._words import word_vectors

IDENTIFIERS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,20}", fullmatch=True)


def mean_of(likeness: Similarity) -> float:
    """Return the score without contrast, of names whose meaning is known."""
    assert likeness.meaning is not None
    forms = (likeness.spelling + likeness.words) / 2
    return MEANING_WEIGHT * likeness.meaning + (1 - MEANING_WEIGHT) * forms


def test_the_table_is_small_and_its_last_row_means_nothing() -> None:
    table = word_vectors()
    assert len(table.places) == len(table.vectors) - 1
    assert not table.vectors[table.zero_row].any()
    assert table.vectors[: table.zero_row].any(axis=1).all()


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("removeItem", "deleteElement", "parseHeader"),
        ("width", "height", "password"),
        ("img", "picture", "thread"),
        ("startTime", "endDate", "colorPalette"),
        ("sendRequest", "receiveResponse", "drawPolygon"),
    ],
)
def test_names_of_like_things_are_nearer_in_meaning(name: str, near: str, far: str) -> None:
    nearer, farther = compare_names(name, near).meaning, compare_names(name, far).meaning
    assert nearer is not None
    assert farther is not None
    assert nearer > farther + 0.1


@pytest.mark.parametrize("other", ["CALCULATE_TOTAL", "CalculateTotal", "calculate_total"])
def test_the_same_words_in_another_style_are_the_same(other: str) -> None:
    likeness = compare_names("calculateTotal", other)
    assert likeness.score == pytest.approx(1, abs=1e-5)
    assert likeness.shared_words == ("calculate", "total")


def test_the_score_is_a_mean_of_meaning_spelling_and_words() -> None:
    likeness = compare_names("parseImage", "decodePicture")
    assert likeness.opposed_words is None
    assert likeness.meaning is not None
    assert likeness.spelling == pytest.approx(1 - 11 / 13)
    assert likeness.score == pytest.approx(mean_of(likeness), abs=1e-6)


@pytest.mark.parametrize(
    ("one", "two", "opposed"),
    [
        ("minWidth", "max_width", ("min", "max")),
        ("onDragStart", "onDragEnd", ("start", "end")),
        ("point1", "point2", ("1", "2")),
    ],
)
def test_opposed_words_lower_the_score(one: str, two: str, opposed: tuple[str, str]) -> None:
    likeness = compare_names(one, two)
    assert likeness.opposed_words == opposed
    assert likeness.contrast > 0.3
    assert likeness.meaning is not None
    lost = CONTRAST_WEIGHT * likeness.contrast
    assert likeness.score == pytest.approx(mean_of(likeness) * (1 - lost))


def test_a_word_that_both_names_have_is_opposed_to_nothing() -> None:
    assert compare_names("start", "startEnd").contrast == 0
    assert compare_names("startEnd", "start").contrast == 0


def test_meaning_does_not_count_where_no_word_is_known() -> None:
    likeness = compare_names("qzxvw", "qzxvk")
    assert likeness.meaning is None
    assert likeness.spelling == pytest.approx(0.8)
    assert likeness.score == pytest.approx((likeness.spelling + likeness.words) / 2)


def test_compounds_and_plurals_of_known_words_have_a_meaning() -> None:
    table = word_vectors()
    assert "calculatecolor" not in table.places
    assert table.places_of("calculatecolor") == table.places_of("calculate_color")


def test_names_that_sound_alike_score_high_only_when_sounds_count() -> None:
    plain, heard = (compare_names("kallerz", "colours", phonetic=it) for it in (False, True))
    assert plain.sounds_alike
    assert plain.score < 0.8
    assert heard.score == pytest.approx(0.8)


def test_sounds_are_compared_word_by_word() -> None:
    assert sound_of("fotoFile") == sound_of("photo_phile")
    assert sound_of("item2") != sound_of("item3")
    assert sound_of("abc") != sound_of("abcDef")


@given(IDENTIFIERS)
def test_a_name_is_most_like_itself(name: str) -> None:
    assert compare_names(name, name).score == pytest.approx(1, abs=1e-5)


def test_names_without_a_word_are_compared_by_their_letters() -> None:
    assert compare_names("_", "__").spelling == pytest.approx(0.5)
    assert compare_names("_", "_").score == 1


@given(IDENTIFIERS, IDENTIFIERS)
def test_likeness_has_no_direction_and_stays_between_nothing_and_one(one: str, two: str) -> None:
    there, back = compare_names(one, two), compare_names(two, one)
    assert there.score == pytest.approx(back.score, abs=1e-5)
    assert 0 <= there.score <= 1 + 1e-6


def test_many_names_at_once_score_as_each_alone() -> None:
    names = [f"{word}Item{number}" for number in range(4000) for word in ("get", "put", "zzq")]
    scores = NameIndex(names).scores("fetchItem7", phonetic=True)
    chosen = range(0, len(names), 997)
    alone = [compare_names("fetchItem7", names[it], phonetic=True).score for it in chosen]
    assert np.allclose(scores[list(chosen)], alone, atol=1e-5)


@pytest.mark.parametrize(
    ("short", "word"),
    [("btn", "button"), ("col", "column"), ("cb", "callback"), ("elm", "element"), ("id", "idle")],
)
def test_beginnings_and_words_without_vowels_are_abbreviations(short: str, word: str) -> None:
    assert is_abbreviation(short, word)
    assert not is_abbreviation(word, short)


@pytest.mark.parametrize(
    ("short", "word"), [("min", "margin"), ("set", "select"), ("i", "item"), ("btn", "btn")]
)
def test_other_letters_of_a_word_are_no_abbreviation(short: str, word: str) -> None:
    assert not is_abbreviation(short, word)


def test_an_abbreviation_counts_as_the_word_it_stands_for() -> None:
    assert compare_names("saveBtn", "saveButton").words == 1
    assert compare_names("btnSave", "labelText").words == 0
    nearer, farther = compare_names("cb", "callback"), compare_names("cb", "canvas")
    assert nearer.score > farther.score + 0.2


def test_a_rare_compound_also_means_its_parts() -> None:
    table = word_vectors()
    assert {table.places["session"], table.places["id"]} < set(table.places_of("sessionid"))
    known = compare_names("sessionid", "sessionId").meaning
    assert known is not None
    assert known > 0.6
