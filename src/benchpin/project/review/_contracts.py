"""Contracts between types: what an interface demands since a change, and who lacks it."""

from collections.abc import Iterator

from benchpin.code.names import Symbol
from benchpin.code.references import find_uses
from benchpin.code.subtypes import demands, lacking, misfit_of, own_member, pairs_of
from benchpin.core.text import counted
from benchpin.facts.code import TokenStream, split_at_commas
from benchpin.workspace.walking import is_product_path

from ._state import Remark, ReviewState, remark_at

RULE = "broken-contract"
# Types that are named for one member.
_MAX_SHOWN = 5


def check_contracts(state: ReviewState) -> Iterator[Remark]:
    """Name types that lack what is demanded since a change, and overrides that no longer fit."""
    seen: set[tuple[str, str, str]] = set()
    for was, now in _changed_types(state):
        before, after = state.index_before.types, state.index.types
        old = demands(before, was)
        for name, member in demands(after, now).items():
            if name not in old:
                yield from _lacking(state, was, now, member)
        if now.kind == "struct":
            yield from _incomplete(state, was, now)
        for remark in _misfits(state, was, now):
            place = (remark.file, remark.symbol or "", remark.elsewhere or "")
            if place not in seen:
                seen.add(place)
                yield remark


def _changed_types(state: ReviewState) -> Iterator[tuple[Symbol, Symbol]]:
    """Yield the types of the files that changed, before and after it."""
    for file in state.job.each(state.files, "files"):
        if file.before is None or file.after is None or file.after.outline.error_line:
            continue
        before = state.index_before.symbols.modules.get(file.delta.old_path or file.delta.path)
        after = state.index.symbols.modules.get(file.delta.path)
        if before is None or after is None:
            continue
        for name, now in after.symbols.items():
            was = before.symbols.get(name)
            if was is not None and now.is_type and was.is_type:
                yield was, now


def _lacking(state: ReviewState, was: Symbol, now: Symbol, member: Symbol) -> Iterator[Remark]:
    found = list(lacking(state.index_before.types, state.index.types, was, now, member.name))
    found.sort(key=lambda it: (it[1], not is_product_path(it[0].file), it[0].file, it[0].line))
    for at, (own, certainty) in enumerate(found[:_MAX_SHOWN], start=1):
        left = len(found) - at
        more = f"; so do {counted(left, 'more type')}" if left and at == _MAX_SHOWN else ""
        is_sure = certainty == "certain"
        lacks = "lacks" if is_sure else "may lack"
        text = f"{own.qualified} {lacks} {member.name}, which {now.qualified} demands now{more}"
        place = f"{now.file}:{member.line}"
        remark = remark_at(RULE, own.file, own.line, text, own.qualified, place)
        yield remark if is_sure else remark.model_copy(update={"level": "warning"})


def _misfits(state: ReviewState, was: Symbol, now: Symbol) -> Iterator[Remark]:
    """Name the methods that fitted what they override before the change, and do not now."""
    after = state.index.types
    found = []
    for override, certainty in pairs_of(state.index_before.types, after, was, now):
        problem = misfit_of(after, override)
        own = own_member(after, override.owner, override.name)
        base = own_member(after, override.base, override.name)
        if problem and own is not None and base is not None:
            found.append((own, base, problem, certainty))
    found.sort(key=lambda it: (not is_product_path(it[0].file), it[0].file, it[0].line))
    for at, (own, base, problem, certainty) in enumerate(found[:_MAX_SHOWN], start=1):
        left = len(found) - at
        more = f"; {left:,} more do not fit either" if left and at == _MAX_SHOWN else ""
        text = f"{own.qualified} no longer fits {base.qualified}: {problem}{more}"
        place = f"{base.file}:{base.line}"
        remark = remark_at(RULE, own.file, own.line, text, own.qualified, place)
        is_sure = certainty == "certain" and _is_checked(state, own, base)
        yield remark if is_sure else remark.model_copy(update={"level": "warning"})


