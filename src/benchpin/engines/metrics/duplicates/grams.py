"""Which stretches of a row may stand elsewhere too, told by the short ones in them.

Most stretches stand once, and to sort the hashes of all of them takes longer than all the rest. But
what has something in it that stands once stands once itself, and of a few words in a row, a gram,
that is soon found out: by counting hashes of few bits, in a table that stays close to the
processor. Where different grams have the same hash there is more to look at, and nothing is lost.
"""

from typing import TYPE_CHECKING

from .hashing import blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Places, Row

    Keys = NDArray[np.uint32]

_FACTOR = 0x9E37_79B1
_BITS = 32


def may_repeat(row: "Row", width: int) -> "Places":
    """Return where the stretches of one width begin that have no gram which stands only once."""
    import numpy as np

    gram = 1 << max(0, width.bit_length() - 2)
    is_alone = _stand_alone(_keys(row, gram))
    alone_before = np.zeros(len(is_alone) + 1, np.int32)
    np.cumsum(is_alone, out=alone_before[1:])
    grams = width - gram + 1
    return np.flatnonzero(alone_before[grams:] == alone_before[:-grams])


def _keys(row: "Row", gram: int) -> "Keys":
    """Return a hash of every gram, made from those of its halves."""
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


def _stand_alone(keys: "Keys") -> "NDArray[np.bool_]":
    """Return which keys stand only once."""
    import numpy as np

    counts = np.zeros(int(keys.max(initial=0)) + 1, np.int32)
    for block in blocks(len(keys)):
        np.add.at(counts, keys[block].astype(np.intp), np.int32(1))
    is_single = counts == 1
    is_alone = np.zeros(len(keys), np.bool_)
    for block in blocks(len(keys)):
        is_alone[block] = is_single[keys[block]]
    return is_alone
