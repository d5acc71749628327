"""How alike two lines are: twice the longest common subsequence of characters over both lengths.

A library would be faster still, but a dependency for a dozen lines: the common subsequence is
counted with one addition of whole numbers a character (Hyyrö, 2004), some microseconds a line.
"""

_MAX_CHARS = 512
"""Only the beginning of a longer line is compared; nobody wrote it by hand."""


class LineProbe:
    """A line that is compared with many others; white space at the ends does not count."""

    def __init__(self, line: str) -> None:
        self._text = line.strip()[:_MAX_CHARS]
        self._masks: dict[str, int] = {}
        for place, char in enumerate(self._text):
            self._masks[char] = self._masks.get(char, 0) | 1 << place

    def ratio(self, other: str, at_least: float = 0.0) -> float:
        """Return a number from 0 to 1; 0 too when it would be less than asked for."""
        other = other.strip()[:_MAX_CHARS]
        total = len(self._text) + len(other)
        if not total or 2 * min(len(self._text), len(other)) < at_least * total:
            return 0.0
        found = 2 * self._common(other) / total
        return found if found >= at_least else 0.0

    def _common(self, other: str) -> int:
        """Return the length of the longest common subsequence."""
        unmatched = whole = (1 << len(self._text)) - 1
        masks = self._masks
        for char in other:
            mask = masks.get(char)
            if mask is not None:
                hit = unmatched & mask
                unmatched = (unmatched + hit) | (unmatched - hit)
        return len(self._text) - (unmatched & whole).bit_count()
