"""Find the windows of tokens that may occur more than once, by the n-grams in them.

Most windows occur once, and sorting the hashes of all of them would take longer than everything
else. But a window with an n-gram that occurs once occurs once itself, and n-grams are counted fast:
by hashes of few bits, in a table that fits into the processor cache. Where two n-grams have the
same hash, too many windows are kept; none is lost.
"""

from typing import TYPE_CHECKING

from .hashing import blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Ids, Places

    Keys = NDArray[np.uint32]

_FACTOR = 0x9E37_79B1
"""A prime near 2³² divided by the golden ratio, for Knuth's multiplicative hash."""
_BITS = 32


def may_repeat(row: "Ids", width: int) -> "Places":
    """Return the starts of the windows of a width all of whose n-grams occur more than once."""
    import numpy as np

    gram = 1 << max(0, width.bit_length() - 2)
    is_alone = _occur_once(_keys(row, gram))
    alone_before = np.zeros(len(is_alone) + 1, np.int32)
    np.cumsum(is_alone, out=alone_before[1:])
    grams = width - gram + 1
    return np.flatnonzero(alone_before[grams:] == alone_before[:-grams])


def _keys(row: "Ids", gram: int) -> "Keys":
    """Return a hash of every n-gram, each made from those of its halves: log₂ n passes."""
    import numpy as np

    unused = _BITS - max(1, len(row).bit_length() - 1)
    keys = np.zeros(max(0, len(row) - gram + 1), np.uint32)
    for block in blocks(len(keys)):
        part = row[block.start : block.stop + gram - 1].astype(np.uint32) * np.uint32(_FACTOR)
        shift = 1
        while shift < gram:
            factor = np.uint32(pow(_FACTOR, shift, 1 << _BITS))
            part = part[:-shift] * factor + part[shift:]
            shift *= 2
        keys[block] = part >> np.uint32(unused)
    return keys


def _occur_once(keys: "Keys") -> "NDArray[np.bool_]":
    """Return which keys occur only once."""
    import numpy as np

    counts = np.zeros(int(keys.max(initial=0)) + 1, np.int32)
    for block in blocks(len(keys)):
        np.add.at(counts, keys[block].astype(np.intp), np.int32(1))
    is_single = counts == 1
    is_alone = np.zeros(len(keys), np.bool_)
    for block in blocks(len(keys)):
        is_alone[block] = is_single[keys[block]]
    return is_alone
