import pytest

from benchpin.facts.parsing import extract


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("python", "# alone\nx = 1  # behind\n    # alone again\n", [False, True, False]),
        ("c", "int x; /* behind */\n  /* alone */ int y;\n// alone\n", [True, False, False]),
        ("javascript", "f(); // behind\r\n// alone\r\n", [True, False]),
    ],
)
def test_comments_after_code_are_marked_as_trailing(
    language: str, source: str, expected: list[bool]
) -> None:
    comments = extract(source.encode(), language).comments.comments
    assert [comment.is_trailing for comment in comments] == expected
