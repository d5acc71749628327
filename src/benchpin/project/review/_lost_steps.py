"""What a function no longer does since a change: wait, look at errors, release, check.

Each is compared with itself before the change. What a change only moves to another function of it
is no loss.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from benchpin.code.names import chain_start
from benchpin.facts.code import split_at_commas

from ._bodies import ChangedBody, FunctionBody, found_at, pairs
from ._lost_errors import lost_awaits, lost_errors
from ._state import Remark, ReviewState, remark_at

_EXITS = frozenset({"return", "raise", "throw", "continue", "break", "panic", "panic!"})
_NOTHING = frozenset({"None", "null", "nil", "undefined"})
_AFTER_TEST = frozenset({"is", "==", "!=", "===", "!==", "and", "or", "&&", "||", "??", "?", "?."})
_BEFORE_TEST = frozenset({"if", "not", "!", "and", "or", "&&", "||", "while", "elif", "assert"})
# How the names of calls begin that give back what was taken.
_RELEASES = (
    *("close", "aclose", "release", "unlock", "runlock", "dispose", "unsubscribe", "unregister"),
    *("removelistener", "removeeventlistener", "cleartimeout", "clearinterval"),
)
# A value is entered: what is taken is given back at the end of the block.
_ENTERING = frozenset({"with", "using", "defer"})
_MAX_CONDITION_TOKENS = 12


def check_bodies(state: ReviewState) -> Iterator[Remark]:
    """Name what functions no longer do since a change, each place once."""
    seen: set[tuple[str, str, int]] = set()
    every = list(pairs(state))
    moved = _released_in(every)
    for pair in state.job.each(every, "functions"):
        found = (lost_awaits(state, pair), lost_errors(state, pair), _releases(state, pair, moved))
        for remark in chain(*found, _lost_checks(state, pair)):
            place = (remark.rule, remark.file, remark.line)
            if place not in seen:
                seen.add(place)
                yield remark


def _release_of(body: FunctionBody, at: int) -> tuple[str, str] | None:
    """Return what a call gives back: its name, and what it is called on, or with."""
    name = body.words[at]
    if not name.lower().startswith(_RELEASES):
        return None
    called = body.chain(at)
    if len(called) > 2:  # noqa: PLR2004 - more than the name alone
        return name, called[-3]
    inside = body.words[at + 2 : body.end(at) - 1]
    return name, inside[-1] if inside else ""


def _released_in(every: Sequence[ChangedBody]) -> Counter[str]:
    """Return how many more calls of each name that releases the change has than before."""
    found: Counter[str] = Counter()
    for pair in every:
        found.update(it[0] for at in pair.now.calls() if (it := _release_of(pair.now, at)))
        if pair.was is not None:
            found.subtract(it[0] for at in pair.was.calls() if (it := _release_of(pair.was, at)))
    return found


def _releases(state: ReviewState, pair: ChangedBody, moved: Counter[str]) -> Iterator[Remark]:
    """Name what is no longer given back, or only if nothing fails before."""
    now, was = pair.now, pair.was
    if was is None:
        return
    before = {at: it for at in was.calls() if (it := _release_of(was, at)) is not None}
    left = Counter(it for at in now.calls() if (it := _release_of(now, at)) is not None)
    entered = sum(now.own.count(it) - was.own.count(it) for it in _ENTERING)
    new_names = {now.words[it] for it in now.calls()} - {was.words[it] for it in was.calls()}
    file = next(it for it in state.files if it.delta.path == pair.path)
    lost = Counter(before.values()) - left
    for at, one in reversed(before.items()):
        name, of = one
        is_kept = not lost[one] or entered > 0 or moved[name] >= 0 or of not in now.own
        if is_kept or _is_passed(now, of, new_names):
            continue
        lost[one] -= 1
        line = state.line_after(file, was.line(at))
        what = f"{of}.{name}" if len(was.chain(at)) > 2 else f"{name}({of})"  # noqa: PLR2004 - as above
        some = " in one place" if left[one] else ""
        text = f"{pair.name} called {what} before this change, and does not{some} now"
        yield remark_at("not-released", pair.path, line, text, pair.name, level="warning")
    yield from _left_open(pair, was)
    yield from _not_always(pair, was)


def _is_passed(body: FunctionBody, name: str, new: set[str]) -> bool:
    """Whether something is passed to a call that is new, which may release it."""
    for at in body.calls():
        if body.words[at] in new and name in body.words[at + 1 : body.end(at)]:
            return True
    return False


def _left_open(pair: ChangedBody, was: FunctionBody) -> Iterator[Remark]:
    """Name values that were entered by a block before, and are only bound now."""
    now = pair.now
    for at in range(was.first, was.last - 2):
        if was.words[at] in {"try", "with"} and was.words[at + 1] == "(":
            end = was.code.stream.closing(at + 1, was.last)
            spans = list(split_at_commas(was.code.stream, at + 2, end))
        elif was.words[at] == "with" and was.words[at - 1] != ".":
            ends = (it for it in range(at, was.last) if was.words[it] in {"as", ":"})
            spans = [(at + 1, next(ends, at + 1))]
        else:
            continue
        for first, last in spans:
            text = was.words[first:last]
            text = text[text.index("=") + 1 :] if "=" in text else text
            if len(text) < 3 or text[-1] != ")":  # noqa: PLR2004 - a call
                continue
            for here in range(now.first, now.last - len(text)):
                is_bound = now.words[here - 1] == "=" and now.words[here : here + len(text)] == text
                if not is_bound or now.line(here) not in pair.touched:
                    continue
                name = now.words[here - 2]
                opened = now.code.stream.enclosing(here)
                is_entered = now.words[opened] == "(" and now.words[opened - 1] in {"try", "using"}
                closed = any(
                    (it := _release_of(now, call)) is not None and it[1] == name
                    for call in now.calls()
                )
                if not is_entered and not closed and not _is_returned(now, name):
                    what = "".join(text)
                    yield found_at(
                        pair,
                        here,
                        "not-released",
                        f"Nothing closes {what} any more, as a block did",
                    )


def _is_returned(body: FunctionBody, name: str) -> bool:
    places = (it for it in body.code.stream.positions(name) if body.first < it < body.last)
    return any(
        body.words[it - 1] in {"return", "yield"} and body.words[it + 1] != "." for it in places
    )


def _not_always(pair: ChangedBody, was: FunctionBody) -> Iterator[Remark]:
    """Name what was released on every way out, by `finally` or `defer`, and is not now."""
    now, words = pair.now, pair.now.words
    kept = {now.chain(it) for it in _in_finally(now)}
    for at in _in_finally(was):
        called = was.chain(at)
        here = [it for it in now.calls() if now.chain(it) == called]
        if not here or called in kept or called in {was.chain(it) for it in _plain(was)}:
            continue
        text = f"{''.join(called)} no longer runs when something before it fails"
        yield found_at(pair, here[-1], "not-released", text)
    deferred = {was.chain(it) for it in was.calls() if _is_deferred(was, it)}
    for called in sorted(deferred):
        here = [it for it in now.calls() if now.chain(it) == called]
        if not here or any(_is_deferred(now, it) for it in here):
            continue
        for way in range(_taken(now, here[-1]), here[-1]):
            released = any(_ways_before(now, way) < it < way for it in here)
            if words[way] in {"return", "panic"} and not released:
                text = f"{''.join(called)} does not run on this way out; it was deferred before"
                yield found_at(pair, way, "not-released", text)
                break


def _plain(body: FunctionBody) -> Iterator[int]:
    inside = set(_in_finally(body))
    return (it for it in body.calls() if it not in inside)


def _in_finally(body: FunctionBody) -> Iterator[int]:
    """Yield the calls in blocks that always run, where blocks are in braces."""
    for at in range(body.first, body.last - 1):
        if body.words[at] == "finally" and body.words[at + 1] == "{":
            end = body.code.stream.closing(at + 1, body.last)
            yield from (it for it in body.calls() if at < it < end)


def _is_deferred(body: FunctionBody, at: int) -> bool:
    return body.words[chain_start(body.words, at) - 1] == "defer"


def _taken(body: FunctionBody, release: int) -> int:
    """Return where what is released was taken: the last call on it before."""
    own = body.chain(release)[:-1]
    taken = [it for it in body.calls() if it < release and body.chain(it)[:-1] == own]
    return taken[0] if taken else body.last


def _ways_before(body: FunctionBody, way: int) -> int:
    """Return where the block of a way out begins."""
    return max(body.first, body.code.stream.enclosing(way))


@dataclass(frozen=True)
class _Condition:
    """The condition of an `if`: what it asks of which values, and how they are joined."""

    at: int
    end: int
    atoms: dict[tuple[str, ...], bool]
    """Whether each is wanted to hold."""
    joined: str


def _conditions(body: FunctionBody) -> Iterator[_Condition]:
    words = body.words
    for at in range(body.first, body.last - 2):
        if words[at] != "if":
            continue
        ends = range(at + 1, min(at + 30, body.last))
        if words[at + 1] == "(":
            end = body.code.stream.closing(at + 1, body.last)
            first = at + 2
        else:
            end, first = next((it for it in ends if words[it] in {":", "{"}), at), at + 1
        text = words[first:end]
        marks = {"&&": "and", "and": "and", "||": "or", "or": "or"}
        kinds = {marks[it] for it in text if it in marks}
        if end <= first or len(kinds) > 1 or "(" in text:
            if "(" in text or len(kinds) > 1:
                continue
            continue
        atoms: dict[tuple[str, ...], bool] = {}
        part: list[str] = []
        for word in [*text, "&&"]:
            if word in marks:
                wanted, said = _said(part)
                atoms[said] = wanted
                part = []
            else:
                part.append(word)
        yield _Condition(at, end, atoms, next(iter(kinds), ""))


def _said(part: Sequence[str]) -> tuple[bool, tuple[str, ...]]:
    """Return whether an atom is wanted to hold, and what it says without its negations."""
    words, wanted = list(part), True
    while words[:1] in (["!"], ["not"]):
        words, wanted = words[1:], not wanted
    text = " ".join(words)
    for negative, positive in ((" is not ", " is "), (" !== ", " === "), (" != ", " == ")):
        if negative in text:
            text, wanted = text.replace(negative, positive), not wanted
    return wanted, tuple(text.split())


def _lost_checks(state: ReviewState, pair: ChangedBody) -> Iterator[Remark]:
    """Name conditions that were negated in part, and checks for nothing that are gone."""
    now, was = pair.now, pair.was
    if was is None:
        return
    old, new = list(_conditions(was)), list(_conditions(now))
    for one in new:
        touched = now.line(one.at) in pair.touched
        for other in old if touched and len(one.atoms) > 1 else ():
            if one.atoms.keys() != other.atoms.keys() or one.joined == other.joined:
                continue
            flips = {one.atoms[it] != other.atoms[it] for it in one.atoms}
            if len(flips) > 1:
                text = "This condition negates a part of what it was before, and not the rest"
                yield found_at(pair, one.at, "lost-check", text)
    file = next(it for it in state.files if it.delta.path == pair.path)
    for condition in old:
        value = _asked_for_nothing(condition)
        leads = was.words[condition.end + 1 : condition.end + 4]
        if not value or _EXITS.isdisjoint(leads[:2]) or not _is_unchecked(now, value):
            continue
        if _bindings(now, value) != _bindings(was, value) or value not in _chains(now):
            continue
        shown = "".join(value)
        line = state.line_after(file, was.line(condition.at))
        text = f"{shown} may be nothing here, and the check that was before its use is gone"
        yield remark_at("lost-check", pair.path, line, text, pair.name, level="warning")


def _asked_for_nothing(condition: _Condition) -> tuple[str, ...]:
    """Return the value that a condition asks to be nothing: `x is None`, `!x`."""
    if len(condition.atoms) != 1 or condition.end - condition.at > _MAX_CONDITION_TOKENS:
        return ()
    [(said, wanted)] = condition.atoms.items()
    for mark in ("is", "==", "==="):
        if mark in said and wanted and said[-1] in _NOTHING and said.index(mark) == len(said) - 2:
            return said[: said.index(mark)]
    is_plain = len(said) <= 5 and all(it.isidentifier() or it == "." for it in said)  # noqa: PLR2004
    return said if is_plain and not wanted else ()


def _chains(body: FunctionBody) -> set[tuple[str, ...]]:
    return {body.chain(at) for at in range(body.first, body.last) if body.code.stream.is_name(at)}


def _is_unchecked(body: FunctionBody, value: tuple[str, ...]) -> bool:
    """Whether nothing in a function asks if a value is there."""
    words = body.words
    for at in body.code.stream.positions(value[-1]):
        start = at - len(value) + 1
        if not body.first <= start < body.last or tuple(words[start : at + 1]) != value:
            continue
        before, after = words[start - 1], words[at + 1]
        is_tested = before in _BEFORE_TEST or after in _AFTER_TEST
        is_tested |= before == "(" and words[start - 2] in {"if", "while", "isEmpty", "len"}
        if is_tested or before == "?" or after == "!":
            return False
    return True


def _bindings(body: FunctionBody, value: tuple[str, ...]) -> list[list[str]]:
    """Return the statements that give a name its value, up to the end of their lines."""
    stream, found = body.code.stream, []
    for at in stream.positions(value[-1]):
        if body.first < at < body.last and body.words[at + 1] in {"=", ":="}:
            end = at + 1
            while end < body.last and end not in stream.line_starts:
                end += 1
            found.append(body.words[at:end])
    return found
