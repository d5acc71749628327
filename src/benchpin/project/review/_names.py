"""What a change removes and what still uses it, and calls that do not fit.

What used a symbol is asked of the state before the change, where the code says what each name is.
Whether such a use is broken is asked of the state after it: a use that now means something else,
such as what the file imports instead, is not.
"""

from collections.abc import Iterator

from benchpin.code import CodeIndex
from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import Meaning, Module, Symbol, SymbolTable
from benchpin.code.references import (
    Misfit,
    Use,
    find_misfits,
    find_uses,
    misfit_at,
    swapped_at,
)
from benchpin.core.text import counted
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import TokenStream, navigation_of
from benchpin.facts.imports import Resolution, unresolved
from benchpin.workspace.walking import is_product_path

from ._state import Remark, ReviewState, is_distinct, last_part, remark_at

# Names of code that makes members at run time.
DYNAMIC = frozenset({"__getattr__", "__getattribute__", "globals", "locals", "setattr", "exec"})
# Places that are named of one symbol.
_MAX_SHOWN = 10
# Symbols of one change that are looked up: a change that removes more is a rewrite.
_MAX_SYMBOLS = 200
# A name in more files than this is an ordinary word: its possible uses say nothing, and to find
# the certain ones among them took seconds.
_MAX_FILES = 1_000


def check_references(state: ReviewState) -> Iterator[Remark]:
    """Name imports and uses of what is gone."""
    deleted = {it.delta.path for it in state.files if it.delta.after is None}
    renamed = {it.delta.old_path for it in state.files if it.delta.old_path}
    said: set[tuple[str, int]] = set()
    for remark in _lost_files(state, deleted | renamed):
        said.add((remark.file, remark.line))
        yield remark
    for symbol, now in _gone(state):
        found = [it for it in _broken_uses(state, symbol, now) if (it.file, it.line) not in said]
        found.sort(key=lambda it: (it.level, not is_product_path(it.file), it.file, it.line))
        for at, remark in enumerate(found[:_MAX_SHOWN], start=1):
            said.add((remark.file, remark.line))
            left = len(found) - at
            more = f"; so are {counted(left, 'more place')}" if left and at == _MAX_SHOWN else ""
            yield remark.model_copy(update={"message": remark.message + more})


def _lost_files(state: ReviewState, deleted: set[str]) -> Iterator[Remark]:
    """Name imports that led to a file that is gone, and now lead nowhere."""
    if not deleted:
        return
    before, after = state.index_before.symbols.modules, state.index.symbols.modules
    for path in before:
        # Most files import nothing that is gone: they are not read.
        if deleted.isdisjoint(it for lead in before.leads(path) for it in lead.files):
            continue
        led = {
            (imported.module, imported.level): lead.files[0]
            for imported, lead in before[path].imports
            if not deleted.isdisjoint(lead.files)
        }
        module = after.get(path)
        for imported, lead in () if module is None else module.imports:
            old = led.get((imported.module, imported.level))
            if module is not None and old and lead.status in {"unresolved", "external"}:
                text = f"{imported.module} is imported, and {old} is gone"
                yield broken(path, imported.line, text, imported.module, old)


def _gone(state: ReviewState) -> Iterator[tuple[Symbol, str]]:
    """Yield what is no longer defined in its file, and how it is called now, if that is known."""
    called = {
        (it.before.path, it.before.name): it.after.name
        for it in state.symbols
        if it.status == "renamed" and it.before is not None and it.after is not None
    }
    left = _MAX_SYMBOLS
    for file in state.job.each(state.files, "files"):
        before, after = file.before, file.after
        if before is None or (after is not None and after.outline.error_line):
            continue
        known = {} if after is None else declared_in(after)
        gone = {name: it for name, it in declared_in(before).items() if name not in known}
        owners = {it.qualified for it in gone.values()}
        for key, lost in gone.items():
            # Whoever uses a member of what is gone uses that, too.
            if lost.owner in owners or not state.occurrences(lost.name):
                continue
            if not left:
                state.job.leave_out(f"uses of what is gone beyond {_MAX_SYMBOLS} names")
                return
            left -= 1
            symbol = _symbol_before(state, file, key)
            if symbol is not None:
                yield symbol, last_part(called.get((symbol.file, symbol.qualified), ""))


