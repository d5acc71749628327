"""Functions that name every field of a type but the one that a change added."""

from collections.abc import Iterator

from benchpin.code.names import Code, Symbol
from benchpin.facts import Function
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, last_part

# A function that names fewer fields need not be about all of them.
_MIN_FIELDS = 3
_MAX_SHOWN = 5
# Their name says that they are about all fields.
_WHOLE = frozenset({"equals", "hashCode", "__eq__", "__hash__", "clone", "copy", "__copy__"})


def check_fields(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name what copies, compares or builds a value field by field, without a new field."""
    paths = [it.delta.path for it in state.files if it.after is not None]
    for was, now in state.changed_types():
        old, fields = _fields(state, was, is_before=True), _fields(state, now)
        new = fields - old
        if len(old) < _MIN_FIELDS or not new or not old <= fields:
            continue
        found = [
            it
            for path in paths
            if is_product_path(path)
            for it in _without(state, path, now, old, new)
        ]
        yield from found[:_MAX_SHOWN]


def _fields(state: ReviewState, owner: Symbol, *, is_before: bool = False) -> set[str]:
    """Return the fields of a type that each value has: constants are no part of it."""
    index = state.index_before if is_before else state.index
    return {it.name for it in index.values.fields_of(owner) if not it.name.isupper()}


def _without(
    state: ReviewState, path: str, owner: Symbol, old: set[str], new: set[str]
) -> Iterator[ReviewFinding]:
    before = state.index_before.symbols.modules.get(state.old_path(path))
    after = state.index.symbols.modules.get(path)
    if before is None or before.code is None or after is None or after.code is None:
        return
    if after.family != state.index.symbols.modules[owner.file].family:
        return
    words = before.code.stream.words
    whole = {
        (it.name, it.parameters)
        for it in before.facts.outline.functions
        if old <= {*words[it.first_token : it.last_token]} and _is_by_field(before.code, it, old)
    }
    for function in after.facts.outline.functions:
        named = {*after.code.stream.words[function.first_token : function.last_token]}
        is_whole = (function.name, function.parameters) in whole and old <= named
        if not is_whole or not named.isdisjoint(new):
            continue
        missing = ", ".join(sorted(new))
        text = (
            f"{function.name} gives every other field of {owner.qualified}, and not {missing}, "
            f"which {'is' if len(new) == 1 else 'are'} new"
        )
        place = f"{owner.file}:{owner.line}"
        yield finding_at(
            "missing-case", path, function.line, text, function.name, place, level="warning"
        )


def _is_by_field(code: Code, function: Function, fields: set[str]) -> bool:
    """Whether a function gives each field its value: `a: it.a`, `self.a = other.a`, `{a, b}`."""
    if last_part(function.name) in _WHOLE:
        return True
    stream, words = code.stream, code.stream.words
    for name in fields:
        own = [
            it for it in stream.positions(name) if function.first_token <= it < function.last_token
        ]
        lines = [stream.line(it) for it in own]
        is_key = any(words[it + 1 : it + 2] == [":"] for it in own)
        if not is_key and len(lines) == len({*lines}):
            return False
    return True
