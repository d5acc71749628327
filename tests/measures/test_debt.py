import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.facts import FileFacts, SourceComment
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection
from benchpin.measures.debt import (
    MIN_CONFIDENCE,
    Category,
    DebtItem,
    Severity,
    find_debt,
    find_tagged,
    summarize,
)
from benchpin.measures.debt._cues import CUES, Strength, categorize, rate
from benchpin.measures.debt._find import FileDebt, cut_comments
from benchpin.measures.debt._verdict import INTERCEPT, WEIGHTS, judge


def is_debt(text: str) -> bool:
    verdict = judge(text)
    return verdict is not None and verdict.confidence >= MIN_CONFIDENCE


def read(path: str, language: str, source: str) -> FileFacts:
    facts = extract(source.encode(), language)
    return FileFacts(
        path, language, len(source), {"outline": facts.outline, "comments": facts.comments}
    )


def debts(source: str, path: str = "app.py", language: str = "python") -> list[DebtItem]:
    return find_debt([read(path, language, source)], Job()).items


@pytest.mark.parametrize(
    "comment",
    [
        "# TODO: read the limit from the settings",
        "// FIXME rounding loses a cent",
        "/* XXX the lock is taken twice here */",
        "// HACK: the parser wants a trailing comma",
        "# todo use the pool",
        "<!-- TODO: translate the heading -->",
        "-- TODO add an index on order_id",
        "// KLUDGE: pads the header to eight bytes",
        "/* BUG: the last row is printed twice */",
        "// This is an ugly way to flush the queue.",
        "# workaround for a broken driver on old kernels",
        "// quick and dirty, but it ships today",
        "/* I don't like this and there must be a better way to do it. */",
        "# temporary fix until the new server is up",
        "// not implemented yet, for now we return the first match",
        "// stolen from the mailer",
        "/// This is a terrible hack.",
        "# Unfortunately this does not work on Windows, needs some work",
        "// why is this needed? maybe for old clients",
        "/* copy and paste of the code in reader.c */",
        "// this should be refactored into a class of its own",
        "# pure technical debt, sorry",
        "// yuck",
        "; XXX: should we really reset the stack here?",
        "% FIXME this clause never terminates",
    ],
)
def test_what_admits_debt_is_called_debt(comment: str) -> None:
    assert is_debt(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# Returns the number of open orders.",
        "// iterate over the rows",
        "/* Parses a date; throws when it is malformed. */",
        "# see TodoList for the widget",
        "// adds an item to the todo list of the user",
        "// todo el texto se lee dos veces",
        "// createHackathon(entries);",
        "# the bug tracker's id of the report",
        "// bug 4711 has the details",
        "// writes to a temporary file",
        "/* broken pipe: the reader is gone */",
        "// checks whether the fixme_count column exists",
        "# eslint-disable-next-line no-warning-comments",
        "// no workaround is needed since 2.0",
        "/* not a hack: the standard asks for it */",
        "// if (x == null) return todo;",
        "# type: ignore[arg-type]",
        "// Which is why the lock is taken first.",
        "# pylint: disable=fixme",
        "#!/usr/bin/env python",
        "// -----------------------------------",
        "",
    ],
)
def test_what_does_not_admit_debt_is_not_called_debt(comment: str) -> None:
    assert not is_debt(comment)


def test_a_tag_after_which_nothing_is_said_is_least_certain() -> None:
    for text in ("// TODO", "# FIXME:"):
        verdict = judge(text)
        assert verdict is not None
        assert verdict.confidence == MIN_CONFIDENCE
    assert is_debt("# FIXME: #4711")


def test_a_tag_waits_for_the_words_on_the_next_line() -> None:
    assert is_debt("/* TODO:\n * count the rest\n */")


def test_more_cues_make_it_surer() -> None:
    plain = judge("# TODO: count the rest")
    strong = judge("# TODO: count the rest, this is an ugly hack")
    assert plain is not None
    assert strong is not None
    assert strong.confidence > plain.confidence


def test_the_most_telling_sentence_is_judged() -> None:
    verdict = judge("/* Sorts the rows.\n *\n * This is an ugly hack.\n * Returns them. */")
    assert verdict is not None
    assert verdict.sentence.line == 2
    assert verdict.reason == (
        "ugly: the author dislikes the code; hack: a trick that should not last"
    )


def test_the_reason_names_tags_as_they_are_written() -> None:
    verdict = judge("# TODO: count the rest")
    assert verdict is not None
    assert verdict.reason == "TODO: a tag for work left over"


def test_a_denied_cue_is_not_heard() -> None:
    assert is_debt("// it is ugly")
    assert not is_debt("// it is not ugly")
    assert not is_debt("// avoids an ugly message")


