"""Whether a program wrote a file: it says so in a comment at the beginning.

Go documents the words (`go help generate`), others have their own; what a program merely prints,
or says of other files, does not count.
"""

import re
from collections.abc import Callable, Iterable

from .facts import Comment

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
_LINES_BEFORE = 3
"""A comment on the whole file may have so many lines of code before it: `<?php`, a guard."""
_MAX_COMMENT = 4_000


def is_generated(comments: Iterable[Comment], code_lines: Callable[[int, int], int]) -> bool:
    """Look at the first comments; `code_lines` counts lines with code, both ends included."""
    for comment in comments:
        is_first = code_lines(1, comment.line - 1) <= _LINES_BEFORE
        if comment.line > _HEAD_LINES or not is_first:
            return False
        if _GENERATED.search(comment.text[:_MAX_COMMENT]):
            return True
    return False
