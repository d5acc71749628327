"""Names that new code uses and nothing defines, and imports that lead nowhere or that nothing uses.

Only names that a change wrote, or whose import it took away, are looked at. A name counts as
undefined when no scope of its file binds it anywhere, no import may bring it, and the language does
not have it: a wrong scope is for a checker of types to find.
"""

from collections.abc import Iterator
from functools import cache, cached_property

from benchpin.code.changes import ChangedFile
from benchpin.code.names import ANONYMOUS, MEMBER_MARKS, Code, Module, Scope, Symbol
from benchpin.facts import FileFacts
from benchpin.facts.code import TokenStream

from ._imports import bound_names, describes
from ._names import (
    broken,
    is_builtin,
    is_open_module,
    is_parameter,
    lacks_member,
    makes_names,
)
from ._state import ReviewFinding, ReviewState

# Names of code that only makes members: Python does not call it for a bare name.
_MEMBERS_ONLY = frozenset({"__getattr__", "__getattribute__"})
# What is before a name that is bound, whatever the reader of variables makes of it.
_BINDING = frozenset({"def", "class", "for", "as", "import", "global", "nonlocal", "del", "case"})
# What is after a name that is bound, or that names a parameter, a key or a label.
_BOUND = frozenset({"=", ":", ":=", "in", "of", "=>", "?", "is", "->"})
_MAX_MEANINGS = 3_000


