"""Check the names of a change: what is gone and still used, and what new code relies on.

New code is looked at in its tokens first: the index of the workspace is only asked about names that
a change touches, so that a change of comments needs none.
"""

import builtins
from collections.abc import Callable, Iterator
from functools import cache

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import MEMBER_MARKS, Meaning, Module, Symbol
from benchpin.code.references import Misfit, find_misfits, misfit_at, swapped_at
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import TokenStream, navigation_of
from benchpin.facts.imports import Resolution
from benchpin.workspace.walking import is_product_path

from ._gone import broken
from ._state import Remark, ReviewState, remark_at

# Places that are named of one function.
_MAX_SHOWN = 10
# Names of code that makes names at run time.
_DYNAMIC = frozenset({"__getattr__", "__getattribute__", "globals", "locals", "setattr", "exec"})
# Those that make members only: Python does not ask them for a bare name.
_DYNAMIC_MEMBERS = frozenset({"__getattr__", "__getattribute__"})
_BINDING = frozenset({"def", "class", "for", "as", "import", "global", "nonlocal", "del", "case"})
# What is after a name that is bound; after one in a tuple, too.
_BOUND = frozenset({"=", ":", ":=", ",", "in"})
_BUILT_IN = frozenset(dir(builtins)) | {"__file__", "__path__", "reveal_type", "WindowsError"}


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
    if not _DYNAMIC.isdisjoint(module.facts.links.references):
        return False
    return name not in names_of(module.facts) and not module.facts.outline.error_line


def check_new_names(state: ReviewState) -> Iterator[Remark]:
    """Name new calls of functions and methods that do not exist, in Python."""
    for file in state.files:
        if file.after is None or not navigation_of(file.after.language).has_unchecked_names:
            continue
        places = [*_new_names(state, file), *_lost_names(state, file)]
        is_unbound = cache(_is_unbound)
        said: set[str] = set()
        for module, at in state.job.each(list(dict.fromkeys(places)), "names"):
            text = _missing(state, module, at, is_unbound)
            if text and text not in said and module.code is not None:
                said.add(text)  # once a file
                name = module.code.stream.words[at]
                line = module.code.stream.line(at)
                yield broken(module.path, line, text, name)


def _lost_names(state: ReviewState, file: ChangedFile) -> Iterator[tuple[Module, int]]:
    """Yield the first use of each name that a file imported before and does not now."""
    if file.before is None or file.after is None:
        return
    bound, now = (
        {name for it in facts.links.imports for name in it.aliases or it.names}
        for facts in (file.before, file.after)
    )
    stream = TokenStream(file.after.tokens)
    for name in sorted(bound - now):
        uses = (it for it in stream.positions(name) if stream.words[it - 1] not in MEMBER_MARKS)
        at = next(uses, None)
        module = None if at is None else state.index.symbols.modules.get(file.delta.path)
        if module is not None and at is not None:
            yield module, at


def _missing(
    state: ReviewState, module: Module, at: int, is_unbound: Callable[[Module, str], bool]
) -> str:
    """Say why what is called at a token does not exist; empty if it may."""
    words = module.code.stream.words if module.code is not None else []
    name = words[at]
    meaning = state.index.meaning(module, at)
    if meaning.symbol is not None or meaning.kind in {"local", "key", "module"}:
        return ""
    if at and words[at - 1] in MEMBER_MARKS:
        return _missing_member(state, meaning, name)
    is_bound = name in module.bindings or name in _BUILT_IN
    if is_bound or meaning.kind != "external" or not is_unbound(module, name):
        return ""
    return f"{name} is used here, and is neither defined nor imported"


def _is_unbound(module: Module, name: str) -> bool:
    """Whether a file only uses a name, and can come by it in no way."""
    code = module.code
    makes_names = not (_DYNAMIC - _DYNAMIC_MEMBERS).isdisjoint(module.facts.links.references)
    if code is None or makes_names:
        return False
    if any("*" in it.names for it in module.facts.links.imports):
        return False
    words = code.stream.words
    for at in code.stream.positions(name):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if before not in MEMBER_MARKS and (before in _BINDING or after in _BOUND):
            return False
    return True


def _missing_member(state: ReviewState, meaning: Meaning, name: str) -> str:
    receiver = meaning.receiver
    if receiver is None or meaning.kind != "unknown":
        return ""
    if receiver.module is not None and receiver.module.navigation.has_unchecked_names:
        is_gone = _is_without(receiver.module, name)
        return f"{receiver.module.path} has no {name}" if is_gone else ""
    owner = receiver.symbol
    if owner is None or receiver.kind not in {"instance", "type"} or not owner.is_type:
        return ""
    return f"{owner.qualified} has no {name}" if _type_lacks(state, owner, name) else ""


def _type_lacks(state: ReviewState, owner: Symbol, name: str) -> bool:
    """Whether neither a type nor its bases have a member, and none is made at run time."""
    names = state.index.names
    rules = state.index.symbols.modules[owner.file].navigation
    if not rules.has_unchecked_names or names.has_outside_base(owner) or owner.declared is None:
        return False
    if owner.declared.decorators:
        return False
    files = {it.file for it in names.ancestors(owner)}
    modules = [state.index.symbols.modules[it] for it in files]
    is_dynamic = any(not _DYNAMIC.isdisjoint(it.facts.links.references) for it in modules)
    return not is_dynamic and state.occurrences(name) == 1
