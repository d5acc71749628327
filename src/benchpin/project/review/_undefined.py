"""Names that new code uses and nothing defines, and imports that lead nowhere or that nothing uses.

Only names that a change wrote, or whose import it took away, are looked at. A name counts as
undefined when no scope of its file binds it anywhere, no import may bring it, and the language does
not have it: a wrong scope is for a checker of types to find.
"""

from collections.abc import Iterator
from functools import cache, cached_property

from benchpin.code.changes import ChangedFile
from benchpin.code.names import MEMBER_MARKS, Code, Module, Symbol
from benchpin.facts import FileFacts, Import
from benchpin.facts.code import TokenStream
from benchpin.facts.imports import Resolution

from ._names import DYNAMIC, broken, is_open_module, lacks_member
from ._state import Remark, ReviewState, remark_at

# Names of code that makes members only: a bare name is not asked of them.
_MEMBERS_ONLY = frozenset({"__getattr__", "__getattribute__"})
# What is before a name that is bound, whatever the reader of variables makes of it.
_BINDING = frozenset({"def", "class", "for", "as", "import", "global", "nonlocal", "del", "case"})
# What is after a name that is bound, or that names a parameter, a key or a label.
_BOUND = frozenset({"=", ":", ":=", "in", "of", "=>", "?", "is", "->"})
_MAX_MEANINGS = 3_000


def check_new_names(state: ReviewState) -> Iterator[Remark]:
    """Name what new code uses and nothing defines, each once a file."""
    left = _MAX_MEANINGS
    for file in state.job.each(state.files, "files"):
        lines = state.new_lines(file) if file.after is not None else frozenset[int]()
        if file.after is None or not lines or file.after.outline.error_line:
            continue
        module = state.index.symbols.modules.get(file.delta.path)
        code = None if module is None else module.code
        if module is None or code is None or code.reader is None:
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
            remark = names.missing(at)
            if remark is not None:
                said.add(name)
                yield remark


def _undefined(module: Module, code: Code, at: int, why: str) -> Remark:
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
        is_dynamic = not (DYNAMIC - _MEMBERS_ONLY).isdisjoint(references)
        # Tags of JSX and names that macros make are no names of the code.
        is_markup = "</" in code.stream.words
        self._sees_all = not (is_dynamic or is_markup or self._is_open())
        self._is_bound = cache(self._binds)
        self._before = before

    def _is_open(self) -> bool:
        if any("*" in it.names and not it.aliases for it in self._module.facts.links.imports):
            return True
        names = self._state.index.names
        inherits = self._code.reader is not None and self._code.reader.bare_members
        types = [it for it in self._module.symbols.values() if it.is_type] if inherits else []
        return any(names.has_outside_base(it) for it in types)

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
            return self._is_rare(name)
        return self._may_be_undefined(at, name)

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
        is_declared = at + 1 < len(stream) and stream.is_name(at + 1)
        if is_declared or is_type or not self._sees_all or self._is_bound(name):
            return False
        return not _is_in_macro(self._code, at)

    def missing(self, at: int) -> Remark | None:
        """Return that a name means nothing; None if it may mean something."""
        if self._code.mark_before(at) < 0:
            name = self._code.stream.words[at]
            if name in self._free_before or not self.is_undefined(at) or self._is_global(name):
                return None
            remark = _undefined(self._module, self._code, at, "is neither defined nor imported")
            # A page of scripts may share names that no file imports.
            is_shared = self._rules.takes_named and not self._rules.has_unchecked_names
            return remark.model_copy(update={"level": "warning"}) if is_shared else remark
        return self._missing_member(at)

    def is_undefined(self, at: int) -> bool:
        """Whether a bare name means nothing that the code shows; a key is never evaluated."""
        reader = self._code.reader
        if reader is not None and reader.key(self._code.stream, at) is not None:
            return False
        meaning = self._state.index.meaning(self._module, at)
        return (
            meaning.kind == "external"
            and meaning.symbol is None
            and meaning.receiver is None
            and meaning.is_certain
            and self._code.stream.words[at] not in self._module.bindings
        )

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

    def _missing_member(self, at: int) -> Remark | None:
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
        if owner is not None:
            where = owner.qualified
        else:
            where = receiver.module.path if receiver.module is not None else "its package"
        return _undefined(module, code, at, f"{where} has no such member")

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
        if words[opened - 1] == "!":
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
    was = {name: it for it in file.before.links.imports for name in _bound_names(module, it)}
    now = {name for it in module.facts.links.imports for name in _bound_names(module, it)}
    known = {it.module for it in file.before.links.imports}
    new = [it.module for it in module.facts.links.imports if it.module not in known]
    is_open = any("*" in it.names and not it.aliases for it in module.facts.links.imports)
    for name in sorted(was.keys() - now):
        # `yaml` may be the name of the package in `gopkg.in/yaml.v3`, too.
        if is_open or any(name in it for it in new) or name in module.top:
            continue
        uses = (it for it in code.stream.positions(name) if code.mark_before(it) < 0)
        at = next(uses, None)
        if at is not None:
            yield at


