"""How alike two lines are: twice the longest common subsequence of characters over both lengths.

The subsequence is counted with one addition of integers per character (Hyyrö, 2004), some
microseconds a line. A library would be faster, but is not worth a dependency for a dozen lines.
"""

# Only the start of a longer line is compared; such lines are generated.
_MAX_CHARS = 512


class LineProbe:
    """A line that is compared with many others; white space at the ends does not count."""

    def __init__(self, line: str) -> None:
        self._text = line.strip()[:_MAX_CHARS]
        self._masks: dict[str, int] = {}
        for place, char in enumerate(self._text):
            self._masks[char] = self._masks.get(char, 0) | 1 << place

    def ratio(self, other: str, at_least: float = 0.0) -> float:
        """Return a number from 0 to 1; 0 also when it is below `at_least`."""
        other = other.strip()[:_MAX_CHARS]
        total = len(self._text) + len(other)
        # The lengths alone rule out most lines before characters are compared.
        if not total or 2 * min(len(self._text), len(other)) < at_least * total:
            return 0.0
        found = 2 * self._common(other) / total
        return found if found >= at_least else 0.0

    def _common(self, other: str) -> int:
        """Return the length of the longest common subsequence."""
        unmatched = whole = (1 << len(self._text)) - 1
        masks = self._masks
        for char in other:  # bit-parallel: a set bit is a character without a partner
            mask = masks.get(char)
            if mask is not None:
                hit = unmatched & mask
                unmatched = (unmatched + hit) | (unmatched - hit)
        return len(self._text) - (unmatched & whole).bit_count()
