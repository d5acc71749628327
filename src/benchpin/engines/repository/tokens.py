"""How many tokens a text has for a model: exactly those of OpenAI's `o200k_base`.

Other models cut text differently; for the same code their counts differ by some tens of percent.
The vocabulary is part of the library, so nothing is fetched.
"""

from functools import cache
from threading import Lock, Thread
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from splintr import Tokenizer

ENCODING = "o200k_base"
_STRETCH = 1 << 18


_loading = Lock()


@cache
def _loaded() -> "Tokenizer":
    from splintr import Tokenizer

    return cast("Tokenizer", Tokenizer.from_pretrained(ENCODING))


def _tokenizer() -> "Tokenizer":
    with _loading:
        return _loaded()


def prepare() -> None:
    """Load the vocabulary while other work goes on: it takes a tenth of a second."""
    if not _loaded.cache_info().currsize:
        Thread(target=_tokenizer, name="vocabulary").start()


def count_tokens(text: str) -> int:
    """Return the number of tokens; what looks like a special token is text like any other.

    A long text is counted in stretches, so that other threads get their turn; a word that is cut
    may count for one more.
    """
    encode = _tokenizer().encode_ordinary
    total = start = 0
    while start < len(text):
        end = start + _STRETCH
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        total += len(encode(_encodable(text[start:end])))
        start = end
    return total


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()