def check_new_names(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name what new code uses and nothing defines, each once a file."""
    left = _MAX_MEANINGS
    for file in state.job.each(state.files, "files"):
        lines = state.new_lines(file) if file.after is not None else frozenset[int]()
        if file.after is None or not lines or file.after.outline.error_line:
            continue
        module = state.index.symbols.modules.get(file.delta.path)
        code = None if module is None else module.code
        if module is None or code is None or code.reader is None or describes(module):
            continue
        names = _NamesOfFile(state, module, code, file.before)
        said: set[str] = set()
        for at in _lost_imports(file, module, code):
            if names.is_undefined(at) and code.stream.words[at] not in said:
                said.add(code.stream.words[at])
                yield _undefined(module, code, at, "its import is gone")
        for at in _on_lines(code.stream, lines):
            name = code.stream.words[at]
            if name in said or not names.may_be_missing(at):
                continue
            left -= 1
            if left < 0:
                state.job.leave_out("names of new code")
                return
            finding = names.missing(at)
            if finding is not None:
                said.add(name)
                yield finding


def _undefined(module: Module, code: Code, at: int, why: str) -> ReviewFinding:
    name = code.stream.words[at]
    text = f"{name} is used here, and {why}"
    return broken(module.path, code.stream.line(at), text, name)


def _on_lines(stream: TokenStream, lines: frozenset[int]) -> Iterator[int]:
    """Yield the positions of the names on some lines."""
    # Going through all tokens with their lines takes a third of the time of asking for each.
    line, starts = 1, stream.line_starts
    is_new = 1 in lines
    for at in range(len(stream)):
        if at in starts:
            line = stream.line(at)
            is_new = line in lines
        if is_new and stream.is_name(at):
            yield at


class _NamesOfFile:
    """What a file binds, in whatever scope, and what else its names may be."""

    def __init__(
        self, state: ReviewState, module: Module, code: Code, before: FileFacts | None
    ) -> None:
        self._state = state
        self._module = module
        self._code = code
        self._rules = module.navigation
        references = module.facts.links.references
        is_dynamic = not (self._rules.makes_names - _MEMBERS_ONLY).isdisjoint(references)
        # Tags of JSX and names that macros make are no names of the code.
        is_markup = "</" in code.stream.words
        is_open = _opens(module)
        self._is_starred = is_open and _follows_stars(module)
        self._sees_all = not (is_dynamic or is_markup or (is_open and not self._is_starred))
        self._is_bound = cache(self._binds)
        self._inherits_more = cache(self._has_outside_base)
        self._before = before

    def _may_be_inherited(self, at: int) -> bool:
        """Whether a bare name may be a member of a type around it that is elsewhere."""
        if self._code.reader is None or not self._code.reader.bare_members:
            return False
        scope = self._code.scope_at(at)
        while scope is not None:
            if not scope.is_function and self._inherits_more(scope):
                return True
            scope = scope.outer
        return False

    def _has_outside_base(self, scope: Scope) -> bool:
        owner = self._state.index.values.type_of_scope(self._module, scope)
        is_known = owner is not None and ANONYMOUS not in scope.declared.name
        return not is_known or owner is None or self._state.index.names.has_outside_base(owner)

    def _binds(self, name: str) -> bool:
        words = self._code.stream.words
        for at in self._code.stream.positions(name):
            before, after = words[at - 1] if at else "", words[at + 1 : at + 2]
            is_plain = before not in MEMBER_MARKS
            if is_plain and (before in _BINDING or (after and after[0] in _BOUND)):
                return True
        return name in self._bound

    @cached_property
    def _bound(self) -> frozenset[str]:
        return _bound_in(self._code)

    @cached_property
    def _free_before(self) -> frozenset[str]:
        """The names that the file had before and that nothing bound: they come from elsewhere."""
        before = self._before
        if before is None:
            return frozenset()
        imported = {it for one in before.links.imports for it in (*one.names, *one.aliases)}
        return frozenset(before.links.references) - _bound_in(Code(before)) - imported

    def may_be_missing(self, at: int) -> bool:
        """Whether a name is worth asking what it means: most are not."""
        name = self._code.stream.words[at]
        if self._code.mark_before(at) >= 0:
            return self._is_own_member(at) or self._is_rare(name)
        return self._may_be_undefined(at, name)

    def _is_own_member(self, at: int) -> bool:
        """Whether it is a member of the object around it, whose members have to be declared."""
        reader = self._code.reader
        mark = self._code.mark_before(at)
        is_own = reader is not None and self._code.stream.words[mark - 1] in reader.receivers
        # TypeScript wants members declared, and JavaScript does not.
        is_typed = self._module.language != self._module.family
        return is_own and is_typed and self._rules.has_bare_interfaces

    def _is_rare(self, name: str) -> bool:
        # Where names are checked before the program runs, members are declared where they can
        # be seen; elsewhere another file may make them.
        return not self._rules.takes_named or self._state.occurrences(name) == 1

    def _may_be_undefined(self, at: int, name: str) -> bool:
        module, rules = self._module, self._rules
        is_known = name in module.bindings or name in module.top or name in rules.predeclared
        if is_known or name in rules.globals or name in rules.keywords:
            return False
        is_type = name[:1].isupper() and not rules.has_unchecked_names
        stream = self._code.stream
        # `name Type` of Go and `Type name` of Java declare a name, also inside of a type.
        is_last = at + 1 == len(stream) or at + 1 in stream.line_starts
        is_declared = not is_last and (stream.is_name(at + 1) or is_parameter(stream, at))
        is_declared |= rules.names_file_by_type and _is_package(stream, at)
        is_declared |= at > 1 and stream.words[at - 2 : at] == ["macro_rules", "!"]
        # The name of a crate begins a path; a macro may come from any crate.
        is_declared |= rules.has_paths and not is_last and stream.words[at + 1] in {"::", "!"}
        if is_declared or is_type or not self._sees_all or self._is_bound(name):
            return False
        return not (_is_in_macro(self._code, at) or self._may_be_inherited(at))

    def missing(self, at: int) -> ReviewFinding | None:
        """Return that a name means nothing; None if it may mean something."""
        if self._code.mark_before(at) < 0:
            name = self._code.stream.words[at]
            if name in self._free_before or not self.is_undefined(at) or self._is_global(name):
                return None
            finding = _undefined(self._module, self._code, at, "is neither defined nor imported")
            # A page of scripts may share names that no file imports.
            is_shared = self._rules.takes_named and not self._rules.has_unchecked_names
            return finding.model_copy(update={"level": "warning"}) if is_shared else finding
        return self._missing_member(at)

    def is_undefined(self, at: int) -> bool:
        """Whether a bare name means nothing that the code shows; a key is never evaluated."""
        reader = self._code.reader
        if reader is not None and reader.key(self._code.stream, at) is not None:
            return False
        meaning = self._state.index.meaning(self._module, at)
        name = self._code.stream.words[at]
        if meaning.receiver is not None or name in self._module.bindings:
            return False
        if self._is_starred and _is_offered(self._state, self._module, name):
            return False
        # What `__all__` leaves out is in the file all the same.
        is_elsewhere = meaning.symbol is not None and meaning.symbol.file != self._module.path
        is_outside = meaning.kind == "external" and meaning.symbol is None and meaning.is_certain
        return is_outside or (self._is_starred and is_elsewhere)

    def _is_global(self, name: str) -> bool:
        """Whether another file uses a name that it does not bind either: it comes from outside."""
        symbols = self._state.index.symbols
        for path in symbols.names.using(name)[:50]:
            module = symbols.modules[path]
            code = module.code
            if module is self._module or code is None or module.family != self._module.family:
                continue
            read = code.reader
            plain = [
                it  # `{logger: Logger}` names a member, which no file has to bind
                for it in code.stream.positions(name)
                if code.mark_before(it) < 0 and (read is None or not read.key(code.stream, it))
            ]
            if plain and name not in module.bindings and name not in _bound_in(code):
                return True
        return False

    def _missing_member(self, at: int) -> ReviewFinding | None:
        module, code = self._module, self._code
        meaning = self._state.index.meaning(module, at)
        receiver, name = meaning.receiver, code.stream.words[at]
        if self._only_adds(meaning.symbol, at):
            owner = self._state.index.owner_of(meaning.symbol) if meaning.symbol else None
            where = "" if owner is None else f"{owner.qualified} "
            return _undefined(module, code, at, f"{where}never gives it a first value")
        if receiver is None or meaning.symbol is not None or receiver.kind == "function":
            return None
        owner = receiver.symbol
        if owner is not None and (owner.declared is None or owner.declared.decorators):
            return None
        if owner is None and receiver.module is None and receiver.package is None:
            return None
        if lacks_member(self._state.index, meaning, name) < 1 or receiver.is_bound:
            return None
        if receiver.module is not None and _may_have_more(receiver.module):
            return None
        if owner is not None and self._is_constant(owner, name):
            return None
        if owner is not None:
            where = owner.qualified
        else:
            where = receiver.module.path if receiver.module is not None else "its package"
        return _undefined(module, code, at, f"{where} has no such member")

    def _is_constant(self, owner: Symbol, name: str) -> bool:
        """Whether the file of a type has a constant of a name: `impl T { const N: u8 = 1; }`."""
        code = self._state.index.symbols.modules[owner.file].code
        places = () if code is None else code.stream.positions(name)
        return code is not None and any(code.stream.words[it - 1] == "const" for it in places)

    def _only_adds(self, field: Symbol | None, at: int) -> bool:
        """Whether the only place of a field in all files adds to it: `self.total += 1`."""
        if field is None or field.kind != "field" or not self._rules.has_unchecked_names:
            return False
        word = self._code.stream.words[at + 1 : at + 2]
        adds = bool(word) and len(word[0]) > 1 and word[0][-1] == "=" and word[0][0] in "+-*/%|&^"
        names = self._state.index.names
        owner = self._state.index.owner_of(field)
        return (
            adds
            and self._state.occurrences(field.name) == 1
            and (owner is not None and not names.has_outside_base(owner))
        )


def _may_have_more(module: Module) -> bool:
    """Whether a file may have names that cannot be seen in it: macros of Rust make functions."""
    words = [] if module.code is None else module.code.stream.words
    return is_open_module(module) or (module.navigation.has_paths and "!" in words)


def _is_package(stream: TokenStream, at: int) -> bool:
    """Whether a name begins the path of a type: `org.junit.Ignore`."""
    words = stream.words
    while words[at : at + 1] and words[at].islower() and words[at + 1 : at + 2] == ["."]:
        at += 2
    return words[at - 1] == "." and words[at][:1].isupper()


def _opens(module: Module) -> bool:
    """Whether a file imports all names of another: `use super::*` may mean the file itself."""
    return any(
        "*" in it.names and not it.aliases and lead.files != (module.path,)
        for it, lead in module.imports
    )


def _follows_stars(module: Module) -> bool:
    """Whether all that a file imports with `import *` is in files of the workspace."""
    return module.navigation.reexports_imports and not module.has_open_imports


def _is_offered(state: ReviewState, importer: Module, name: str) -> bool:
    """Whether the files that a file imports with `import *` may bring a name."""
    modules = state.index.symbols.modules
    waiting, seen = [*importer.whole_files], {importer.path}
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        here = modules.get(path)
        brings = True if here is None else _brings(state, here, name)
        if brings:
            return True
        if here is not None and brings is None:
            waiting += here.whole_files
    return False


def _brings(state: ReviewState, module: Module, name: str) -> bool | None:
    """Whether `import *` of a file may bring a name; None if only through its own `import *`."""
    code = module.code
    listed = None if code is None else _listed_names(module, code)
    if code is None or listed is None or module.facts.outline.error_line:
        return True
    if listed:
        return name in listed
    is_open = makes_names(module) or module.has_open_imports
    is_own = name in module.bindings or name in module.top or name in _bound_in(code)
    is_file = state.index.symbols.submodule(module, name) is not None
    return True if is_open or is_own or is_file else None


def _listed_names(module: Module, code: Code) -> frozenset[str] | None:
    """Return what `__all__` lists; nothing if there is none, None if it is computed."""
    words, places = code.stream.words, code.stream.positions("__all__")
    for at in places:
        opened = at + 2
        is_list = words[at + 1 : opened + 1] in (["=", "["], ["=", "("], ["+=", "["], ["+=", "("])
        end = code.stream.closing(opened, len(words)) + 1 if is_list else 0
        inside = words[opened + 1 : end - 1]
        is_plain = is_list and all(it == "," or it[:1] in {"'", '"'} for it in inside)
        if not is_plain or (end < len(words) and end not in code.stream.line_starts):
            return None
    # An empty list would read as none.
    return frozenset(module.facts.links.exports) if places else frozenset()


def _is_in_macro(code: Code, at: int) -> bool:
    """Whether a name is inside of the arguments of a macro, which may be of any form."""
    words = code.stream.words
    if "!" not in words:
        return False
    opened = at
    for _ in range(8):
        opened = code.stream.enclosing(opened, 400)
        if opened < 1:
            return False
        # `name!(…)`, and `macro_rules! name {…}`.
        if "!" in words[opened - 2 : opened]:
            return True
    return False


def _bound_in(code: Code) -> frozenset[str]:
    """Return all names that the scopes of a file bind."""
    found: set[str] = {*code.variables(None), *code.block_variables(None), *code.scopes_named}
    for scope in code.scopes:
        found.update(code.generics(scope))
        if scope.is_function:
            found.update(code.variables(scope))
        else:
            found.update(code.fields(scope))
            found.update(code.block_variables(scope))
    return frozenset(found)


def _lost_imports(file: ChangedFile, module: Module, code: Code) -> Iterator[int]:
    """Yield the first use of each name that a file imported before and does not now."""
    if file.before is None:
        return
    was = {name: it for it in file.before.links.imports for name in bound_names(module, it)}
    now = {name for it in module.facts.links.imports for name in bound_names(module, it)}
    known = {it.module for it in file.before.links.imports}
    new = [it.module for it in module.facts.links.imports if it.module not in known]
    is_open = _opens(module) and not _follows_stars(module)
    for name in sorted(was.keys() - now):
        # `yaml` may be the name of the package in `gopkg.in/yaml.v3`, too.
        if is_open or any(name in it for it in new) or name in module.top:
            continue
        if is_builtin(module, name):
            continue
        uses = (it for it in code.stream.positions(name) if code.mark_before(it) < 0)
        at = next(uses, None)
        if at is not None:
            yield at
