"""Check the names of a change: what is gone and still used, and what new code relies on.

New code is looked at in its tokens first: the index of the workspace is only asked about names that
a change touches, so that a change of comments needs none.
"""

from collections.abc import Iterator

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import Module
from benchpin.code.references import Misfit, find_misfits, misfit_at, swapped_at
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import TokenStream, navigation_of
from benchpin.facts.imports import Resolution
from benchpin.workspace.walking import is_product_path

from ._gone import DYNAMIC, broken
from ._state import Remark, ReviewState, remark_at

# Places that are named of one function.
_MAX_SHOWN = 10


def names_of(file: FileFacts) -> set[str]:
    """Return every name that can be imported from a file, or may be."""
    imported = {name for it in file.links.imports for name in (*it.names, *it.aliases)}
    return {*file.links.references, *file.links.exports, *imported}


def check_calls(state: ReviewState) -> Iterator[Remark]:
    """Name calls that certainly mean a function and do not fit it: new calls, or its callers."""
    seen: set[tuple[str, int, str]] = set()
    for change in state.symbols:
        if change.is_signature_changed:
            yield from _callers(state, change, seen)
    for file in state.files:
        for module, at in _new_names(state, file):
            misfit = misfit_at(state.index, module, at)
            swapped = swapped_at(state.index, module, at) if misfit is None else None
            found = misfit or swapped
            if found is not None and (found.file, found.line, found.callee) not in seen:
                path, _, name = found.callee.partition("::")
                callee = state.index.symbols.modules[path].symbols.get(name)
                text = f"This call of {name} does not fit: it {found.problem}"
                place = None if callee is None else f"{path}:{callee.line}"
                remark = _broken_call(found, text, name, place)
                yield remark if misfit else remark.model_copy(update={"level": "warning"})


def _callers(
    state: ReviewState, change: SymbolChange, seen: set[tuple[str, int, str]]
) -> Iterator[Remark]:
    """Name calls of a function whose signature changed."""
    now = change.now
    module = state.index.symbols.modules.get(now.path)
    symbol = module.symbols.get(now.name) if module is not None else None
    if symbol is None or not isinstance(now.fact, Function):
        return
    found = list(find_misfits(state.index, symbol, state.job))
    found.sort(key=lambda it: (not is_product_path(it.file), it.file, it.line))
    seen.update((it.file, it.line, it.callee) for it in found)
    for at, misfit in enumerate(found[:_MAX_SHOWN], start=1):
        left = len(found) - at
        more = f"; so do {left:,} more" if left and at == _MAX_SHOWN else ""
        text = f"This call of {now.name} no longer fits: it {misfit.problem}{more}"
        yield _broken_call(misfit, text, now.name, f"{now.path}:{now.fact.line}")


def _broken_call(misfit: Misfit, text: str, symbol: str, elsewhere: str | None) -> Remark:
    return remark_at("broken-call", misfit.file, misfit.line, text, symbol, elsewhere)


def _new_names(state: ReviewState, file: ChangedFile) -> Iterator[tuple[Module, int]]:
    """Yield the called names whose calls a change touches, unless the call was there before."""
    lines = state.new_lines(file) if file.after is not None else frozenset[int]()
    if file.after is None or not lines or file.after.outline.error_line:
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


def check_new_imports(state: ReviewState) -> Iterator[Remark]:
    """Name new imports of what is not there."""
    for file in state.files:
        if file.after is None or not navigation_of(file.after.language).takes_named:
            continue
        known = _imported(file.before)
        for at, imported in enumerate(file.after.links.imports):
            names = [
                it for it in imported.names if (imported.module, imported.level, it) not in known
            ]
            module = state.index.symbols.modules.get(file.delta.path) if names else None
            lead = None if module is None else module.leads[at]
            if lead is None or imported.kind != "runtime":
                continue
            for name in names:
                if _lacks(state, lead, name):
                    text = f"{name} is imported from {lead.files[0]}, which does not have it"
                    yield broken(file.delta.path, imported.line, text, name, lead.files[0])


def _imported(file: FileFacts | None) -> set[tuple[str, int, str]]:
    imports = () if file is None else file.links.imports
    return {(it.module, it.level, name) for it in imports for name in it.names}


def _lacks(state: ReviewState, lead: Resolution, name: str) -> bool:
    """Whether the one file that an import leads to certainly has no such name."""
    if lead.status != "file" or len(lead.files) != 1 or name in {"*", "default"}:
        return False
    if name in dict(lead.modules):
        return False
    target = state.index.symbols.modules.get(lead.files[0])
    return target is not None and _is_without(target, name)


def _is_without(module: Module, name: str) -> bool:
    """Whether a file certainly has no name, and no way to come by it."""
    if any("*" in it.names for it in module.facts.links.imports):
        return False
    if not DYNAMIC.isdisjoint(module.facts.links.references):
        return False
    return name not in names_of(module.facts) and not module.facts.outline.error_line
