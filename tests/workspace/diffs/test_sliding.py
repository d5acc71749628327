from benchpin.comments.anchoring import TrackedText
from benchpin.workspace.diffs import map_lines, slide_blocks


def targets(old: str, new: str) -> tuple[int, ...]:
    """Return where each old line is in the new text."""
    base, now = TrackedText(old.encode()), TrackedText(new.encode())
    found = map_lines(base.keys, now.keys)
    return slide_blocks(found, (base.lines, base.keys), (now.lines, now.keys)).to_new


FIRST = "/**\n * First.\n */\nfirst();\n\n"
SECOND = "/**\n * Second.\n */\nsecond();\n"


def test_a_removed_block_takes_its_first_line_along() -> None:
    assert targets("a();\n\n" + FIRST + SECOND, "a();\n\n" + SECOND) == (
        *(0, 1),
        *(-1, -1, -1, -1, -1),
        *(2, 3, 4, 5),
    )


def test_a_line_after_an_added_block_keeps_its_own_opening() -> None:
    assert targets("a();\n\n" + SECOND, "a();\n\n" + FIRST + SECOND) == (0, 1, 7, 8, 9, 10)


def test_a_closing_bracket_stays_with_the_block_before_it() -> None:
    old = "if (a) {\n  b();\n}\nif (c) {\n  d();\n}\ne();\n"
    assert targets(old, "if (a) {\n  b();\n}\ne();\n") == (0, 1, 2, -1, -1, -1, 3)


def test_a_block_that_cannot_be_moved_stays() -> None:
    assert targets("a\nb\nc\n", "a\nc\n") == (0, -1, 1)


def test_a_block_at_the_end_of_the_text_can_be_moved() -> None:
    assert targets("def a():\n    x\n\ndef b():\n    x\n", "def a():\n    x\n") == (
        0,
        1,
        -1,
        -1,
        -1,
    )
