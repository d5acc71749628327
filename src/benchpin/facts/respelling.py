"""Write new syntax in words that an older grammar knows, so that the rest of the file is read.

Grammars lag behind their languages. A rule is a pattern whose first group is replaced by a text of
at most the same length, padded with blanks: with nothing where the grammar lacks a word that
changes no measure, with another name where it takes a word for a keyword. Offsets and lines stay
the same, and tokens come from the file itself. Only files that do not parse are written so.
"""

import re
from collections.abc import Sequence

from .preprocessor import blank

# A pattern, and what its first group becomes; nothing means blanks.
Rule = tuple["re.Pattern[bytes]", bytes]
# What becomes a name of the same length.
NAME = b"_"


def respell(
    source: bytes, rules: Sequence[Rule], hidden: Sequence[tuple[int, int]] = ()
) -> tuple[bytes, list[tuple[int, int]]]:
    """Apply the rules; also return the ranges that became blanks, `hidden` ones included."""
    respelled = bytearray(source)
    spans = list(hidden)
    for pattern, replacement in rules:
        for start, end in [found.span(1) for found in pattern.finditer(respelled)]:
            if replacement:
                fill = replacement if replacement == NAME else b" "
                respelled[start:end] = replacement.ljust(end - start, fill)
                spans.append((end, end))
            else:
                blank(respelled, [(start, end)])
                spans.append((start, end))
    return bytes(respelled), sorted(spans)