# The qualified name of a symbol, and whether it is a field: a type may have a method of its name.
Key = tuple[str, bool]


def declared_in(file: FileFacts) -> dict[Key, Symbol]:
    """Return the functions, types, fields and variables that a file defines."""
    nowhere = {file.path: [unresolved("not asked")] * len(file.links.imports)}
    index = CodeIndex(SymbolTable.of([file], nowhere))
    module = index.symbols.modules[file.path]
    symbols = [*module.symbols.values(), *module.variables]
    fields = [
        it
        for symbol in module.symbols.values()
        if symbol.is_type
        for it in index.values.fields_of(symbol)
    ]
    return {(it.qualified, it.kind == "field"): it for it in (*symbols, *fields)}


def _symbol_before(state: ReviewState, file: ChangedFile, key: Key) -> Symbol | None:
    qualified, is_field = key
    index = state.index_before
    module = index.symbols.modules.get(file.delta.old_path or file.delta.path)
    if module is None:
        return None
    owner, _, name = qualified.rpartition(".")
    if is_field:
        return index.values.field(module.symbols[owner], name) if owner in module.symbols else None
    return module.symbols.get(qualified) or (None if owner else module.variable(name))


def _broken_uses(state: ReviewState, symbol: Symbol, now: str) -> Iterator[Remark]:
    """Yield the uses of a symbol that were there before, are still there, and mean nothing."""
    names = state.index.symbols.names
    name = symbol.name
    files = len(names.using(name)) + len(names.importing(name))
    if files > _MAX_FILES:
        state.job.leave_out(f"uses of {name}, a name in {files:,} files")
        return
    uses = find_uses(state.index_before, symbol, state.job, mentions=False)
    state.checked["uses"] += len(uses.found)
    is_only = not names.defining(name) and not _binds(state, name)
    hint = f"; it is called {now} now" if now else ""
    seen: set[tuple[str, int]] = set()
    for use in uses.found:
        place = state.place_after(use.file, use.line)
        if place is None or place in seen or (use.certainty != "certain" and not is_only):
            continue
        path, line = place
        module = state.index.symbols.modules.get(path)
        if module is None or module.facts.outline.error_line:
            continue
        seen.add(place)
        if use.kind == "import":
            if _imports_nothing(state.index, module, line, name):
                text = f"{name} is imported from {symbol.file}, which no longer has it{hint}"
                yield broken(path, line, text, name, symbol.file)
            continue
        at = _position_after(state, use, uses.tokens.get(use), module, line)
        sure = -1 if at < 0 else _is_broken(state, module, at, symbol)
        if sure < 0:
            continue
        if sure and use.certainty == "certain":
            text = f"{name} is used here, and is gone{hint}"
            yield broken(path, line, text, name, symbol.file)
        elif is_only and _is_likely(module, symbol):
            text = f"{name} is used here; it may mean that of {symbol.file}, which is gone{hint}"
            found = broken(path, line, text, name, symbol.file)
            yield found.model_copy(update={"level": "warning"})


def _is_likely(module: Module, symbol: Symbol) -> bool:
    """Whether a member of an unknown object is hardly one of a library, by its name or file."""
    is_near = symbol.owner in module.facts.links.references
    is_common = symbol.name in module.navigation.standard_members
    return is_distinct(symbol.name) or (is_near and not is_common)


def _binds(state: ReviewState, name: str) -> bool:
    """Whether a file has a function of a name in a class without one, which is no symbol."""
    modules = map(state.index.symbols.modules.__getitem__, state.index.symbols.names.using(name))
    return any(
        last_part(it.name) == name for module in modules for it in module.facts.outline.functions
    )


