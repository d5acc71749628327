"""Tagged comments in code."""

import pytest

from benchpin.engines.anchors.code_comments import find_code_comments
from benchpin.engines.source.extract import extract


def found(language: str, code: str) -> list[tuple[int, str, str]]:
    comments = extract(code.encode(), language).comments
    return [(it.line, it.tag, it.text) for it in find_code_comments(comments)]


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
        "# todo: in small letters\n",
        "'TODO: no comment'\n",
    ],
)
def test_other_comments_are_ignored(code: str) -> None:
    assert found("python", code) == []
