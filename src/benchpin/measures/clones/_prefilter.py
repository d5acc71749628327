"""Find the windows of tokens that may occur more than once, by the n-grams in them.

Most windows occur once, and sorting the hashes of all of them would take longer than everything
else. But a window with an n-gram that occurs once occurs once itself, and n-grams are counted fast:
by hashes of few bits, in a table that fits into the processor cache. Where two n-grams have the
same hash, too many windows are kept; none is lost.
"""

from typing import TYPE_CHECKING

from ._hashing import blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Ids

    Keys = NDArray[np.uint32]

# A prime near 2³² divided by the golden ratio, for Knuth's multiplicative hash.
_FACTOR = 0x9E37_79B1
_BITS = 32


def may_repeat(row: "Ids", width: int) -> "Ids":
    """Return the starts of the windows of a width all of whose n-grams occur more than once."""
    import numpy as np

    gram = 1 << max(0, width.bit_length() - 2)
    grams = width - gram + 1
    is_single = _counts(row, gram) == 1
    found = [np.zeros(0, np.int32)]
    # The hashes are computed a second time: to keep them would take as much memory as the row.
    for block in blocks(max(0, len(row) - width + 1)):
        is_alone = is_single[_keys(row, gram, slice(block.start, block.stop + grams - 1))]
        alone_before = np.zeros(len(is_alone) + 1, np.int32)
        np.cumsum(is_alone, out=alone_before[1:])
        is_kept = alone_before[grams:] == alone_before[:-grams]
        found.append((np.flatnonzero(is_kept) + block.start).astype(np.int32))
    return np.concatenate(found)


def _counts(row: "Ids", gram: int) -> "Ids":
    """Return how often each hash of an n-gram occurs."""
    import numpy as np

    counts = np.zeros(1 << _used_bits(row), np.int32)
    for block in blocks(max(0, len(row) - gram + 1)):
        np.add.at(counts, _keys(row, gram, block).astype(np.intp), np.int32(1))
    return counts


def _keys(row: "Ids", gram: int, block: slice) -> "Keys":
    """Return a hash of each n-gram, made from those of its halves: log₂ n passes."""
    import numpy as np

    keys = row[block.start : block.stop + gram - 1].astype(np.uint32) * np.uint32(_FACTOR)
    shift = 1
    while shift < gram:
        factor = np.uint32(pow(_FACTOR, shift, 1 << _BITS))
        keys = keys[:-shift] * factor + keys[shift:]
        shift *= 2
    return keys >> np.uint32(_BITS - _used_bits(row))


def _used_bits(row: "Ids") -> int:
    """Return how many bits a hash has, so that there are at most as many hashes as tokens."""
    return max(1, len(row).bit_length() - 1)