def _bound_names(module: Module, imported: Import) -> tuple[str, ...]:
    if imported.names or imported.aliases:
        return imported.aliases or imported.names
    return (module.navigation.whole_import(imported.module)[0].partition(".")[0],)


def check_unused_imports(state: ReviewState) -> Iterator[Remark]:
    """Name new imports that lead nowhere, and those that nothing in their file uses."""
    for file in state.files:
        if file.after is None or file.after.outline.error_line:
            continue
        before = () if file.before is None else file.before.links.imports
        known = {(it.module, it.level) for it in before}
        had = {(it.module, it.level, name) for it in before for name in it.names or ("",)}
        if all((it.module, it.level) in known for it in file.after.links.imports) and not any(
            (it.module, it.level, name) not in had
            for it in file.after.links.imports
            for name in it.names
        ):
            continue
        module = state.index.symbols.modules.get(file.delta.path)
        if module is None or module.code is None or module.code.reader is None:
            continue
        for imported, lead in module.imports:
            is_new = (imported.module, imported.level) not in known
            if is_new and _leads_nowhere(state, module, imported, lead):
                text = f"{imported.module} is imported, and there is no such file or package"
                yield broken(module.path, imported.line, text, imported.module)
            new = [
                it
                for it in zip(imported.names or ("",), _bound_names(module, imported), strict=False)
                if (imported.module, imported.level, it[0]) not in had
            ]
            for _, bound in new:
                if _is_unused(state, module, imported, lead, bound):
                    text = f"{bound} is imported, and nothing here uses it; remove the import"
                    yield remark_at(
                        "unused-code", module.path, imported.line, text, bound, level="warning"
                    )


def _leads_nowhere(state: ReviewState, module: Module, imported: Import, lead: Resolution) -> bool:
    """Whether an import is of this project, and there is nothing that it names."""
    if lead.status == "unresolved":
        return True
    if module.navigation.has_paths and lead.files:
        # `crate::a::b` leads to the file of the crate when there is no `a`.
        first, _, rest = imported.module.partition("::")
        named = rest.partition("::")[0]
        root = state.index.symbols.modules.get(lead.files[0])
        is_own = module.navigation.path_words.get(first) == "root" and len(lead.files) == 1
        if (
            not is_own
            or not rest
            or root is None
            or root is not state.index.values.tree.root_of(module)
        ):
            return False
        known = {*root.top, *root.namespaces, *root.bindings, *root.facts.links.references}
        return named not in known and not is_open_module(root)
    # A package beneath one that is here, in a language whose packages are folders.
    outer = imported.module.rpartition(".")[0]
    is_package = module.navigation.names_file_by_type and lead.status == "external" and outer
    own = {it.rpartition("/")[0] for it in state.index.symbols.modules} if is_package else set()
    folder = imported.module.replace(".", "/")
    return (
        any(it.endswith(outer.replace(".", "/")) for it in own)
        and not any(it.endswith(folder) for it in own)
        and outer.count(".") > 1
    )


def _is_unused(
    state: ReviewState, module: Module, imported: Import, lead: Resolution, name: str
) -> bool:
    """Whether nothing in a file uses what an import binds."""
    rules, facts = module.navigation, module.facts
    if name in {"", "*", "_", "."} or imported.kind == "containment" or imported.level < 0:
        return False
    is_package = rules.package_file and module.path.endswith(rules.package_file)
    if is_package or name in facts.links.exports or _is_used(module, imported, name):
        return False
    if name in facts.links.mentions or module.mentions(name) or imported.module == "__future__":
        return False
    if not imported.names and not imported.aliases and "." in imported.module.partition("/")[0]:
        return bool(lead.files)  # the name of a package elsewhere is a guess
    text = state.text_of(module.path).split("\n")[imported.line - 1 : imported.line + 1]
    is_marked = any(it in line for line in text for it in (*rules.silencers, "pub use", "export "))
    if is_marked or _may_be_trait(state, module, lead, name):
        return False
    # `import p; p.name()` elsewhere uses what p imports.
    symbols = state.index.symbols
    others = (symbols.modules.leads(it) for it in symbols.names.using(name) if it != module.path)
    return not any(module.path in it.files for leads in others for it in leads)


def _is_used(module: Module, imported: Import, name: str) -> bool:
    """Whether a file has a name, other than where `const { name } = require(…)` binds it."""
    if name not in module.facts.links.references or module.code is None:
        return name in module.facts.links.references
    stream = module.code.stream
    places = stream.positions(name)
    return len(places) != 1 or stream.line(places[0]) != imported.line


def _may_be_trait(state: ReviewState, module: Module, lead: Resolution, name: str) -> bool:
    """Whether a name may be of a trait, whose methods are used without it."""
    if not module.navigation.has_traits:
        return False
    known = [state.index.symbols.exported(it, name) for it in lead.files]
    kinds = {getattr(it, "kind", "") for it in known if it is not None}
    return name not in module.navigation.library_types and (not kinds or "trait" in kinds)
