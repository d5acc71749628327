"""The vocabulary of `tokens`, loaded by importing this module, which Python does only once."""

from splintr import Tokenizer  # noqa: TID253 - this module is imported when tokens are counted

from ._tokens import ENCODING

TOKENIZER = Tokenizer.from_pretrained(ENCODING)
