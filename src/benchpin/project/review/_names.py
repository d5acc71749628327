"""What a change removes and what still uses it, and calls that do not fit.

Uses of a symbol are looked up in the state before the change, where each name can be resolved.
Whether such a use is broken is looked up in the state after it: one that now means another thing,
such as what the file imports instead, is not.
"""

from collections.abc import Iterator, Mapping

from benchpin.code import CodeIndex
from benchpin.code.changes import ChangedFile
from benchpin.code.names import Meaning, Module, Symbol, SymbolTable
from benchpin.code.references import Use, find_uses
from benchpin.facts import FileFacts
from benchpin.facts.code import TokenStream, navigation_of
from benchpin.facts.imports import unresolved
from benchpin.workspace.walking import is_product_path

from ._state import (
    ReviewFinding,
    ReviewState,
    finding_at,
    first_few,
    is_distinct,
    is_named_like,
    last_part,
)

# Places that are named of one symbol.
_MAX_SHOWN = 10
# Symbols of one change that are looked up: a change that removes more is a rewrite.
_MAX_SYMBOLS = 200
# A name in more files than this is an ordinary word: its possible uses say nothing, and to find
# the certain ones among them took seconds.
_MAX_FILES = 1_000


def check_references(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name imports and uses of what is gone."""
    deleted = {it.delta.path for it in state.files if it.delta.after is None}
    renamed = {it.delta.old_path for it in state.files if it.delta.old_path}
    lost = [*_lost_files(state, deleted | renamed), *_lost_exports(state)]
    yield from lost
    said = {(it.file, it.line) for it in lost}
    for symbol, now in _gone(state):
        found = [it for it in _broken_uses(state, symbol, now) if (it.file, it.line) not in said]
        found.sort(key=lambda it: (it.level, not is_product_path(it.file), it.file, it.line))
        for finding, more in first_few(found, _MAX_SHOWN, "; so are {:,} more place{s}"):
            said.add((finding.file, finding.line))
            yield finding.model_copy(update={"message": finding.message + more})


def _lost_files(state: ReviewState, deleted: set[str]) -> Iterator[ReviewFinding]:
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


def _lost_exports(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name imports of what a file still has, and no longer offers."""
    for file in state.files:
        before, after, path = file.before, file.after, file.delta.path
        if before is None or after is None or not state.is_reliable(path):
            continue
        rules = navigation_of(after.language)
        is_told = rules.takes_named and not rules.reexports_imports
        lost = set(before.links.exports) - set(after.links.exports) if is_told else set()
        if not lost or "exports" in after.links.references:
            continue
        kept = {name for (name, _), it in declared_in(after).items() if not it.owner}
        for name in sorted(lost & kept):
            for module in {it.path: it for it, _ in state.index.importers(name)}.values():
                for imported, lead in module.imports:
                    if name in imported.names and lead.files == (path,):
                        text = f"{name} is imported from {path}, which no longer exports it"
                        yield broken(module.path, imported.line, text, name, path)


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
        if before is None or (after is not None and not state.is_reliable(after.path)):
            continue
        known = {} if after is None else declared_in(after)
        gone = {name: it for name, it in declared_in(before).items() if name not in known}
        if after is not None and after.outline.error_line:
            gone = {name: it for name, it in gone.items() if not _may_be_hidden(before, after, it)}
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


def _may_be_hidden(before: FileFacts, after: FileFacts, symbol: Symbol) -> bool:
    """Whether the words that defined a name are still there, in a part that was not understood."""
    if symbol.declared is None:
        return True
    now = f" {' '.join(TokenStream(after.tokens).words)} "
    words = TokenStream(before.tokens).words
    declared = symbol.declared
    head = words[declared.first_token : declared.last_token]
    at = head.index(symbol.name) if symbol.name in head else 0
    return f" {' '.join(head[max(0, at - 1) : at + 2])} " in now


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


def _broken_uses(state: ReviewState, symbol: Symbol, now: str) -> Iterator[ReviewFinding]:
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
        at_before = uses.tokens.get(use)
        is_named = at_before is not None and is_named_like(
            state.index_before, state.index_before.symbols.modules[use.file], at_before, symbol
        )
        is_told = use.certainty == "certain" or is_only or is_named
        place = state.place_after(use.file, use.line) if is_told else None
        if place is None or place in seen:
            continue
        path, line = place
        module = state.index.symbols.modules.get(path)
        if module is None or not state.is_reliable(path):
            continue
        seen.add(place)
        if use.kind == "import":
            if _imports_nothing(state, module, line, name):
                text = f"{name} is imported from {symbol.file}, which no longer has it{hint}"
                yield broken(path, line, text, name, symbol.file)
            continue
        at = _position_after(state, use, at_before, module, line)
        is_known = at < 0 or (is_builtin(module, name) and not symbol.owner)
        sure = -1 if is_known else _is_broken(state, module, at, symbol)
        if sure < 0:
            continue
        if sure and use.certainty == "certain":
            text = f"{name} is used here, and is gone{hint}"
            yield broken(path, line, text, name, symbol.file)
        elif is_named or (is_only and _is_likely(module, symbol) and not _is_key(module, at)):
            why = "by the name of its object, " if is_named else ""
            text = f"{name} is used here; {why}it may mean that of {symbol.file}, which is gone"
            text += hint
            found = broken(path, line, text, name, symbol.file)
            yield found.model_copy(update={"level": "warning"})


def is_builtin(module: Module, name: str) -> bool:
    """Whether the language has a type of a name, which is meant where no other is."""
    rules = module.navigation
    return name in rules.predeclared or (name in rules.globals and name[:1].isupper())


# Words that begin a type, and follow nothing but the name of a parameter.
_TYPE_WORDS = frozenset({"map", "chan", "func", "struct", "interface"})


def is_parameter(stream: TokenStream, at: int) -> bool:
    """Whether a name is that of a parameter of an interface, with its type after it."""
    words = stream.words
    if words[at + 1] in _TYPE_WORDS:
        return True
    opened = stream.enclosing(at)
    around = stream.enclosing(opened) if opened > 0 and words[opened] == "(" else -1
    is_member = around > 0 and words[around - 1 : around + 1] == ["interface", "{"]
    return is_member and words[at - 1] in {"(", ","} and words[at + 1] in {"[", "*", "...", ","}


def _is_key(module: Module, at: int) -> bool:
    """Whether a name is the key of an object, which may be one of any type."""
    code = module.code
    reader = None if code is None else code.reader
    return code is not None and reader is not None and reader.key(code.stream, at) is not None


def _is_likely(module: Module, symbol: Symbol) -> bool:
    """Whether a member of an unknown object is hardly one of a library, by its name or file."""
    is_near = symbol.owner in module.facts.links.references
    is_common = symbol.name in module.navigation.standard_members
    # A macro may make members of any name.
    is_made = module.navigation.has_traits and not is_distinct(symbol.name)
    return is_distinct(symbol.name) or (is_near and not is_common and not is_made)


def _binds(state: ReviewState, name: str) -> bool:
    """Whether a file has a function of a name in a class without one, which is no symbol."""
    modules = map(state.index.symbols.modules.__getitem__, state.index.symbols.names.using(name))
    return any(
        last_part(it.name) == name for module in modules for it in module.facts.outline.functions
    )


def _imports_nothing(state: ReviewState, module: Module, line: int, name: str) -> bool:
    """Whether the import of a name on a line leads to files of the project that lack it."""
    for position, (imported, lead) in enumerate(module.imports):
        if imported.line != line or name not in imported.names or not lead.files:
            continue
        modules = state.index.symbols.modules
        files = [modules.get(it) for it in lead.files]
        if any(_is_open(state, it) or (it and is_described(modules, it)) for it in files):
            continue
        wanted = [it for _, it in module.bindings_of(position) if last_part(it.name) == name]
        if wanted and all(state.index.values.bound(it) is None for it in wanted):
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
    """Return 1 if a name of a symbol certainly refers to nothing now, 0 if likely, else -1."""
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
        is_open = binding.is_external or not files or any(_is_open(state, it) for it in files)
        return -1 if is_open else 1
    is_offered = name in module.navigation.predeclared or module.has_open_imports
    is_offered |= makes_names(module)
    return 1 if meaning.kind == "external" and not is_offered else -1


# Members that every enum of Java has.
_OF_ENUMS = frozenset({"name", "ordinal", "values", "valueOf", "compareTo", "getDeclaringClass"})


def lacks_member(index: CodeIndex, meaning: Meaning, name: str) -> int:
    """Return 1 if a receiver has no member of the name, 0 if likely, else -1."""
    receiver = meaning.receiver
    if receiver is None or meaning.kind != "unknown":
        return -1
    if receiver.module is not None:
        return -1 if is_open_module(receiver.module) else 1
    if receiver.package is not None:
        return 1
    owner = receiver.symbol
    if owner is None or receiver.kind == "function" or owner.declared is None or not owner.is_type:
        return 0 if owner is None or receiver.kind == "function" else -1
    rules = index.symbols.modules[owner.file].navigation
    is_alias = rules.has_aliases and owner.kind == "type"
    is_of_enum = owner.kind == "enum" and name in _OF_ENUMS
    # `clone` of `Arc<T>` is that of the pointer.
    is_any = name in rules.universal_methods or name in rules.copying
    if is_alias or is_of_enum or is_any:
        return -1
    outside = {it.rpartition(".")[2] for it in index.names.outside_bases(owner)}
    if rules.has_bare_interfaces:
        outside -= _implemented(index, owner)
    if not outside <= rules.small_bases.keys():
        return 0
    types = {owner, *index.names.ancestors(owner)}
    is_inherited = any(name in rules.small_bases[it] for it in outside)
    # It may be an overload that takes others.
    if is_inherited or any(index.symbols.member(it, name) for it in types):
        return -1
    files = {it.file for it in types - {owner}}
    return -1 if any(makes_names(index.symbols.modules[it]) for it in files) else 1


def _implemented(index: CodeIndex, owner: Symbol) -> set[str]:
    """Return what a type and its bases only implement, by the last parts of the names."""
    found: set[str] = set()
    for here in index.names.ancestors(owner):
        code, declared = index.symbols.modules[here.file].code, here.declared
        if code is None or declared is None:
            continue
        head = code.stream.words[declared.first_token : declared.last_token]
        head = head[: head.index("{")] if "{" in head else head
        if "implements" in head:
            found.update(head[head.index("implements") + 1 :])
    return found


def is_open_module(module: Module | None) -> bool:
    """Whether a file may have names that cannot be seen in it."""
    return module is None or bool(module.facts.outline.error_line) or _brings_more(module)


def _is_open(state: ReviewState, module: Module | None) -> bool:
    """Whether a file may have names that cannot be seen in it, and could not before."""
    return module is None or not state.is_reliable(module.path) or _brings_more(module)


def _brings_more(module: Module) -> bool:
    """Whether a file has names of others, or makes some."""
    if not module.navigation.takes_named:
        return False
    if any(it.brings_all for it in module.facts.links.imports):
        return module.has_open_imports
    return makes_names(module)


def is_described(modules: Mapping[str, Module], module: Module) -> bool:
    """Whether another file says which types a script has: `index.d.ts` beside `index.js`."""
    stem = module.path.rpartition(".")[0]
    return module.navigation.has_bare_interfaces and f"{stem}.d.ts" in modules


def makes_names(module: Module) -> bool:
    """Whether the code of a file makes names or members when it runs."""
    return not module.navigation.makes_names.isdisjoint(module.facts.links.references)


def broken(file: str, line: int, text: str, symbol: str, elsewhere: str = "") -> ReviewFinding:
    return finding_at("broken-reference", file, line, text, symbol, elsewhere or None)


def names_of(file: FileFacts) -> set[str]:
    """Return every name that can be imported from a file, or may be."""
    imported = {name for it in file.links.imports for name in (*it.names, *it.aliases)}
    return {*file.links.references, *file.links.exports, *imported}
