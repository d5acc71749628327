"""What a function no longer does since a change: wait, look at errors, release, check.

Each is compared with itself before the change. What a change only moves to another function of it
is no loss.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from benchpin.code.names import chain_start
from benchpin.facts.code import split_at_commas

from ._bodies import ChangedBody, FunctionBody, calls_in_blocks, found_at, pairs
from ._lost_checks import lost_checks
from ._lost_errors import lost_awaits, lost_errors
from ._rewritten import assigned_in, rewritten
from ._state import ReviewFinding, ReviewState, finding_at
from ._turned import turned_round

# How the names of calls begin that give back what was taken.
_RELEASES = (
    *("close", "aclose", "release", "unlock", "runlock", "dispose", "unsubscribe", "unregister"),
    *("removelistener", "removeeventlistener", "cleartimeout", "clearinterval"),
)
# A value is entered: what is taken is given back at the end of the block.
_ENTERING = frozenset({"with", "using", "defer"})


def check_bodies(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name what functions no longer do since a change, each place once."""
    seen: set[tuple[str, str, int]] = set()
    every = list(pairs(state))
    moved = _released_in(every)
    held = _held_in(every)
    assigned = assigned_in(every)
    for pair in state.job.each(every, "functions"):
        found = (lost_awaits(state, pair), lost_errors(state, pair), _releases(state, pair, moved))
        own = (_lost_locks(state, pair, held), lost_checks(state, pair), turned_round(pair))
        for finding in chain(*found, *own, rewritten(state, pair, assigned)):
            place = (finding.rule, finding.file, finding.line)
            if place not in seen:
                seen.add(place)
                yield finding


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


def _releases(
    state: ReviewState, pair: ChangedBody, moved: Counter[str]
) -> Iterator[ReviewFinding]:
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
        yield finding_at("not-released", pair.path, line, text, pair.name, level="warning")
    yield from _left_open(pair, was)
    yield from _not_always(pair, was)


def _is_passed(body: FunctionBody, name: str, new: set[str]) -> bool:
    """Whether something is passed to a call that is new, which may release it."""
    for at in body.calls():
        if body.words[at] in new and name in body.words[at + 1 : body.end(at)]:
            return True
    return False


_LOCK = re.compile(r"lock|mutex|semaphore", re.IGNORECASE)
_TAKES = frozenset({"lock", "Lock", "RLock", "acquire", "write", "read"})


def _locks(body: FunctionBody) -> dict[tuple[str, ...], int]:
    """Return the locks that a function holds, and where it takes them."""
    found: dict[tuple[str, ...], int] = {}
    for at in range(body.first, body.last - 2):
        start = at + 1 + (body.words[at + 1] == "(")
        # `with self._lock:`, `synchronized (lock) {`
        if body.words[at] in {"with", "synchronized"} and body.words[at - 1] != ".":
            end = start
            while body.words[end].isidentifier() or body.words[end] == ".":
                end += 1
            held = tuple(body.words[start:end])
            if held and _LOCK.search(held[-1]) and body.words[end] in {":", ")", ","}:
                found.setdefault(held, at)
        elif body.words[at] in _TAKES and body.words[at + 1] == "(":
            held = body.chain(at)[:-2]
            if held and (_LOCK.search(held[-1]) or held[-1] == "mu"):
                found.setdefault(held, at)
    return found


def _held_in(every: Sequence[ChangedBody]) -> Counter[tuple[str, ...]]:
    """Return in how many more functions of a change each lock is held than before."""
    found: Counter[tuple[str, ...]] = Counter()
    for pair in every:
        found.update(_locks(pair.now))
        if pair.was is not None:
            found.subtract(_locks(pair.was))
    return found


def _lost_locks(
    state: ReviewState, pair: ChangedBody, held: Counter[tuple[str, ...]]
) -> Iterator[ReviewFinding]:
    """Name functions that no longer hold a lock, and still use what they used under it."""
    was, now = pair.was, pair.now
    if was is None or pair.name.lower().endswith("locked"):
        return
    file = next(it for it in state.files if it.delta.path == pair.path)
    for lock, at in _locks(was).items():
        if lock[-1] in now.own or held[lock] >= 0:
            continue
        owner = lock[0]
        used = {
            was.words[it + 2]
            for it in range(at, was.last - 2)
            if was.words[it] == owner and was.words[it + 1] == "."
        } - {lock[-1]}
        if len(lock) > 1 and any(
            now.words[it] == owner and now.words[it + 1] == "." and now.words[it + 2] in used
            for it in range(now.first, now.last - 2)
        ):
            text = f"{''.join(lock)} was held here before this change, and is not now"
            line = state.line_after(file, was.line(at))
            yield finding_at("not-released", pair.path, line, text, pair.name, level="warning")


def _left_open(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
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
            head = text[: text.index("(")] if "(" in text else text
            text = text[head.index("=") + 1 :] if "=" in head else text
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


def _not_always(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
    """Name what was released on every way out, by `finally` or `defer`, and is not now."""
    now, words = pair.now, pair.now.words
    kept = {now.chain(it) for it in _in_finally(now)}
    for at in _in_finally(was):
        called = was.chain(at)
        here = [it for it in now.calls() if now.chain(it) == called]
        if not here or called in kept or called in {was.chain(it) for it in _plain(was)}:
            continue
        if here[-1] in calls_in_blocks(now, {"except", "catch"}):
            continue  # where something failed, it runs
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
    """Yield the calls in blocks that always run."""
    return calls_in_blocks(body, {"finally"})


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