def _is_checked(state: ReviewState, own: Symbol, base: Symbol) -> bool:
    """Whether a compiler would refuse a method that does not fit: the code has types."""
    types = state.index.types
    module = state.index.symbols.modules[own.file]
    rules = types.rules(own)
    if module.navigation.has_unchecked_names:
        return False
    has_results = all(types.result(it) is not None for it in (own, base))
    return rules is None or rules.is_exact or has_results


# Before the name of a type whose braces hold its members or a body, and no value of it.
_NO_VALUE = frozenset({"struct", "impl", "for", "->", "type", ")"})
# Before a value without keys, the package of its type left out: not `[]T{`, nor a result `*T {`.
_BEFORE_VALUE = frozenset({"&", "=", ":=", "return", "(", ",", "{", ":"})


def _incomplete(state: ReviewState, was: Symbol, now: Symbol) -> Iterator[Remark]:
    """Name the places that write a value of a struct without a field that it has since a change."""
    old = {it.name for it in state.index_before.values.fields_of(was)}
    fields = {it.name: it for it in state.index.values.fields_of(now)}
    new = [name for name, it in fields.items() if name not in old and not _is_optional(state, it)]
    # Where a field was renamed, its old name is what is wrong.
    if not new or not old or not old <= set(fields):
        return
    found: dict[tuple[str, int], None] = {}
    uses = find_uses(state.index, now, state.job, mentions=False)
    for use in uses.found:
        at = uses.tokens.get(use)
        code = state.index.symbols.modules[use.file].code
        if at is not None and code is not None and use.certainty == "certain":
            # A line may have several uses of one name, of which only the first is known.
            for here in code.stream.positions(now.name):
                is_here = code.stream.line(here) == use.line
                if is_here and _leaves_out(code.stream, here, old, new, _needs_all(state, now)):
                    found[use.file, use.line] = None
    ordered = sorted(found, key=lambda it: (not is_product_path(it[0]), it))
    for number, (path, line) in enumerate(ordered[:_MAX_SHOWN], start=1):
        left = len(ordered) - number
        more = f"; so do {counted(left, 'more place')}" if left and number == _MAX_SHOWN else ""
        text = f"This value of {now.qualified} does not give {', '.join(new)}, which is new{more}"
        place = f"{now.file}:{fields[new[0]].line}"
        yield remark_at(RULE, path, line, text, now.qualified, place)


def _is_optional(state: ReviewState, field: Symbol) -> bool:
    """Whether a field is there under a condition only: `#[cfg(unix)]`."""
    code = state.index.symbols.modules[field.file].code
    places = state.index.values.places(field)
    if code is None or not places:
        return True
    at = first = places[0].variable.at
    while first > 0 and code.stream.words[first - 1] not in {",", "{", ";"}:
        first -= 1
    return "cfg" in code.stream.words[first:at]


def _needs_all(state: ReviewState, owner: Symbol) -> bool:
    return state.index.symbols.modules[owner.file].navigation.gives_all_fields


def _leaves_out(
    stream: TokenStream,
    at: int,
    old: set[str],
    new: list[str],
    needs_all: bool,  # noqa: FBT001 - private
) -> bool:
    """Whether the value that is written after the name of a type lacks a new field."""
    words = stream.words
    if words[at + 1 : at + 2] != ["{"] or (at and words[at - 1] in _NO_VALUE):
        return False
    parts = [
        words[start:end]
        for start, end in split_at_commas(stream, at + 2, stream.closing(at + 1, len(stream)))
    ]
    is_keyed = any(it[1:2] == [":"] for it in parts)
    if not needs_all:
        # Without keys, the values are those of all fields in their order.
        first = at
        while first > 1 and words[first - 1] == ".":
            first -= 2
        is_value = first > 0 and words[first - 1] in _BEFORE_VALUE
        return is_value and not is_keyed and len(parts) == len(old)
    given = {it[0] for it in parts}
    # Anything else than fields is the rest of another value, a macro or a block.
    return bool(given) and given <= {*old, *new} and not given.issuperset(new)
