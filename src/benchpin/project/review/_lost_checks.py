"""Conditions that are gone since a change, or that are negated in part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ._bodies import ChangedBody, FunctionBody, found_at
from ._state import ReviewFinding, ReviewState, finding_at

_EXITS = frozenset({"return", "raise", "throw", "continue", "break", "panic", "panic!"})
_NOTHING = frozenset({"None", "null", "nil", "undefined"})
_AFTER_TEST = frozenset({"is", "==", "!=", "===", "!==", "and", "or", "&&", "||", "??", "?", "?."})
_BEFORE_TEST = frozenset({"if", "not", "!", "and", "or", "&&", "||", "while", "elif", "assert"})
_MAX_CONDITION_TOKENS = 12


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
        parsed = _parsed(words[first:end])
        if end <= first or parsed is None:
            continue
        yield _Condition(at, end, *parsed)


_JOINS = {"&&": "and", "and": "and", "||": "or", "or": "or"}


def _parsed(text: Sequence[str]) -> tuple[dict[tuple[str, ...], bool], str] | None:
    """Return what a condition asks, and how it is joined; None if it is joined in two ways."""
    atoms: dict[tuple[str, ...], bool] = {}
    part: list[str] = []
    joins: set[str] = set()
    depth = 0
    for word in [*text, "&&"]:
        depth += (word in "([{") - (word in ")]}")
        if word in _JOINS and depth > 0:
            return None
        if word in _JOINS:
            wanted, said = _said(part)
            atoms[said] = wanted
            joins.add(_JOINS[word])
            part = []
        else:
            part.append(word)
    joins = {_JOINS[it] for it in text if it in _JOINS}
    return None if len(joins) > 1 else (atoms, next(iter(joins), ""))


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


def lost_checks(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
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
    yield from _turned_returns(pair, was, new)
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
        yield finding_at("lost-check", pair.path, line, text, pair.name, level="warning")


_FALSE = frozenset({"false", "False"})


def _turned_returns(
    pair: ChangedBody, was: FunctionBody, new: Sequence[_Condition]
) -> Iterator[ReviewFinding]:
    """Name `if a or b: return false` for `return not a and b`: only a part of it was negated."""
    for at in range(was.first, was.last):
        if was.words[at] != "return":
            continue
        end = at + 1
        while end < was.last and was.words[end] not in {";", "}"}:
            begins = end in was.code.stream.line_starts and was.words[end - 1] not in _JOINS
            if begins and was.words[end] not in _JOINS:
                break
            end += 1
        parsed = _parsed(was.words[at + 1 : end])
        if parsed is None or parsed[1] != "and":
            continue
        for one in new:
            leads = pair.now.words[one.end : one.end + 4]
            is_out = "return" in leads and not _FALSE.isdisjoint(leads)
            shared = one.atoms.keys() & parsed[0].keys()
            if not is_out or one.joined == "and" or shared != one.atoms.keys():
                continue
            if len({one.atoms[it] != parsed[0][it] for it in shared}) > 1:
                text = "This condition negates a part of what was returned before, and not the rest"
                yield found_at(pair, one.at, "lost-check", text)


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
