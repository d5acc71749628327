"""The tokenizer of `tokens`, loaded by importing this module, which Python does only once."""

import struct
import zlib
from itertools import accumulate, pairwise

import tiktoken  # noqa: TID253 - this module is imported when tokens are counted

from .tokens import ENCODING, FILE


def read_vocabulary() -> tuple[str, dict[bytes, int]]:
    """Return the pattern that splits a text, and the rank of each token."""
    pattern, _, packed = zlib.decompress(FILE.read_bytes()).partition(b"\n")
    [count] = struct.unpack_from("<I", packed)
    sizes = packed[4 : 4 + count]
    ends = accumulate(sizes, initial=4 + count)
    ranks = {packed[start:end]: rank for rank, (start, end) in enumerate(pairwise(ends))}
    return pattern.decode(), ranks


def _load() -> tiktoken.Encoding:
    pattern, ranks = read_vocabulary()
    return tiktoken.Encoding(ENCODING, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


TOKENIZER = _load()
