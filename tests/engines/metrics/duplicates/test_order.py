"""The order of clones."""

from benchpin.engines.metrics.duplicates.detection import _new_first
from benchpin.engines.metrics.duplicates.grouping import CloneGroup, Fragment


def group(*places: tuple[int, int]) -> CloneGroup:
    fragments = [
        Fragment(file="a.py", line=line, end_line=end, function=None, similarity=1, gaps=[])
        for line, end in places
    ]
    return CloneGroup(type="exact", tokens=90, lines=10, similarity=1, fragments=fragments)


def test_a_clone_mostly_inside_earlier_ones_comes_last() -> None:
    first = group((1, 10), (21, 30))
    shifted = group((3, 12), (23, 32))
    new = group((101, 110), (201, 210))
    half_new = group((6, 15), (211, 220))
    assert _new_first([first, shifted, new, half_new]) == [first, new, half_new, shifted]
    assert _new_first([]) == []
