"""Recognise generated files by a comment at their beginning.

Go documents the wording (`go help generate`), other generators have their own. Text in strings and
comments about other files do not count.
"""

import re
from collections.abc import Callable, Iterable

from benchpin.facts import SourceComment

_GENERATED = re.compile(
    r"""
    (?<![\w"'`]) @generated\b (?!["'`])
    | <auto-?generated\b
    | ^[^\w\n]*+ (?:
        (?:(?-i:Generated)|auto-?generated|automatically[ ]generated)
            [ ](?:by|from|with|using|code|file)\b
        | code[ ]generated\b .* do[ ]not[ ]edit
        | (?:\w+:[ ]+)? this[ ](?:\w+[ ]){0,2}(?:is|was|has[ ]been)[ ](?:\w+[ -]){0,2}
            (?:auto|re)?generated\b
        | a[ ](?:bison[ ]parser|lexical[ ]scanner[ ]generated)\b
    )
    | \A\W* (?-i:DO[ ]NOT[ ]EDIT)\b
    | generated\b [^"'`]{0,200} \bdo[ ]not[ ](?:edit|modify|change)\b
    | \bdo[ ]not[ ](?:edit|modify|change)\b [^"'`]{0,200} generated\b
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HEAD_LINES = 40
# Lines of code that may come before the comment: `<?php`, an include guard.
_LINES_BEFORE = 3
_MAX_COMMENT = 4_000


def is_generated(comments: Iterable[SourceComment], code_lines: Callable[[int, int], int]) -> bool:
    """Check the first comments; `code_lines(first, last)` counts lines of code, both included."""
    for comment in comments:
        is_first = code_lines(1, comment.line - 1) <= _LINES_BEFORE
        if comment.line > _HEAD_LINES or not is_first:
            return False
        if _GENERATED.search(comment.text[:_MAX_COMMENT]):
            return True
    return False
