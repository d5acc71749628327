"""How many tokens a text has for a model: exactly those of OpenAI's `o200k_base`.

Other models cut text differently; for the same code their counts differ by some tens of percent.
The vocabulary is part of the library, so nothing is fetched.
"""

from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from splintr import Tokenizer

ENCODING = "o200k_base"


@cache
def _tokenizer() -> "Tokenizer":
    from splintr import Tokenizer

    return cast("Tokenizer", Tokenizer.from_pretrained(ENCODING))


def count_tokens(text: str) -> int:
    """Return the number of tokens; what looks like a special token is text like any other."""
    try:
        return len(_tokenizer().encode_ordinary(text))
    except UnicodeEncodeError:
        return len(_tokenizer().encode_ordinary(text.encode(errors="replace").decode()))