def test_in_formal_texts_only_tags_and_strong_words_are_heard() -> None:
    mild = "Perhaps you want another order; unfortunately this is expensive."
    assert is_debt(mild)
    assert judge(mild, is_formal=True) is None
    tagged = judge(f"{mild}\nTODO: explain", is_formal=True)
    assert tagged is not None
    assert tagged.confidence >= MIN_CONFIDENCE


def test_parameters_are_described_formally() -> None:
    assert judge("/** @param maybe perhaps the name, unfortunately */") is None


def test_the_weights_follow_the_strengths() -> None:
    assert WEIGHTS[Strength.STRONG] > WEIGHTS[Strength.CLEAR] > WEIGHTS[Strength.FAINT] > 0
    assert WEIGHTS[Strength.TAG] + INTERCEPT > 0
    assert WEIGHTS[Strength.STRONG] + INTERCEPT > 0
    assert WEIGHTS[Strength.TAG] + WEIGHTS[Strength.BARE] + INTERCEPT < 0


def test_every_cue_finds_itself() -> None:
    assert len({cue.phrase for cue in CUES}) == len(CUES)
    assert all(cue.reason for cue in CUES if cue.strength is not Strength.NONE)


@pytest.mark.parametrize(
    ("text", "category", "severity"),
    [
        ("TODO: move this into the parser, it is an ugly hack", "Design", "Medium"),
        ("HACK: pads the header", "Design", "Medium"),
        ("TODO: think about names", "Design", "Low"),
        ("workaround for old kernels", "Design", "Low"),
        ("FIXME: the last row is wrong", "Defect", "High"),
        ("FIXME: crashes on an empty file", "Defect", "Critical"),
        ("TODO: implement paging", "Requirement", "Low"),
        ("TODO: not supported yet", "Requirement", "Low"),
        ("TODO: add a unit test", "Test", "Medium"),
        ("FIXME: performance problem with many rows", "Performance", "Medium"),
        ("TODO: optimize", "Performance", "Low"),
        ("FIXME: sql injection is possible here", "Security", "Critical"),
        ("TODO: document the arguments", "Documentation", "Low"),
    ],
)
def test_debt_has_a_category_and_a_severity(
    text: str, category: Category, severity: Severity
) -> None:
    verdict = judge(text)
    assert verdict is not None
    words = verdict.sentence.words
    assert categorize(words) == category
    assert rate(category, words, is_plain=verdict.is_plain, is_test_code=False) == severity


def test_debt_in_tests_is_less_grave() -> None:
    assert rate("Defect", ["<fixme>"], is_plain=False, is_test_code=True) == "Medium"
    assert rate("Requirement", ["<todo>"], is_plain=True, is_test_code=True) == "Low"


def test_an_item_has_its_place() -> None:
    source = """\
class Shop:
    def open(self):
        # Greets the first customer.
        # TODO: lock the back door
        # before anybody comes in
        return "TODO: not this"
"""
    assert debts(source) == [
        DebtItem(
            file="app.py",
            line=4,
            end_line=5,
            text="TODO: lock the back door before anybody comes in",
            category="Design",
            severity="Low",
            confidence=debts(source)[0].confidence,
            tag="TODO",
            context="Shop.open",
            is_test_code=False,
            reason="TODO: a tag for work left over",
        )
    ]


def test_strings_and_code_are_never_read() -> None:
    source = 'todo = "TODO: this is an ugly hack"\nFIXME = hack(todo)\n'
    assert debts(source) == []


def test_every_tag_in_a_run_of_line_comments_is_an_item() -> None:
    found = debts("# TODO: count again\n# FIXME: the sum is wrong\nx = 1\n")
    assert sorted((item.line, item.tag) for item in found) == [(1, "TODO"), (2, "FIXME")]


def test_comments_behind_code_stay_apart() -> None:
    source = "a = 1  # maybe\nb = 2  # the sum is expensive\n"
    assert debts(source) == []
    assert debts("# maybe the sum\n# is expensive here\n") != []


def test_line_comments_that_follow_one_another_are_one() -> None:
    lines = [
        SourceComment("# one", 1, 1, False),
        SourceComment("# two", 2, 2, False),
        SourceComment("# four", 4, 4, False),
        SourceComment("# TODO five", 5, 5, False),
        SourceComment("/* six */", 6, 6, False),
    ]
    assert [(it.text, it.line, it.end_line) for it in cut_comments(lines)] == [
        ("# one\n# two", 1, 2),
        ("# four", 4, 4),
        ("# TODO five", 5, 5),
        ("/* six */", 6, 6),
    ]


