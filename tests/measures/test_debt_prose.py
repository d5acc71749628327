import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.measures.debt._cues import Phrases
from benchpin.measures.debt._sentences import read_sentences, strip_signs
from benchpin.measures.debt._verdict import CEILING, judge
from waiting import cpu_limit

SIGNS = ("//", "#", "/*", "*/", "*", "--", "<!--", "-->", ";", "%", "///", "/**")
TAGS = ("TODO", "todo:", "FIXME(ann)", "XXX", "hack", "TODO(")
ODD = (
    "`code`",
    "{@code",
    "<b>",
    '"quoted"',
    "'",
    "a_b",
    "f(x)",
    "1;",
    "\x00",
    "\x1b[0m",
    "(",
    "<code>",
)
PLAIN = ("not", "why", "?", "??", "...", "=", "don't", "é", "修复", "should we", "a-", "A", "x=")
PIECES = (*SIGNS, *TAGS, *ODD, *PLAIN)
PIECE = st.sampled_from([*PIECES, "\n", "\ud800", "a" * 200])


def words_of(text: str) -> list[list[str]]:
    return [list(sentence.words[1:]) for sentence in read_sentences(text)]


def test_signs_of_many_languages_are_taken_off() -> None:
    expected = [["plain", "words"]]
    for comment in (
        "// plain words",
        "# plain words",
        "/* plain words */",
        "/** plain words */",
        "-- plain words",
        "<!-- plain words -->",
        "; plain words",
        "% plain words",
        "(* plain words *)",
        "{- plain words -}",
        "/// plain words",
        "REM plain words",
    ):
        assert words_of(comment) == expected, comment


def test_sentences_end_at_stops_and_empty_lines() -> None:
    text = "/*\n * One two. Three four!\n *\n * five\n * six\n */"
    assert words_of(text) == [["one", "two"], ["three", "four"], ["five", "six"]]


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert len(read_sentences("# some names, e.g. first ones, etc. and more")) == 1


def test_a_sentence_knows_its_line() -> None:
    text = "// fine so far.\n// still fine.\n// TODO: count again"
    assert [(it.line, it.tag) for it in read_sentences(text)] == [(0, ""), (1, ""), (2, "todo")]


@pytest.mark.parametrize(
    "comment",
    [
        "// TODO count the rest",
        "//TODO: count the rest",
        "//TODO:count the rest",
        "# TODO(ann): count the rest",
        "# TODO(ann lee, bug 12) count the rest",
        "/* @todo count the rest */",
        "// \\todo count the rest",
        "# [TODO] count the rest",
        "// todo: count the rest",
        "// Todo count the rest",
        "-- TO DO: count the rest",
        "// counted once. TODO count the rest",
        "// counted once TODO: count the rest",
        "x // TODO count the rest",
    ],
)
def test_a_tag_is_seen_in_its_many_forms(comment: str) -> None:
    assert "todo" in [sentence.tag for sentence in read_sentences(comment)]


@pytest.mark.parametrize(
    "comment",
    [
        "// see todoList and TODO_ITEMS",
        "# autodoc builds the pages",
        "// call todo() for each",
        "/* {@code TODO} marks are counted elsewhere */",
        "# the word 'TODO' is searched for",
        '// prints "TODO" in red',
        "// `FIXME` is a keyword here",
        "// label.todo.title is the key",
        "# mastodon fixmeister hackathon",
        "// matches XXX-XX-1234 numbers",
        "// Todo::Item is a model",
        "// numbers such as MM/XXX are padded",
        "# SECURITY MIDDLEWARE",
    ],
)
def test_what_only_contains_a_tag_is_none(comment: str) -> None:
    assert [sentence.tag for sentence in read_sentences(comment)] in ([""], ["", ""])


def test_names_calls_and_code_are_not_read_as_words() -> None:
    assert words_of("// BugReport and hack_it and run() meet") == [
        ["<name>", "and", "<name>", "and", "<name>", "meet"]
    ]
    assert set(words_of("// hack = ugly + 1;")[0]) == {"<name>"}


def test_short_forms_are_spelt_out() -> None:
    assert words_of("# it's fine but doesn't and can't") == [
        ["it", "is", "fine", "but", "does", "not", "and", "can", "not"]
    ]


def test_a_comment_without_words_has_no_sentence() -> None:
    for text in ("", "//", "/* */", "# -----", "/****/", "\n\n"):
        assert words_of(text) == [], text


def test_signs_inside_a_line_stay() -> None:
    assert strip_signs("  * a * b - c") == "a * b - c"


def test_the_longest_phrase_wins_and_optional_words_may_be_missing() -> None:
    phrases = Phrases(["not (very) good", "good", "a _ c"])
    assert phrases.find(["not", "very", "good"]) == [(0, 0, 3)]
    assert phrases.find(["not", "good"]) == [(0, 0, 2)]
    assert phrases.find(["good", "a", "b", "c"]) == [(2, 1, 4), (1, 0, 1)]


@given(st.lists(PIECE | st.text(max_size=20), max_size=40), st.sampled_from(["", " ", "\n"]))
def test_any_text_is_judged(pieces: list[str], glue: str) -> None:
    verdict = judge(glue.join(pieces))
    assert verdict is None or 0 < verdict.confidence <= CEILING < 1


@given(st.lists(PIECE, max_size=30))
def test_lines_are_counted_within_the_comment(pieces: list[str]) -> None:
    text = " ".join(pieces)
    sentences = read_sentences(text)
    assert all(0 <= sentence.line <= text.count("\n") for sentence in sentences)
    assert [it.line for it in sentences] == sorted(it.line for it in sentences)


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
@cpu_limit(20)
def test_a_comment_of_300_000_characters_is_judged(piece: str) -> None:
    judge(piece * (300_000 // len(piece)))
    judge(f"{piece} " * (300_000 // (len(piece) + 1)))