def _imports_nothing(index: CodeIndex, module: Module, line: int, name: str) -> bool:
    """Whether the import of a name on a line leads to files of the project that lack it."""
    for position, (imported, lead) in enumerate(module.imports):
        if imported.line != line or name not in imported.names or not lead.files:
            continue
        if any(is_open_module(index.symbols.modules.get(it)) for it in lead.files):
            continue
        wanted = [it for _, it in module.bindings_of(position) if last_part(it.name) == name]
        if wanted and all(index.values.bound(it) is None for it in wanted):
            return True
    return False


def _position_after(state: ReviewState, use: Use, at: int | None, module: Module, line: int) -> int:
    """Return the token of a use in the file as it is now; -1 if it is not there."""
    before = state.index_before.symbols.modules[use.file]
    if at is None or before.code is None or module.code is None:
        return -1
    stream, word = before.code.stream, before.code.stream.words[at]
    number = sum(stream.line(it) == use.line for it in stream.positions(word) if it < at)
    now = [it for it in module.code.stream.positions(word) if module.code.stream.line(it) == line]
    return now[number] if number < len(now) else -1


def _is_broken(state: ReviewState, module: Module, at: int, was: Symbol) -> int:
    """Return 1 if a name that meant a symbol certainly means nothing now, 0 if likely, else -1."""
    meaning = state.index.meaning(module, at)
    if meaning.symbol is not None or meaning.kind in {"local", "module"}:
        return -1
    if meaning.kind == "key":
        return 1 if was.kind == "field" else -1
    if meaning.receiver is None:
        return _lacks_name(state, module, at, meaning)
    return lacks_member(state.index, meaning, was.name)


def _lacks_name(state: ReviewState, module: Module, at: int, meaning: Meaning) -> int:
    """Say whether a bare name is bound by nothing: 1, 0 or -1."""
    name = module.code.stream.words[at] if module.code is not None else ""
    binding = module.bindings.get(name)
    if binding is not None:
        files = [state.index.symbols.modules.get(it) for it in binding.files]
        return -1 if binding.is_external or not files or any(map(is_open_module, files)) else 1
    is_offered = name in module.navigation.predeclared or module.has_open_imports
    is_offered |= not DYNAMIC.isdisjoint(module.facts.links.references)
    return 1 if meaning.kind == "external" and not is_offered else -1


def lacks_member(index: CodeIndex, meaning: Meaning, name: str) -> int:
    """Say whether what a member is asked of has none of the name: 1, 0 if likely, or -1."""
    receiver = meaning.receiver
    if receiver is None or meaning.kind != "unknown":
        return -1
    if receiver.module is not None:
        return -1 if is_open_module(receiver.module) else 1
    if receiver.package is not None:
        return 1
    owner = receiver.symbol
    if owner is None or receiver.kind == "function":
        return 0
    if owner.declared is None or not owner.is_type:
        return -1
    rules = index.symbols.modules[owner.file].navigation
    if name in rules.universal_methods:
        return -1
    outside = [it.rpartition(".")[2] for it in index.names.outside_bases(owner)]
    if any(it not in rules.small_bases for it in outside):
        return 0
    types = {owner, *index.names.ancestors(owner)}
    if any(index.symbols.member(it, name) for it in types):  # an overload that takes others
        return -1
    files = {it.file for it in types - {owner}}
    is_made = rules.has_unchecked_names and any(
        not DYNAMIC.isdisjoint(index.symbols.modules[it].facts.links.references) for it in files
    )
    return -1 if is_made else 1


def is_open_module(module: Module | None) -> bool:
    """Whether a file may have names that cannot be seen in it."""
    if module is None or module.facts.outline.error_line:
        return True
    if not module.navigation.takes_named:
        return False
    if any("*" in it.names for it in module.facts.links.imports):
        return module.has_open_imports
    return not DYNAMIC.isdisjoint(module.facts.links.references)


def broken(file: str, line: int, text: str, symbol: str, elsewhere: str | None = None) -> Remark:
    return remark_at("broken-reference", file, line, text, symbol, elsewhere)


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
            state.checked["calls"] += 1
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
    known = state.index.recall_uses(symbol)
    state.checked["calls"] += sum(it.kind == "call" for it in known.found) if known else 0
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