def test_a_licence_admits_nothing() -> None:
    licence = """\
/* Copyright 2020 Ann Lee. All rights reserved.
 * Unfortunately there is no warranty; perhaps not even that it works for now. */
int x;
"""
    assert debts(licence, "a.c", "c") == []


@pytest.mark.parametrize(
    ("path", "language", "source"),
    [
        ("a.c", "c", "/* FIXME: leaks the buffer */\nint f(void) { return 0; }\n"),
        ("a.js", "javascript", "// HACK: wait for the font\nfunction f() {}\n"),
        ("a.ts", "typescript", "/** @todo narrow the type */\nfunction f(): void {}\n"),
        ("a.kt", "kotlin", "// TODO(ann): close the stream\nfun f() {}\n"),
        ("a.py", "python", "# XXX this is ugly\ndef f(): ...\n"),
    ],
)
def test_comments_of_every_language_are_read(path: str, language: str, source: str) -> None:
    (item,) = debts(source, path, language)
    assert (item.line, item.context) == (1, "f")


def test_the_most_severe_come_first_and_the_order_is_stable() -> None:
    source = "# TODO: add paging\n\n# FIXME: the sum is wrong\n\n# HACK: pads\n"
    files = [read("b.py", "python", source), read("a.py", "python", source)]
    found = find_debt(files, Job()).items
    assert [(it.severity, it.file) for it in found] == [
        ("High", "a.py"),
        ("High", "b.py"),
        ("Medium", "a.py"),
        ("Medium", "b.py"),
        ("Low", "a.py"),
        ("Low", "b.py"),
    ]


def test_the_summary_counts_what_it_is_given() -> None:
    source = "# TODO: add paging\n\n# FIXME: the sum is wrong\n"
    found = find_debt([read("a.py", "python", source), read("b.py", "python", "# hi\n")], Job())
    summary = summarize(found, found.items, top_files=1)
    assert summary.by_category == {"Defect": 1, "Requirement": 1}
    assert summary.by_severity == {"High": 1, "Low": 1}
    assert summary.by_file == [FileDebt(file="a.py", items=2)]
    assert (summary.total_files, summary.files_with_debt) == (2, 1)
    assert (summary.total_comments, summary.total_items) == (3, 2)
    assert summarize(found, found.items[:1], top_files=0).by_category == {"Defect": 1}


def test_a_lower_confidence_finds_more() -> None:
    files = [read("a.py", "python", "# perhaps the rows\n\n# TODO: add paging\n")]
    assert len(find_debt(files, Job(), 0.05).items) == 2
    assert len(find_debt(files, Job(), 0.5).items) == 1
    assert find_debt(files, Job(), 1.0).items == []


def test_the_text_begins_with_the_telling_sentence() -> None:
    (item,) = debts("# Adds two rows. This is an ugly hack.\n# It is.\nx = 1\n")
    assert item.text == "This is an ugly hack. It is."
    (item,) = debts("x = 1  # one. @todo count again\n")
    assert item.text == "@todo count again"


def test_a_long_text_is_cut() -> None:
    (item,) = debts(f"# TODO: count {'again and ' * 100}\n")
    assert len(item.text) == 240
    assert item.text.endswith("…")


def test_a_cancelled_search_stops() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        find_debt([read("a.py", "python", "# hi\n")], job)


def test_a_search_without_time_says_what_is_missing() -> None:
    job = Job(time_limit_s=0)
    assert find_debt([read("a.py", "python", "# TODO: add\n")], job).items == []
    assert job.missing == ["1 of 1 files"]


LINES = st.sampled_from(
    ["# TODO: count again", "#", "x = 1  # HACK", "x = 1", "", "# This is ugly.", "# fine; 修复?"]
)


@given(st.lists(LINES | st.text(max_size=30).map("#{}".format), max_size=20))
def test_items_lie_within_their_files(lines: list[str]) -> None:
    source = "\n".join(lines).encode("utf-8", "replace").decode()
    for item in find_debt([read("a.py", "python", source)], Job(), 0.0).items:
        assert 1 <= item.line <= item.end_line <= source.count("\n") + 1
        assert item.text
        assert item.reason


@pytest.mark.parametrize("tag", ["TODO", "FIXME", "XXX", "HACK"])
def test_a_bare_tag_is_found_as_the_import_of_comments_finds_it(tag: str) -> None:
    facts = extract(f"// {tag}\nint a;\n\n/* {tag} */\nint b;\n".encode(), "c")
    sections: dict[str, AnySection] = {"outline": facts.outline, "comments": facts.comments}
    file = FileFacts("a.c", "c", 1, sections)
    found = find_debt([file], Job()).items
    assert [it.line for it in found] == [it.line for it in find_tagged(facts.comments)]
    assert [it.line for it in found] == [1, 4]
