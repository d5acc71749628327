"""Calls that do not fit what they certainly call: new ones, and those of what a change alters."""

from collections.abc import Iterator
from functools import cache

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import Code, Module, Symbol, chain_start
from benchpin.code.references import find_uses
from benchpin.code.signatures import (
    Misfit,
    callee_at,
    fewest_of,
    find_misfits,
    made_of,
    misfit_at,
    misfit_if,
    moved_at,
    order_of,
    positional_at,
    swapped_at,
    takes,
)
from benchpin.code.subtypes import own_member
from benchpin.facts.code import TokenStream
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, first_few, is_named_like

# Calls that are named of one function.
_MAX_SHOWN = 10


def check_calls(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name calls that certainly mean a function and do not fit it: new calls, or its callers."""
    seen: set[tuple[str, int, str]] = set()
    for change in state.symbols:
        module = state.index.symbols.modules.get(change.now.path)
        symbol = None if module is None else module.symbols.get(change.now.name)
        if change.is_signature_changed and symbol is not None and symbol.is_function:
            old = _before(state, change)
            yield from _callers(state, symbol, seen, old)
            if old is not None:
                yield from _likely_callers(state, old, symbol, seen)
                yield from _passed_on(state, old, symbol)
                yield from _reordered(state, old, symbol)
    for symbol in _remade(state):
        yield from _callers(state, symbol, seen)
    for file in state.files:
        for module, at in _new_names(state, file):
            state.checked["calls"] += 1
            misfit = misfit_at(state.index, module, at)
            swapped = swapped_at(state.index, module, at) if misfit is None else None
            found = misfit or swapped
            if found is not None and (found.file, found.line, found.callee) not in seen:
                path, _, name = found.callee.partition("::")
                callee = state.index.symbols.modules[path].symbols.get(name)
                text = f"This call of {name} does not fit: it {found.problem}"
                place = None if callee is None else f"{path}:{callee.line}"
                finding = _broken_call(found, text, name, place)
                yield finding if misfit else finding.model_copy(update={"level": "warning"})
            elif found is None:
                yield from _moved(state, file, module, at)


def _moved(
    state: ReviewState, file: ChangedFile, module: Module, at: int
) -> Iterator[ReviewFinding]:
    """Name a call of what is not known that passes what it passed before at another place."""
    before = state.index_before.symbols.modules.get(file.delta.old_path or file.delta.path)
    if before is None or before.code is None or module.code is None:
        return
    problem = moved_at(module.code, at, before.code)
    if problem and callee_at(state.index, module, at) is None:
        name, line = module.code.stream.words[at], module.code.stream.line(at)
        text = f"This call of {name} {problem}; the two may be swapped"
        finding = finding_at("broken-call", module.path, line, text, name)
        yield finding.model_copy(update={"level": "warning"})


def _remade(state: ReviewState) -> Iterator[Symbol]:
    """Yield what makes types from their fields, where these are others since a change."""
    found: dict[Symbol, None] = {}
    for was, now in state.changed_types():
        made = made_of(state.index, now)
        if made is not None and made != made_of(state.index_before, was):
            heirs = (it.symbol for it in state.index.types.heirs(now) if it.symbol is not None)
            found |= dict.fromkeys((now, *heirs))
    for owner in found:
        maker = state.index.run_by(owner)
        if made_of(state.index, owner) is not None:
            yield maker if maker.name == owner.name else owner


def _callers(
    state: ReviewState,
    callee: Symbol,
    seen: set[tuple[str, int, str]],
    old: Symbol | None = None,
) -> Iterator[ReviewFinding]:
    """Name calls of a function, or a type, that takes other arguments than it did."""
    misfits = find_misfits(state.index, callee, state.job)
    found = [it for it in misfits if (it.file, it.line, it.callee) not in seen]
    # What did not fit before is wrong on purpose, as in a test that expects the error.
    known_before = find_misfits(state.index_before, old, state.job) if found and old else ()
    wrong_before = {state.place_after(it.file, it.line) for it in known_before}
    found = [it for it in found if (it.file, it.line) not in wrong_before]
    known = state.index.recall_uses(callee)
    state.checked["calls"] += sum(it.kind == "call" for it in known.found) if known else 0
    found.sort(key=lambda it: (not is_product_path(it.file), it.file, it.line))
    seen.update((it.file, it.line, it.callee) for it in found)
    for misfit, more in first_few(found, _MAX_SHOWN, "; so do {:,} more"):
        text = f"This call of {callee.qualified} no longer fits: it {misfit.problem}{more}"
        yield _broken_call(misfit, text, callee.qualified, f"{callee.file}:{callee.line}")


def _before(state: ReviewState, change: SymbolChange) -> Symbol | None:
    """Return a function as it was before a change."""
    if change.before is None:
        return None
    module = state.index_before.symbols.modules.get(change.before.path)
    return None if module is None else module.symbols.get(change.before.name)


def _likely_callers(
    state: ReviewState, old: Symbol, callee: Symbol, seen: set[tuple[str, int, str]]
) -> Iterator[ReviewFinding]:
    """Name calls on something of unknown type, called as the type is, that fitted until now."""
    uses = find_uses(state.index, callee, state.job, mentions=False)
    found: list[Misfit] = []
    for use in uses.found:
        at, module = uses.tokens.get(use), state.index.symbols.modules[use.file]
        is_possible = use.kind == "call" and use.certainty == "possible"
        if not is_possible or at is None or (use.file, use.line, callee.id) in seen:
            continue
        if is_named_like(state.index, module, at, callee):
            problem = misfit_if(state.index, module, at, callee)
            if problem and not misfit_if(state.index_before, module, at, old):
                found.append(Misfit(callee.id, use.file, use.line, use.inside, problem))
    found.sort(key=lambda it: (not is_product_path(it.file), it.file, it.line))
    seen.update((it.file, it.line, it.callee) for it in found)
    for misfit, more in first_few(found, _MAX_SHOWN, "; so do {:,} more"):
        text = (
            f"By the name of its object, this may call {callee.qualified}, which it no longer "
            f"fits: it {misfit.problem}{more}"
        )
        finding = _broken_call(misfit, text, callee.qualified, f"{callee.file}:{callee.line}")
        yield finding.model_copy(update={"level": "warning"})


# They take a function, but do not call it with the arguments that the caller of the result passes.
_NOT_CALLING = frozenset(
    {"partial", "partialmethod", "wraps", "signature", "callable", "isinstance", "print", "expect"}
)


def _passed_on(state: ReviewState, old: Symbol, callee: Symbol) -> Iterator[ReviewFinding]:
    """Name places that hand a function to something that calls it as it could be called before."""
    if callee.is_property or all(
        takes(state.index, callee, it) for it in fewest_of(state.index_before, old)
    ):
        return
    uses = find_uses(state.index, callee, state.job, mentions=False)
    touched = cache(state.touched)
    found = [
        it
        for it in uses.found
        if it.kind == "read" and it.certainty == "certain" and it in uses.tokens
        if it.line not in touched(it.file)
        if _is_handed(state.index.symbols.modules[it.file].code, uses.tokens[it])
    ]
    found.sort(key=lambda it: (not is_product_path(it.file), it.file, it.line))
    for use, more in first_few(found, _MAX_SHOWN, "; so is it in {:,} more places"):
        text = (
            f"{callee.qualified} is passed on here, and whatever calls it has to give it other "
            f"arguments now{more}"
        )
        place = f"{callee.file}:{callee.line}"
        yield finding_at(
            "broken-call", use.file, use.line, text, callee.qualified, place, level="warning"
        )


def _reordered(state: ReviewState, old: Symbol, callee: Symbol) -> Iterator[ReviewFinding]:
    """Name calls and overrides with the parameters of a function in their order of before."""
    was, now = order_of(state.index_before, old), order_of(state.index, callee)
    if was == now or sorted(was) != sorted(now):
        return
    moved = [at for at, name in enumerate(was) if now[at] != name]
    before, after = ([_name_of(names[it]) for it in moved] for names in (was, now))
    what = f"{', '.join(before)} of {callee.qualified} are {', '.join(after)} now"
    place = f"{callee.file}:{callee.line}"
    touched = cache(state.touched)
    uses = find_uses(state.index, callee, state.job, mentions=False)
    found = [
        (use.file, use.line, f"This call passes by position what is in another order: {what}")
        for use in uses.found
        for at in [uses.tokens.get(use)]
        if use.kind == "call" and use.certainty == "certain" and at is not None
        if use.line not in touched(use.file)
        if positional_at(state.index.symbols.modules[use.file], at) > moved[0] + 1
    ]
    owner = state.index.owner_of(callee)
    heirs = [] if owner is None else state.index.types.heirs(owner)
    for own in (own_member(state.index.types, it.symbol, callee.name) for it in heirs if it.symbol):
        takes_now = [] if own is None else list(map(_name_of, order_of(state.index, own)))
        if own is not None and [it for it in takes_now if it in before] == before:
            said = f"{own.qualified} has the order of before: {what}"
            found.append((own.file, own.line, said))
    found = sorted(set(found), key=lambda it: (not is_product_path(it[0]), it))
    for (path, line, said), more in first_few(found, _MAX_SHOWN, "; {:,} more places as well"):
        yield finding_at(
            "broken-call", path, line, said + more, callee.qualified, place, level="warning"
        )


def _name_of(parameter: str) -> str:
    """Return the name in what is written of a parameter: `int count`, `count int`, `count`."""
    return parameter.rsplit(maxsplit=1)[-1] if parameter.split() else parameter


def _is_handed(code: Code | None, at: int) -> bool:
    """Whether a function is an argument, or a reference such as `Type::method` of Java."""
    if code is None:
        return False
    words = code.stream.words
    start, after = chain_start(words, at), words[at + 1 : at + 2]
    if start < 1 or not after:
        return False
    if words[at - 1] == "::" and code.reader is not None and code.reader.bare_members:
        return True
    opened = code.stream.enclosing(at)
    is_call = opened > 0 and words[opened] == "(" and code.stream.is_name(opened - 1)
    is_whole = words[start - 1] in {"(", ",", "="} and after[0] in {",", ")"}
    return is_call and is_whole and words[opened - 1] not in _NOT_CALLING


def _broken_call(misfit: Misfit, text: str, symbol: str, elsewhere: str | None) -> ReviewFinding:
    return finding_at("broken-call", misfit.file, misfit.line, text, symbol, elsewhere)


def _new_names(state: ReviewState, file: ChangedFile) -> Iterator[tuple[Module, int]]:
    """Yield the called names whose calls a change touches, unless the call was there before."""
    lines = state.new_lines(file) if file.after is not None else frozenset[int]()
    if file.after is None or not lines or not state.is_reliable(file.delta.path):
        return
    stream = TokenStream(file.after.tokens)
    words = stream.words
    before = [] if file.before is None else TokenStream(file.before.tokens).words
    was = f" {' '.join(before)} "
    called = [at for at in range(len(words) - 1) if words[at + 1] == "(" and stream.is_name(at)]
    for at in state.job.each(called, "calls"):
        end = stream.closing(at + 1, len(words))
        touched = range(stream.line(at), stream.line(min(end, len(words) - 1)) + 1)
        if lines.isdisjoint(touched) or f" {' '.join(words[at : end + 1])} " in was:
            continue
        module = state.index.symbols.modules.get(file.delta.path)
        if module is not None and module.code and at not in module.code.defining(words[at]):
            yield module, at
