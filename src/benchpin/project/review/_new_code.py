"""Check what new code relies on: that calls fit, and that what it imports and names is there."""

import builtins
from collections.abc import Callable, Iterator
from functools import cache

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import MEMBER_MARKS, Meaning, Module, Symbol
from benchpin.code.references import Misfit, find_misfits, misfit_at
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import Resolution
from benchpin.workspace.walking import is_product_path

from ._references import names_of, remark_at
from ._remarks import Remark
from ._state import ReviewState

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


def check_calls(state: ReviewState) -> Iterator[Remark]:
    """Name calls that certainly mean a function and do not fit it: new calls, or its callers."""
    seen: set[tuple[str, int, str]] = set()
    for change in state.symbols:
        if change.is_signature_changed:
            yield from _callers(state, change, seen)
    for file in state.files:
        for misfit in _new_misfits(state, file):
            if (misfit.file, misfit.line, misfit.callee) not in seen:
                name = misfit.callee.rpartition("::")[2]
                text = f"This call of {name} does not fit: it {misfit.problem}"
                yield _broken_call(misfit, text, name, _place_of(state, misfit.callee))


def _callers(
    state: ReviewState, change: SymbolChange, seen: set[tuple[str, int, str]]
) -> Iterator[Remark]:
    """Name calls of a function whose signature changed."""
    now = change.now
    module = state.index.symbols.modules.get(now.path)
    symbol = module.symbols.get(now.name) if module is not None else None
    if symbol is None or not isinstance(now.fact, Function):
        return
    found = list(find_misfits(state.index, symbol, now.fact, state.job))
    found.sort(key=lambda it: (not is_product_path(it.file), it.file, it.line))
    seen.update((it.file, it.line, it.callee) for it in found)
    for at, misfit in enumerate(found[:_MAX_SHOWN], start=1):
        left = len(found) - at
        more = f"; so do {left:,} more" if left and at == _MAX_SHOWN else ""
        text = f"This call of {now.name} no longer fits: it {misfit.problem}{more}"
        yield _broken_call(misfit, text, now.name, f"{now.path}:{now.fact.line}")


def _broken_call(misfit: Misfit, text: str, symbol: str, elsewhere: str | None) -> Remark:
    return Remark(
        rule="broken-call",
        level="error",
        file=misfit.file,
        line=misfit.line,
        end_line=misfit.line,
        message=text,
        symbol=symbol,
        elsewhere=elsewhere,
    )


def _place_of(state: ReviewState, symbol_id: str) -> str | None:
    path, _, name = symbol_id.partition("::")
    module = state.nearby.symbols.modules.get(path)
    symbol = None if module is None else module.symbols.get(name)
    return None if symbol is None else f"{path}:{symbol.line}"


def _new_misfits(state: ReviewState, file: ChangedFile) -> Iterator[Misfit]:
    for module, at in _new_names(state, file):
        found = misfit_at(state.nearby, module, at)
        if found is not None:
            yield found


def _new_names(state: ReviewState, file: ChangedFile) -> Iterator[tuple[Module, int]]:
    """Yield the called names whose calls a change touches, unless the call was there before."""
    lines = state.new_lines(file) if file.after is not None else frozenset[int]()
    module = state.nearby.symbols.modules.get(file.delta.path) if lines else None
    code = None if module is None else module.code
    if module is None or code is None or module.facts.outline.error_line:
        return
    words, stream = code.stream.words, code.stream
    was = f" {' '.join(_words(file.before))} "
    called = [at for at in range(len(words) - 1) if words[at + 1] == "(" and stream.is_name(at)]
    defining = cache(code.defining)
    for at in state.job.each(called, "calls"):
        end = stream.closing(at + 1, len(words))
        touched = range(stream.line(at), stream.line(min(end, len(words) - 1)) + 1)
        if lines.isdisjoint(touched) or at in defining(words[at]):
            continue
        if f" {' '.join(words[at : end + 1])} " not in was:
            yield module, at


def _words(file: FileFacts | None) -> list[str]:
    if file is None:
        return []
    texts = [it.decode(errors="replace") for it in file.tokens.texts]
    return [texts[it] for it in file.tokens.indices()]


def check_new_imports(state: ReviewState) -> Iterator[Remark]:
    """Name new imports of what is not there."""
    for file in state.files:
        module = None if file.after is None else state.nearby.symbols.modules.get(file.delta.path)
        if module is None or not module.navigation.takes_named:
            continue
        known = _imported(file.before)
        for imported, lead in module.imports:
            names = [
                it for it in imported.names if (imported.module, imported.level, it) not in known
            ]
            for name in names if imported.kind == "runtime" else ():
                if _lacks(state, lead, name):
                    text = f"{name} is imported from {lead.files[0]}, which does not have it"
                    line = imported.line
                    yield remark_at(
                        module.facts, line, "broken-reference", text, name, lead.files[0]
                    )


def _imported(file: FileFacts | None) -> set[tuple[str, int, str]]:
    imports = () if file is None else file.links.imports
    return {(it.module, it.level, name) for it in imports for name in it.names}


def _lacks(state: ReviewState, lead: Resolution, name: str) -> bool:
    """Whether the one file that an import leads to certainly has no such name."""
    if lead.status != "file" or len(lead.files) != 1 or name in {"*", "default"}:
        return False
    if name in dict(lead.modules):
        return False
    target = state.nearby.symbols.modules.get(lead.files[0])
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
                yield remark_at(module.facts, line, "broken-reference", text, name, None)


def _lost_names(state: ReviewState, file: ChangedFile) -> Iterator[tuple[Module, int]]:
    """Yield the first use of each name that a file imported before and does not now."""
    module = state.nearby.symbols.modules.get(file.delta.path)
    code = None if module is None else module.code
    if module is None or code is None or file.before is None:
        return
    bound, now = (
        {name for it in facts.links.imports for name in it.aliases or it.names}
        for facts in (file.before, module.facts)
    )
    for name in sorted(bound - now):
        words = code.stream.words
        uses = (at for at in code.stream.positions(name) if words[at - 1] not in MEMBER_MARKS)
        for at in uses:
            yield module, at
            break


def _missing(
    state: ReviewState, module: Module, at: int, is_unbound: Callable[[Module, str], bool]
) -> str:
    """Say why what is called at a token does not exist; empty if it may."""
    words = module.code.stream.words if module.code is not None else []
    name = words[at]
    meaning = state.nearby.meaning(module, at)
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
    names = state.nearby.names
    rules = state.nearby.symbols.modules[owner.file].navigation
    if not rules.has_unchecked_names or names.has_outside_base(owner) or owner.declared is None:
        return False
    if owner.declared.decorators:
        return False
    files = {it.file for it in names.ancestors(owner)}
    modules = [state.nearby.symbols.modules[it] for it in files]
    is_dynamic = any(not _DYNAMIC.isdisjoint(it.facts.links.references) for it in modules)
    return not is_dynamic and state.occurrences(name) == 1
