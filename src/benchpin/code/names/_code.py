"""The code of one file as navigation reads it: tokens, scopes, and the variables of each scope."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from benchpin.facts import FileFacts, Function, Type
from benchpin.facts.code import (
    Generics,
    Header,
    Span,
    TokenStream,
    Variable,
    VariableReader,
    navigation_of,
    reader_of,
)

# The places that bind each name.
Variables = dict[str, list[Variable]]
# Tokens between angle brackets; more are no type arguments.
_MAX_ANGLES_TOKENS = 40


@dataclass(slots=True, eq=False)
class Scope:
    """A function or type, and where it is in the tokens."""

    declared: Function | Type
    outer: "Scope | None"
    inner: "list[Scope]" = field(default_factory=list)

    @property
    def is_function(self) -> bool:
        return isinstance(self.declared, Function)

    @property
    def span(self) -> Span:
        return self.declared.first_token, self.declared.last_token


class Code:
    """Tokens and scopes of a file; what it reads is read once."""

    def __init__(self, facts: FileFacts) -> None:
        self.stream = TokenStream(facts.tokens)
        self.reader: VariableReader | None = reader_of(facts.language)
        self._outline = facts.outline
        self._namespace_words = navigation_of(facts.language).namespace_words
        self._headers: dict[Scope, Header] = {}
        self._variables: dict[Scope | None, Variables] = {}
        self._fields: dict[Scope, Variables] = {}
        self._parts: dict[Scope | None, Variables] = {}
        self._generics: dict[Scope, Generics] = {}

    @cached_property
    def scopes(self) -> list[Scope]:
        """All scopes in the order of their starts, outer ones first."""
        declared: list[Function | Type] = [*self._outline.types, *self._outline.functions]
        declared.sort(key=lambda it: (it.first_token, -it.last_token))
        found: list[Scope] = []
        outer: Scope | None = None
        for definition in declared:
            while outer is not None and outer.declared.last_token <= definition.first_token:
                outer = outer.outer
            scope = Scope(definition, outer)
            if outer is not None:
                outer.inner.append(scope)
            found.append(scope)
            outer = scope
        return found

    @cached_property
    def _starts(self) -> list[int]:
        return [it.declared.first_token for it in self.scopes]

    @cached_property
    def scope_of(self) -> dict[str, Scope]:
        """The first scope of each qualified name."""
        return {it.declared.name: it for it in reversed(self.scopes)}

    @cached_property
    def _declaring(self) -> dict[int, Scope]:
        return {id(it.declared): it for it in self.scopes}

    def scope_declaring(self, declared: Function | Type | None) -> Scope | None:
        """Return the scope of a function or type, which is one of the outline of this file."""
        return self._declaring.get(id(declared))

    @cached_property
    def scopes_named(self) -> dict[str, list[Scope]]:
        found: defaultdict[str, list[Scope]] = defaultdict(list)
        for scope in self.scopes:
            found[scope.declared.name.rpartition(".")[2]].append(scope)
        return dict(found)

    def defining(self, name: str, *, in_objects: bool = False) -> set[int]:
        """Return the positions of a name that define functions and types, or members of objects."""
        positions = self.stream.positions(name)
        scopes = [it for it in self.scopes_named.get(name, ()) if not self.is_assigned(it)]
        if in_objects:
            scopes = [it for it in scopes if self._is_in_object(it)]
        return {self.named_at(it, positions) for it in scopes}

    def augments(self, at: int) -> bool:
        """Whether a declaration adds to one of another file: `declare module './a' { … }`."""
        words, opened = self.stream.words, self.stream.enclosing(at)
        while opened > 1 and words[opened] != "{":
            opened = self.stream.enclosing(opened)
        before = words[opened - 1] if opened > 0 else ""
        is_quoted = before[:1] in {"'", '"'} and words[opened - 2] in self._namespace_words
        return is_quoted or (before == "global" and words[opened - 2] == "declare")

    def is_assigned(self, scope: Scope) -> bool:
        """Whether a function is given to what is declared elsewhere: `Hook = func() …`."""
        first, outer = scope.span[0], scope.outer
        words = self.stream.words
        is_inside = outer is not None and outer.is_function
        if not is_inside or not scope.is_function or self.reader is None or words[first - 1] != "=":
            return False
        name = scope.declared.name.rpartition(".")[2]
        at = self.named_at(scope, self.stream.positions(name))
        if at > 0 and words[at - 1] in self.reader.members:
            return words[at - 2] in self.reader.receivers
        return name not in self.variables(outer)

    def _is_in_object(self, scope: Scope) -> bool:
        """Whether a function is a member of an object that is written as a literal."""
        is_free = scope.is_function and (scope.outer is None or scope.outer.is_function)
        return (
            is_free
            and self.reader is not None
            and not self.reader.binds(self.stream, scope.span[0])
        )

    def scope_at(self, at: int) -> Scope | None:
        found = bisect_right(self._starts, at) - 1
        scope = self.scopes[found] if found >= 0 else None
        while scope is not None and scope.declared.last_token <= at:
            scope = scope.outer
        return scope

    @cached_property
    def _namespaces(self) -> list[tuple[Span, str]]:
        """The blocks of namespaces, outer ones first: `mod tests { … }`, `namespace A.B { … }`."""
        named: dict[int, str] = {}
        words = self.stream.words
        for word in self._namespace_words:
            for at in self.stream.words_with(word.encode()):
                opened = at + 2
                while words[opened : opened + 1] == ["."]:
                    opened += 2
                if words[at] == word and words[opened : opened + 1] == ["{"]:
                    named[opened] = ".".join(words[at + 1 : opened : 2])
        found: list[tuple[Span, str]] = []
        open_braces: list[int] = []
        for at, word in enumerate(words) if named else ():
            if word == "{":
                outer = [named[it] for it in open_braces if it in named]
                if at in named:
                    named[at] = ".".join((*outer[-1:], named[at]))
                open_braces.append(at)
            elif word == "}" and open_braces:
                opened = open_braces.pop()
                if opened in named:
                    found.append(((opened, at), named[opened]))
        return sorted(found)

    def around(self, at: int) -> str:
        """Return the qualified name of the innermost function, type or namespace around a token."""
        scope = self.scope_at(at)
        blocks = (it for it in reversed(self._namespaces) if it[0][0] <= at < it[0][1])
        span, name = next(blocks, ((-1, -1), ""))
        return name if scope is None or scope.span[0] < span[0] else scope.declared.name

    def scope_after(self, at: int) -> Scope | None:
        """Return the first scope that starts after a token, as after a decorator."""
        found = bisect_right(self._starts, at)
        return self.scopes[found] if found < len(self.scopes) else None

    def scope_after_line(self, line: int) -> Scope | None:
        """Return the first scope that starts in or after a line."""
        starts = [self.stream.line(it) for it in self._starts]
        found = bisect_left(starts, line)
        return self.scopes[found] if found < len(starts) else None

    def named_at(self, scope: Scope, positions: list[int]) -> int:
        """Return which of the positions of its name defines a scope; -1 for none.

        A function that is the value of a variable has its name before it: `const f = () => …`.
        """
        first, last = scope.span
        words = self.stream.words
        earlier = bisect_left(positions, first)
        if scope.is_function and earlier and words[first - 1] in {"=", ":"}:
            before = positions[earlier - 1]
            # `key: function`; before a colon further away is the name of something else.
            is_near = words[first - 1] == "=" or before == first - 2
            if is_near and first - before < _MAX_ANGLES_TOKENS and ";" not in words[before:first]:
                return before
        return next((it for it in positions if first <= it < last), -1)

    def header(self, scope: Scope) -> Header:
        if scope not in self._headers:
            first, last = scope.span
            read = self.reader
            self._headers[scope] = (
                Header() if read is None else read.header(self.stream, first, last)
            )
        return self._headers[scope]

    def generics(self, scope: Scope) -> Generics:
        if scope.is_function or self.reader is None:
            return self.header(scope).generics
        if scope not in self._generics:
            self._generics[scope] = self.reader.generics(self.stream, *scope.span)
        return self._generics[scope]

    @cached_property
    def _annotations(self) -> list[Span]:
        """Where types are declared: of variables, fields, parameters and results, in order."""
        groups = [self.variables(None), *map(self.variables, self.scopes)]
        groups += (self.fields(it) for it in self.scopes if not it.is_function)
        places = [it.annotation for group in groups for found in group.values() for it in found]
        places += (self.header(it).result for it in self.scopes if it.is_function)
        return sorted({it for it in places if it is not None})

    def quoted_types(self, name: str) -> Iterator[tuple[int, tuple[str, ...], int]]:
        """Yield the literals that name a type in an annotation: `x: "Foo"`, `cast("Foo", x)`.

        Each with its position, the parts of the name up to this one, and its offset in the literal.
        """
        words, reader = self.stream.words, self.reader
        for at in self.stream.literals_with(name.encode()) if reader is not None else ():
            # The annotations are only read for a file that has such a literal.
            is_cast = at > 1 and words[at - 2 : at] == ["cast", "("] and words[at + 1] == ","
            if is_cast or any(first <= at < last for first, last in self._annotations):
                for parts, end in () if reader is None else reader.quoted_types(self.stream, at):
                    if parts[-1] == name:
                        yield at, parts, end - len(name)

    def mark_before(self, at: int) -> int:
        """Return the position of what joins a name to what it is a member of; -1 if it is none."""
        words, reader = self.stream.words, self.reader
        if at == 0 or reader is None:
            return -1
        mark = at - 1
        if words[mark] == ">" and reader.splits_methods:  # `Foo.<T>name()`
            mark = generic_start(words, mark) - 1
        return mark if mark >= 0 and words[mark] in reader.members else -1

    def variables(self, scope: Scope | None) -> Variables:
        """Return the variables of a function with its parameters; of the file for None."""
        if scope not in self._variables:
            self._variables[scope] = self._read_variables(scope)
        return self._variables[scope]

    def fields(self, scope: Scope) -> Variables:
        """Return the fields that a type declares outside of its methods."""
        if scope not in self._fields:
            bound: list[Variable] = []
            if self.reader is not None:
                skipped = dict(it.span for it in scope.inner)
                bound = self.reader.fields(self.stream, scope.span, skipped)
            self._fields[scope] = self._visible_everywhere(scope, bound)
        return self._fields[scope]

    def block_variables(self, scope: Scope | None) -> Variables:
        """Return the variables that only a part of the body of a type, or of the file, sees."""
        if scope is None:
            self.variables(None)
        else:
            self.fields(scope)
        return self._parts[scope]

    def _visible_everywhere(self, scope: Scope | None, bound: list[Variable]) -> Variables:
        """Keep apart the variables that have a block, such as those of a comprehension."""
        self._parts[scope] = _by_name([it for it in bound if it.visible is not None])
        return _by_name([it for it in bound if it.visible is None])

    def _read_variables(self, scope: Scope | None) -> Variables:
        if self.reader is None:
            return self._visible_everywhere(scope, [])
        if scope is None:
            skipped = dict(it.span for it in self.scopes if it.outer is None)
            bound = self.reader.bound(self.stream, (0, len(self.stream)), skipped)
            return self._visible_everywhere(None, bound)
        header = self.header(scope)
        skipped = dict(it.span for it in scope.inner)
        body = (header.body, scope.declared.last_token)
        return _by_name([*header.parameters, *self.reader.bound(self.stream, body, skipped)])


def generic_start(words: list[str], at: int) -> int:
    """Return where the type arguments start that end at a position: `<A, B<C>>`."""
    depth = 0
    for here in range(at, max(-1, at - _MAX_ANGLES_TOKENS), -1):
        depth += (words[here] == ">") - (words[here] == "<")
        if not depth:
            return here
    return at


def closing_angle(words: list[str], at: int) -> int:
    """Return the position of the `>` that closes type arguments; -1 if these are none."""
    depth = 0
    for here in range(at, min(len(words), at + _MAX_ANGLES_TOKENS)):
        word = words[here]
        depth += (word == "<") - (word == ">") - 2 * (word == ">>")
        if depth <= 0:
            return here
        if word in {";", "{", "}", "(", ")", "&&", "||"}:
            return -1
    return -1


def _by_name(bound: list[Variable]) -> Variables:
    found: defaultdict[str, list[Variable]] = defaultdict(list)
    for variable in bound:
        found[
            variable.name if not variable.receiver else f"{variable.receiver}.{variable.name}"
        ].append(variable)
    return dict(found)
