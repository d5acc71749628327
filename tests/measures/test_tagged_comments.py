"""Tagged comments in code."""

import pytest

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.parsing import extract
from benchpin.measures.debt import find_debt, find_tagged


def found(language: str, code: str) -> list[tuple[int, str, str]]:
    comments = extract(code.encode(), language).comments
    return [(it.line, it.tag, it.text) for it in find_tagged(comments)]


def test_a_comment_continues_over_the_lines_below() -> None:
    code = "# TODO: split this\n# into two\n\n# other\n"
    assert found("python", code) == [(1, "TODO", "TODO: split this\ninto two")]


def test_a_block_comment_may_have_several() -> None:
    code = "/**\n * Says.\n * TODO: a\n *  more\n * FIXME(bob): b\n */\nfunction f() {}\n"
    assert found("typescript", code) == [(3, "TODO", "TODO: a\nmore"), (5, "FIXME", "FIXME: b")]


@pytest.mark.parametrize(
    ("word", "tag"), [("XXX", "FIXME"), ("HACK", "FIXME"), ("BUG", "FIXME"), ("NOTE", "NOTE")]
)
def test_synonyms_are_mapped_to_tags(word: str, tag: str) -> None:
    assert found("go", f"// {word} say\n") == [(1, tag, f"{word}: say")]


@pytest.mark.parametrize(
    "code",
    [
        "x = 1  # TODO: behind code\n",
        "# see the TODO list\n",
        "# TODOS are many\n",
        "'TODO: no comment'\n",
    ],
)
def test_other_comments_are_ignored(code: str) -> None:
    assert found("python", code) == []


@pytest.mark.parametrize(
    ("language", "code", "lines"),
    [
        ("c", "/* TODO: a\n * more\n * FIXME: b\n * XXX c\n */\nint x;\n", [1, 3, 4]),
        ("c", "/* Adds.\n *\n * TODO\n */\nint x;\n", [3]),
        ("python", "# todo: in small letters\n", [1]),
        ("python", "# Adds. TODO: count again\n", [1]),
        ("python", "# BUG the last row is printed twice\n", [1]),
        ("python", "# KLUDGE: pads the header\n", [1]),
        ("python", "# TODO list\n", []),
        ("python", "# the TODO list\n# TBD: the name\n", [2]),
        ("python", "# NOTE: rounds down\n# TODO: round up\n", [2]),
        ("javascript", "// TODO x = y;\n\n// const a = 1; // TODO b\n", [1, 3]),
        ("java", "/**\n * Adds.\n * @todo count again\n */\nclass A {}\n", [3]),
    ],
)
def test_what_is_imported_is_what_is_called_debt(
    language: str, code: str, lines: list[int]
) -> None:
    facts = extract(code.encode(), language)
    file = FileFacts(
        "a", language, len(code), {"outline": facts.outline, "comments": facts.comments}
    )
    debts = sorted(it.line for it in find_debt([file], Job()).items if it.tag is not None)
    imported = [it.line for it in find_tagged(facts.comments) if it.tag in {"TODO", "FIXME"}]
    assert debts == imported == lines


def test_rarer_tags_are_imported_under_the_tags_of_the_protocol() -> None:
    code = "# KLUDGE: pads\n\n# TBD: the name\n\n# NOTE that rows are sorted\n# by name\n"
    assert found("python", code) == [
        (1, "FIXME", "KLUDGE: pads"),
        (3, "TODO", "TBD: the name"),
        (5, "NOTE", "NOTE: that rows are sorted\nby name"),
    ]


def test_the_owner_of_a_comment_is_left_out_of_its_text() -> None:
    assert found("go", "// TODO(ann): close it\n") == [(1, "TODO", "TODO: close it")]
    assert found("go", "// Opens it. TODO(ann) close it\n") == [(1, "TODO", "TODO: close it")]
