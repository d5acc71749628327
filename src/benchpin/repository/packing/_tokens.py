"""Count tokens exactly as OpenAI's `o200k_base` does; without the extra `tokens`, estimate them.

Other models split text differently; for the same code their counts differ by some tens of percent.
The vocabulary is part of the library, so nothing is fetched.
"""

import sys
from importlib import import_module
from threading import Thread

from benchpin.system.processes import has_extra

from ._token_estimate import estimate_tokens

ENCODING = "o200k_base"
_ESTIMATED = f"estimate of {ENCODING}"
_CHUNK = 1 << 18
_VOCABULARY = f"{__package__}._vocabulary"


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
