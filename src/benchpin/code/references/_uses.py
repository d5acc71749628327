"""Find the uses of a symbol, and say of each how sure it is.

`certain`: the code says that this name is that symbol. `possible`: a member of that name of an
object whose type the code does not say, a name that may be bound to more than one thing, or a call
of an inherited method that the symbol overrides. `mention`: the name in a string or a comment.
Names that are certainly something else are only counted.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from benchpin.code import CodeBudget, CodeIndex, SourceText, whole_word
from benchpin.code.names import (
    ANONYMOUS,
    CONSTRUCTORS,
    Code,
    Module,
    Symbol,
    chain_start,
    closing_angle,
)
from benchpin.core.calls import Job
from benchpin.workspace.walking import CodeScope

Certainty = Literal["certain", "possible", "mention"]
UseKind = Literal["call", "read", "write", "import", "type", "inherit", "string", "comment"]

CERTAINTIES: tuple[Certainty, ...] = ("certain", "possible", "mention")
_WRITES = frozenset({"=", ":=", "+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "^=", "++", "--"})
_BEFORE_TYPES = frozenset(
    {
        *(":", "->", "|", "&", "*", "as", "is", "instanceof", "implements"),
        *("impl", "dyn", "for", "throws", "mut"),
    }
)
_BODY = frozenset({":", "{", "where"})
_NEAR = 16


@dataclass(frozen=True, slots=True)
class Use:
    """One place that uses a symbol, or may."""

    file: str
    line: int
    kind: UseKind
    certainty: Certainty
    inside: str
    """The qualified name of the enclosing function or type; empty at the top level of a file."""
    column: int = 0
    """Of the name, from 1; 0 until the text is read."""
    text: str = ""
    """The statement, or one line of it."""
    text_line: int = 0
    """The first line of the text."""
    scope: CodeScope = "production"


@dataclass(frozen=True, slots=True)
class Uses:
    found: list[Use]
    """The most certain first, then by file and line."""
    others: int
    """How often the name occurs and is certainly something else."""
    tokens: Mapping[Use, int] = field(default_factory=dict)
    """The position of the name in the tokens of its file; imports and mentions have none."""
    other_places: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """The files and lines where the name is certainly something else: its id, if it has one."""


def find_uses(
    index: CodeIndex,
    symbol: Symbol,
    job: Job,
    *,
    mentions: bool = True,
    mentioning: Container[str] | None = None,
) -> Uses:
    """Return the uses of a symbol in all files of the languages that can see it.

    `mentioning` are the files that have its name, if they are known from a search.
    """
    known = None if mentions else index.recall_uses(symbol)
    if known is not None:
        return known
    omissions = job.omissions
    search = _Search(index, symbol)
    family = index.symbols.modules[symbol.file].family
    names = {symbol.name, *(() if search.maker is None else (search.maker.name,))}
    importing = (path for name in search.names for path in index.symbols.names.importing(name))
    near = {path: index.symbols.modules[path] for path in importing}
    near |= {it.path: it for name in names for it in index.modules_with(name)}
    if may_be_quoted(symbol):  # `x: "module.Type"` has the name in a literal only
        paths = index.symbols.names.mentioning(symbol.name)
        near |= {path: index.symbols.modules[path] for path in paths}
    near = {path: it for path, it in near.items() if it.family == family}
    for module in job.each(list(near.values()), "files"):
        search.look_into(module)
    if mentions or search.in_strings is not None:
        for module in job.each(index.mentioning(symbol.name, mentioning), "files with mentions"):
            search.look_for_mentions(module, is_all=mentions)
    order = {it: at for at, it in enumerate(CERTAINTIES)}
    found = sorted(search.found, key=lambda it: (order[it.certainty], it.file, it.line, it.kind))
    uses = Uses(list(dict.fromkeys(found)), search.others, search.tokens, search.other_places)
    if not mentions and job.omissions == omissions:
        index.keep_uses(symbol, uses)
    return uses


def with_text(use: Use, index: CodeIndex, name: str, uses: Uses, text: SourceText) -> Use:
    """Return a use with its line of code; the name of an import may be on a later line."""
    line, at, code = use.line, uses.tokens.get(use), index.symbols.modules[use.file].code
    column = 0
    if use.kind == "import":
        places = text.places_in_import(use.file, line, name)
        line, column = places[0] if places else (line, 0)
    elif at is not None and code is not None:
        column = column_of(code, at, use.file, text)
        if column and code.stream.is_literal(at):
            column += next(it.start() for it in whole_word(name).finditer(code.stream.words[at]))
    if not column:
        column = text.place(use.file, line, name)[1]
    return replace(use, line=line, column=column, text=text.line(use.file, line))


def with_code(
    use: Use, index: CodeIndex, name: str, uses: Uses, text: SourceText, code: CodeBudget
) -> Use:
    """Return a use with its statement, or one line of it; of an import, its first line too."""
    found = with_text(use, index, name, uses, text)
    if use.certainty == "mention":
        return found
    if use.kind == "import":  # imports are not among the tokens, which have the statements
        first = text.line(use.file, use.line)
        both = f"{first} … {found.text}" if found.line > use.line else first
        return replace(found, text=both, text_line=use.line)
    shown = code.excerpt(found.file, found.line)
    return replace(found, text=shown.text, text_line=shown.line)


def column_of(code: Code, at: int, file: str, text: SourceText) -> int:
    """Return the column of a token, from 1; 0 if the file has changed."""
    start = at
    while start not in code.stream.line_starts:
        start -= 1
    return text.column(file, code.stream.line(at), code.stream.words[start : at + 1])


class _Search:
    def __init__(self, index: CodeIndex, symbol: Symbol) -> None:
        self.index = index
        self.symbol = symbol
        self.name = symbol.name
        self.found: list[Use] = []
        self.tokens: dict[Use, int] = {}
        self.others = 0
        self.other_places: dict[tuple[str, int], str] = {}
        self.owner = index.owner_of(symbol)
        is_maker = self.owner is not None and self.name in {*CONSTRUCTORS, self.owner.name}
        self.maker = self.owner if is_maker and symbol.is_function else None
        """The type that this symbol constructs: `Foo()` is a call of `Foo.__init__`."""
        rules = index.symbols.modules[symbol.file].navigation
        offered = index.symbols.exported if rules.has_default_exports else None
        is_default = offered is not None and offered(symbol.file, "default") is symbol
        self.names = {self.name, "default"} if is_default else {self.name}
        """What imports call it: a default export of JavaScript has no name for them."""
        self.in_strings = rules.in_strings
        self._word = whole_word(self.name)
        self._typed: set[tuple[str, int]] = set()
        """Literals that are types in quotes: uses, not mentions."""

    def look_into(self, module: Module) -> None:
        imported = self._imported(module)
        if self.symbol.is_type:
            self._add_passed(module)
        for name in dict.fromkeys((self.name, *imported)):
            if name in module.facts.links.references:
                self._add_named(module, name)
        if may_be_quoted(self.symbol) and module.code is not None:
            for at, _ in quoted_uses(self.index, self.symbol, module):
                self._append(module, module.code, at, "type", "certain")
                self._typed.add((module.path, at))
        if self.maker is not None and self.maker.name in module.facts.links.references:
            self._add_made(module, self.maker)

    def _imported(self, module: Module) -> list[str]:
        """Add the imports of the symbol; return the names that they bind."""
        aliases = []
        for position, (imported, _) in enumerate(module.imports):
            if self.names.isdisjoint(imported.names):
                continue
            for alias, binding in module.bindings_of(position):
                if binding.name.rpartition(".")[2] not in self.names:
                    continue
                known = self.index.values.bound(binding)
                if known is self.symbol:
                    self.found.append(Use(module.path, imported.line, "import", "certain", ""))
                    aliases.append(alias)
                elif known is None and not binding.is_external:
                    self.found.append(Use(module.path, imported.line, "import", "possible", ""))
                else:
                    self.others += 1
                    other = known.id if isinstance(known, Symbol) else ""
                    self.other_places[module.path, imported.line] = other
        return aliases

    def _add_passed(self, module: Module) -> None:
        """Add the imports of members of a type: `use crate::Kind::*`, `import static a.B.c`."""
        for position, (imported, _) in enumerate(module.imports):
            if self.name in imported.module:
                certainty = self.index.names.leads_through(module, position, self.symbol)
                if certainty is not None:
                    self.found.append(Use(module.path, imported.line, "import", certainty, ""))

    def _add_named(self, module: Module, name: str) -> None:
        code = module.code
        if code is None:
            return
        defining = code.defining(name)
        for at in code.stream.positions(name):
            if at not in defining:
                self._add(module, code, at)
            elif self._is_declared_again(module, code, at):
                self._append(module, code, at, "write", "possible")
            elif self.symbol.is_type and module.path != self.symbol.file and code.augments(at):
                self._append(module, code, at, "type", "possible")
            elif self.owner is not None and at in code.defining(name, in_objects=True):
                # An object may be passed where an instance is expected.
                self._append(module, code, at, "write", "possible")

    def _is_declared_again(self, module: Module, code: Code, at: int) -> bool:
        """Whether this is the symbol in a file of declarations beside its code: `a.pyi`, `a.d.ts`.

        Or the other way round: the code of what is declared.
        """
        declares, own = module.navigation.declares_for, self.symbol.file
        if not (declares(own, module.path) or declares(module.path, own)):
            return False
        named = (it for it in code.scopes_named[self.name] if code.named_at(it, [at]) == at)
        return any(it.declared.name == self.symbol.qualified for it in named)

    def _add(self, module: Module, code: Code, at: int) -> None:
        meaning = self.index.meaning(module, at)
        certainty = self.index.certainty(self.symbol, self.owner, meaning)
        if certainty is None and meaning.kind == "unknown" and self._is_by_path(code, at):
            certainty = "possible"
        if certainty is None or self.index.declares(module, at, meaning, self.symbol):
            if meaning.symbol is not self.symbol:
                self.others += 1
                other = "" if meaning.symbol is None else meaning.symbol.id
                self.other_places.setdefault((module.path, code.stream.line(at)), other)
            return
        named = module.navigation.named
        kind = (
            named(code.stream, at).kind if named else _kind(code, at, is_type=self.symbol.is_type)
        )
        self._append(module, code, at, kind, certainty)

    def _is_by_path(self, code: Code, at: int) -> bool:
        """Whether a path that leads nowhere known ends with the module of a top-level symbol.

        A package that another one exports again, such as `milli` in `milli::documents::check()`,
        is not followed.
        """
        words = code.stream.words
        return (
            self.owner is None
            and at > 1
            and words[at - 1] == "::"
            and words[at - 2] in self.symbol.file.rpartition(".")[0].split("/")
        )

    def _append(
        self, module: Module, code: Code, at: int, kind: UseKind, certainty: Certainty
    ) -> None:
        use = Use(module.path, code.stream.line(at), kind, certainty, _inside(code, at))
        self.found.append(use)
        self.tokens.setdefault(use, at)

    def _add_made(self, module: Module, maker: Symbol) -> None:
        code = module.code
        if code is None:
            return
        defining = code.defining(maker.name)
        for at in code.stream.positions(maker.name):
            if at not in defining and _kind(code, at, is_type=True) == "call":
                meaning = self.index.meaning(module, at)
                if meaning.symbol is maker:
                    is_certain = meaning.is_certain
                    self._append(module, code, at, "call", "certain" if is_certain else "possible")

    def look_for_mentions(self, module: Module, *, is_all: bool) -> None:
        """Add strings and comments with its name; not all: only strings that are code."""
        if (code := module.code) is not None:
            for at in code.stream.literals_with(self.name.encode()):
                if (module.path, at) in self._typed:
                    continue
                line, text = code.stream.line(at), code.stream.words[at]
                certainty: Certainty = "possible" if self._is_code(module, text) else "mention"
                for lines in self._lines_with(text) if is_all or certainty == "possible" else ():
                    use = Use(module.path, line + lines, "string", certainty, _inside(code, at))
                    self.found.append(use)
        for comment in module.comments_with(self.name) if is_all else ():
            for lines in self._lines_with(comment.text):
                self.found.append(Use(module.path, comment.line + lines, "comment", "mention", ""))

    def _is_code(self, module: Module, text: str) -> bool:
        """Whether a string of another language is code with this symbol: a statement of SQL."""
        is_foreign = module.family != self.index.symbols.modules[self.symbol.file].family
        owner = self.symbol.qualified.rpartition(".")[0]
        return is_foreign and self.in_strings is not None and self.in_strings(text, owner)

    def _lines_with(self, text: str) -> Iterator[int]:
        """Yield the lines of a text that have the name as a word, from 0."""
        yield from dict.fromkeys(
            text.count("\n", 0, it.start()) for it in self._word.finditer(text)
        )


def may_be_quoted(symbol: Symbol) -> bool:
    """Whether an annotation in quotes may name it: a type, or a variable such as a `TypeVar`."""
    return symbol.is_type or symbol.kind == "variable"


def quoted_uses(index: CodeIndex, symbol: Symbol, module: Module) -> Iterator[tuple[int, int]]:
    """Yield the literals that certainly name a type in quotes, with the offset of its name."""
    owner = index.owner_of(symbol)
    for at, parts, offset in module.code.quoted_types(symbol.name) if module.code else ():
        meaning = index.values.quoted(module, parts, at)
        if index.certainty(symbol, owner, meaning) == "certain":
            yield at, offset


def enclosing_symbol(module: Module, qualified: str) -> Symbol | None:
    while qualified:
        if qualified in module.symbols:
            return module.symbols[qualified]
        qualified = qualified.rpartition(".")[0]
    return None


def _inside(code: Code, at: int) -> str:
    """Return the name of the enclosing function or type; for a decorator, of what it decorates."""
    start = chain_start(code.stream.words, at)
    is_decorator = start > 0 and code.stream.words[start - 1] == "@"
    scope = code.scope_after(at) if is_decorator else code.scope_at(at)
    return "" if scope is None else scope.declared.name.partition(ANONYMOUS)[0].rstrip(".")


def _kind(code: Code, at: int, *, is_type: bool) -> UseKind:
    words = code.stream.words
    after = words[at + 1] if at + 1 < len(words) else ""
    start = chain_start(code.stream.words, at)
    before = words[start - 1] if start else ""
    if is_type and _is_base(code, at):
        return "inherit"
    if before in {"@", "new"} or is_called(code, at):
        return "call"
    if after in _WRITES:
        return "write"
    if is_type and (before in _BEFORE_TYPES or _is_argument_of_type(words, start)):
        return "type"
    # `Type name` of Java, `name Type` of Go, receivers of methods among them
    is_declared = at + 1 < len(words) and code.stream.is_name(at + 1)
    if is_type and (is_declared or (start and code.stream.is_name(start - 1))):
        return "type"
    return "read"


def is_called(code: Code, at: int) -> bool:
    words = code.stream.words
    after = words[at + 1] if at + 1 < len(words) else ""
    if after == "<":
        end = closing_angle(words, at + 1)
        return end > 0 and end + 1 < len(words) and words[end + 1] == "("
    return after in {"(", "!"} or (after in {"?.", "::"} and words[at + 2] in {"(", "<"})


def _is_base(code: Code, at: int) -> bool:
    scope = code.scope_at(at)
    if scope is None or scope.is_function:
        return False
    words, depth = code.stream.words, 0
    for here in range(scope.declared.first_token, at):
        word = words[here]
        depth += (word in {"(", "["}) - (word in {")", "]"})
        if not depth and word in _BODY:
            return False
    return True


def _is_argument_of_type(words: list[str], at: int) -> bool:
    """Whether a name is between the brackets of type arguments."""
    for here in range(at - 1, max(0, at - _NEAR), -1):
        if words[here] in {"[", "<"}:
            return words[here - 1].isidentifier()
        if words[here] not in {",", "|", ".", "::"} and not words[here].isidentifier():
            return False
    return False
