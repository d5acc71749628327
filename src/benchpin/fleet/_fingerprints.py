"""A number for what a function does, whatever its names are: equal ones are renamed clones.

Every word of a function counts but comments: operators and keywords as they are, literals as one,
names by the order of their first use. Functions under 50 words are too short to say anything.
"""

import hashlib
from collections.abc import Iterator

from benchpin.facts import FileFacts, TokenKind

MIN_TOKENS = 50
_DIGEST_BYTES = 12
_LITERAL = b"\x01"


def fingerprints_of(file: FileFacts) -> Iterator[str]:
    """Yield the fingerprint of each function of a file, empty for a short one."""
    tokens = file.tokens
    stream = tokens.indices()
    fixed = [
        text if kind == TokenKind.OPERATOR else _LITERAL if kind == TokenKind.LITERAL else None
        for text, kind in zip(tokens.texts, tokens.kinds, strict=True)
    ]
    for function in file.outline.functions:
        span = stream[function.first_token : function.last_token]
        if len(span) < MIN_TOKENS:
            yield ""
            continue
        names: dict[int, bytes] = {}
        words = [fixed[at] or names.setdefault(at, b"%d" % len(names)) for at in span]
        text = file.language.encode() + b"\0" + b"\0".join(words)
        yield hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
