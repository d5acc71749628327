"""Estimate how many tokens a text has, without the vocabulary of the encoding.

The weights fit the counts of `o200k_base` in 1,827 files of 16 public projects with the least
squares of relative errors. On 16 other projects, the sums over about 120 files were 7.4 % too low
to 6.2 % too high, and half of the 1,903 files were within 4.2 %.
"""

# Classes of bytes; the last is all beyond ASCII.
_LOWER, _UPPER, _DIGIT, _SPACE, _NEWLINE, _OTHER, _BEYOND = (bytes((it,)) for it in b"ludsnpx")
_RANGES = ((b"az", _LOWER), (b"AZ", _UPPER), (b"09", _DIGIT))
_SINGLES = {b" ": _SPACE, b"\t": _SPACE, b"\n": _NEWLINE, b"\r": _NEWLINE}
_BETWEEN_WORDS = (_DIGIT, _SPACE, _OTHER, _NEWLINE, _BEYOND)
_LONG = 8 * _LOWER
_DIGITS_OF_TOKEN = 3 * _DIGIT

_WORD = 0.775
_LETTER = 0.047
# The tokens for each eight small letters of a word.
_LONG_WORD = 0.397
# The tokens for each run of digits, and for each three digits.
_NUMBER = 1.507
_MARK = 0.189
# The tokens for each run of marks.
_MARKS = 0.433
_LINE = 0.529
_INDENT = 0.793
# The tokens for each byte beyond ASCII.
_BYTE = 0.245


def _classes() -> bytes:
    table = bytearray(128 * _OTHER + 128 * _BEYOND)
    for (first, last), kind in _RANGES:
        table[first : last + 1] = kind * (last + 1 - first)
    for byte, kind in _SINGLES.items():
        table[ord(byte)] = ord(kind)
    return bytes(table)


_CLASSES = _classes()


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    kinds = text.encode(errors="replace").translate(_CLASSES)
    count = kinds.count
    letters = count(_LOWER) + count(_UPPER)
    words = sum(count(it + _LOWER) + count(it + _UPPER) for it in _BETWEEN_WORDS)
    words += count(_LOWER + _UPPER) + kinds.startswith((_LOWER, _UPPER))
    others = (_LOWER, _UPPER, _SPACE, _NEWLINE, _BEYOND)
    numbers = sum(count(it + _DIGIT) for it in (*others, _OTHER)) + kinds.startswith(_DIGIT)
    runs = sum(count(it + _OTHER) for it in (*others, _DIGIT)) + kinds.startswith(_OTHER)
    return round(
        _WORD * words
        + _LETTER * letters
        + _LONG_WORD * count(_LONG)
        + _NUMBER * (numbers + count(_DIGITS_OF_TOKEN))
        + _MARK * count(_OTHER)
        + _MARKS * runs
        + _LINE * count(_NEWLINE)
        + _INDENT * count(_NEWLINE + _SPACE)
        + _BYTE * count(_BEYOND)
    )
