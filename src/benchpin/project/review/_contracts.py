"""Contracts between types: what an interface demands since a change, and who lacks it."""

from collections.abc import Iterator

from benchpin.code.names import Symbol
from benchpin.code.subtypes import demands, lacking, misfit_of, own_member, pairs_of
from benchpin.core.text import counted
from benchpin.workspace.walking import is_product_path

from ._state import Remark, ReviewState, remark_at
from ._values import RULE, incomplete_values

# Types that are named for one member.
_MAX_SHOWN = 5


def check_contracts(state: ReviewState) -> Iterator[Remark]:
    """Name types that lack what is demanded since a change, and overrides that no longer fit."""
    seen: set[tuple[str, str, str]] = set()
    for was, now in state.changed_types():
        before, after = state.index_before.types, state.index.types
        old = demands(before, was)
        for name, member in demands(after, now).items():
            if name not in old:
                yield from _lacking(state, was, now, member)
        yield from incomplete_values(state, was, now)
        for remark in _misfits(state, was, now):
            place = (remark.file, remark.symbol or "", remark.elsewhere or "")
            if place not in seen:
                seen.add(place)
                yield remark


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
