"""Count tokens exactly as OpenAI's `o200k_base` does; without the extra `tokens`, estimate them.

Other models split text differently; for the same code their counts differ by some tens of percent.
The vocabulary is part of the library, so nothing is fetched.
"""

import sys
from importlib import import_module
from threading import Thread

from benchpin.system.processes import has_extra

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
ENCODING = "o200k_base"
_ESTIMATED = f"estimate of {ENCODING}"
_CHUNK = 1 << 18
_VOCABULARY = f"{__package__}._vocabulary"


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


def preload() -> None:
    """Load the vocabulary in another thread: it takes a tenth of a second."""
    if _VOCABULARY not in sys.modules and has_extra("tokens"):
        Thread(target=import_module, args=(_VOCABULARY,), name="vocabulary").start()


def encoding() -> str:
    """Return what is counted, and whether it is only estimated."""
    return ENCODING if has_extra("tokens") else _ESTIMATED


def count_tokens(text: str) -> int:
    """Return the number of tokens, or an estimate of it; special tokens count as plain text.

    A long text is counted in chunks, so that other threads get the interpreter in between; a word
    that is split may count for one more.
    """
    if not has_extra("tokens"):
        return estimate_tokens(text)
    from ._vocabulary import TOKENIZER  # noqa: PLC0415 - takes a tenth of a second

    total = start = 0
    while start < len(text):
        end = start + _CHUNK
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        total += len(TOKENIZER.encode_ordinary(_encodable(text[start:end])))
        start = end
    return total


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()
