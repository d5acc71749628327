"""What a function asks the other way round since a change: conditions, bounds and orders."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from benchpin.code.names import chain_start

from ._bodies import ChangedBody, FunctionBody, found_at
from ._state import ReviewFinding

# A change of one of these words alone turns a condition round, or moves its bound.
_OPPOSITES = (
    *((">=", ">"), ("<=", "<"), ("<", ">"), ("<=", ">="), ("==", "!="), ("===", "!==")),
    *(("&&", "||"), ("and", "or"), ("any", "all"), ("some", "every"), ("min", "max")),
    *(("is_some", "is_none"), ("is_some_and", "is_none_or"), ("is_ok", "is_err")),
    *(("anyMatch", "allMatch"), ("anyMatch", "noneMatch"), ("isPresent", "isEmpty")),
    *(("Before", "After"), ("isBefore", "isAfter"), ("startswith", "endswith")),
    *(("startsWith", "endsWith"), ("starts_with", "ends_with"), ("HasPrefix", "HasSuffix")),
)
_IS_OPPOSITE = {*_OPPOSITES, *((new, old) for old, new in _OPPOSITES)}
# Words on each side that have to be the same, for two places to be one condition.
_MIN_SAME = 3
# Longer functions are not compared word for word: that takes time with the square of the length.
_MAX_WORDS = 1_500
_SORTING = ("sort", "Sort", "orderBy", "order_by", "OrderBy")
# The `sort.Slice` of Go.
_SLICES = frozenset({"Slice", "SliceStable"})
_REVERSING = frozenset(
    {
        *("Reverse", "reverse", "reversed", "reverseOrder", "reverse_order", "rev", "toReversed"),
        *("desc", "Desc", "DESC", "descending", "Descending", "OrderByDescending"),
    }
)


def turned_round(pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name conditions in which one word is the opposite now, and sorts in the other order."""
    if pair.was is None:
        return
    yield from _opposites(pair, pair.was)
    was, now = list(_sorts(pair.was)), list(_sorts(pair.now))
    if len(was) != len(now):
        return
    for (_, before), (at, after) in zip(was, now, strict=True):
        if before != after and pair.now.line(at) in pair.touched:
            what = "no longer reversed" if before else "reversed"
            yield found_at(pair, at, "lost-check", f"The order of this sort is {what}")


def _opposites(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
    old, new = was.own, pair.now.own
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if not old or not new or max(len(old), len(new)) > _MAX_WORDS:
        return
    for kind, start, end, here, until in SequenceMatcher(None, old, new, False).get_opcodes():
        is_one = kind == "replace" and (end - start, until - here) == (1, 1)
        if not is_one or (old[start], new[here]) not in _IS_OPPOSITE:
            continue
        at = pair.now.first + first + here
        before = was.words[was.first + first + start - _MIN_SAME : was.first + first + start]
        after = was.words[was.first + first + end : was.first + first + end + _MIN_SAME]
        words = pair.now.words
        is_same = (
            before == words[at - _MIN_SAME : at] and after == words[at + 1 : at + 1 + len(after)]
        )
        if is_same and pair.now.line(at) in pair.touched:
            text = (
                f"{old[start]} is {new[here]} here now, and the rest of the condition is as before"
            )
            finding = found_at(pair, at, "lost-check", text)
            yield finding.model_copy(update={"level": "note", "certainty": "possible"})


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(one), len(other)))


def _sorts(body: FunctionBody) -> Iterator[tuple[int, bool]]:
    """Yield the calls that sort, and whether the largest is first."""
    for at in body.calls():
        name, end = body.words[at], body.end(at)
        of = body.words[at - 2] if body.words[at - 1] == "." else ""
        if not name.startswith(_SORTING) and (of, name in _SLICES) != ("sort", True):
            continue
        chain = body.words[chain_start(body.words, at) : at]
        inside = body.words[at + 2 : end - 1]
        # `sort(…).reverse()`, `sorted(reversed(…))`, `reverse=False`
        is_off = any(inside[it : it + 3] == ["reverse", "=", "False"] for it in range(len(inside)))
        marks = {*chain, *inside, *body.words[end : end + 2]} & _REVERSING
        yield at, (bool(marks) and not is_off) != _compares_down(inside)


def _compares_down(words: Sequence[str]) -> bool:
    """Whether a function of two values puts the larger one first: `(a, b) => b - a`."""
    for at in range(len(words) - 4):
        opened, one, comma, other = words[at : at + 4]
        if (
            opened not in {"(", "|"}
            or comma != ","
            or not (one.isidentifier() and other.isidentifier())
        ):
            continue
        following = list(words[at + 4 :])
        # `func(i, j int) bool` of Go has the type after the names.
        body = following[following.index("return") :] if "return" in following else following[1:]
        used = [it for it in body if it in {one, other}]
        if used:
            return (used[0] == other) != (">" in body or ">=" in body)
    return False
