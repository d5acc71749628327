"""What names refer to and expressions evaluate to, and where expressions are in the tokens."""

from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from benchpin.facts.code import CLOSING, OPENING, Navigation, Span, TokenStream, Variable

from ._bindings import Binding
from ._code import Code, Scope, closing_angle
from ._module import Module, Symbol

# What is before a member, in any language.
MEMBER_MARKS: Final = frozenset({".", "?.", "!.", "->", "::", "&.", "?->", "!!."})


# Functions and types of Python that return a value from outside of the project.
_BUILT_IN = """
    str bytes int float bool list dict set tuple frozenset open range sorted repr len sum bytearray
    object complex
"""
BUILTIN_TYPES = frozenset(_BUILT_IN.split())


class Wanted(NamedTuple):
    is_called: bool | None = None
    """None in languages where a name of a type means one thing, called or not."""
    arguments: int | None = None
    """How many a call has; None if that does not choose between functions."""


ANY_USE = Wanted()


@dataclass(frozen=True, slots=True)
class Value:
    kind: Literal["type", "instance", "parent", "function", "module", "external", "unknown"]
    """`instance` of a type; `parent`: an instance, seen as what its type inherits from."""
    symbol: Symbol | None = None
    module: Module | None = None
    package: Binding | None = None
    """The import of several files, as of a package of Go, instead of one module."""
    namespace: str = ""
    """A module inside of the file of that module, in Rust."""
    item: "Value | None" = None
    """What it contains, if it is a container of one type."""
    key: "Value | None" = None
    """What its keys are, if it is a mapping."""
    is_bound: bool = False
    """Whether it is only known to be some subtype: it is of a type parameter with that bound."""
    may_be_heir: bool = False
    """Whether a type may also be a subtype: `cls` of Python."""
    is_closed: bool = False
    """Whether something external is known to be nothing of the project: an imported module."""


def module_value(meaning: "Meaning") -> Value:
    return Value(
        "module",
        module=meaning.module,
        package=meaning.package,
        namespace=meaning.namespace,
    )


UNKNOWN = Value("unknown")
EXTERNAL = Value("external")
# A value of a type without a name, which has no methods.
NAMELESS = Value("unknown", is_closed=True)
# A module or name that an import brings from elsewhere: its members are nobody else's.
IMPORTED = Value("external", is_closed=True)


@dataclass(frozen=True, slots=True)
class Meaning:
    kind: Literal["symbol", "module", "local", "key", "external", "unknown"]
    """A `key` names an argument or a member of an object that is being written."""
    symbol: Symbol | None = None
    module: Module | None = None
    package: Binding | None = None
    namespace: str = ""
    is_certain: bool = True
    receiver: Value | None = None
    """What the name is a member of, if it is one."""
    variables: tuple[Variable, ...] = ()
    scope: Scope | None = None
    others: tuple[Symbol, ...] = ()
    """What else the name may refer to."""


def code_of(module: Module) -> Code:
    """Return the code of a file.

    Raises:
        ValueError: when the file was read without its tokens.
    """
    code = module.code
    if code is None:
        message = f"{module.path} was read without its tokens"
        raise ValueError(message)
    return code


_MAX_ATTRIBUTE_TOKENS = 60
_MAX_ATTRIBUTE_LEVELS = 4


def returned(code: Code, scope: Scope, body: int) -> list[Span]:
    """Return the expressions that a function returns, outside of inner functions."""
    words, last = code.stream.words, scope.declared.last_token
    inner = dict(it.span for it in scope.inner)
    found: list[Span] = []
    at, depth = body, 0
    start = -1
    while at < last:
        if start >= 0 and not depth and at in code.stream.line_starts:
            found.append((start, at))
            start = -1
        if at in inner:
            at = inner[at]
            continue
        word = words[at]
        depth += (word in OPENING) - (word in CLOSING)
        if word == "yield":
            return []
        if word == "return" and not depth:
            start = at + 1
        at += 1
    if start >= 0:
        found.append((start, last))
    none = {"None"}
    return [it for it in found if it[1] > it[0] and set(words[it[0] : it[1]]) != none]


def is_type_parameter(name: str) -> bool:
    """Whether a name is that of a type parameter, by convention."""
    return len(name) <= 2 and name.isupper()  # noqa: PLR2004 - T, K, V, TS


def is_other_name(code: Code, at: int, rules: Navigation) -> bool:
    """Whether a name of Rust is that of a macro, a lifetime, an attribute or a word of one."""
    words = code.stream.words
    after = words[at + 1 : at + 3]
    if (at and words[at - 1] == "'") or (after[:1] == ["!"] and after[1:] != ["="]):
        return True
    attribute = _attribute(code, at)
    return (
        is_associated(code, at)
        or attribute == at
        or (attribute >= 0 and words[attribute] in rules.builtin_attributes)
    )


def is_associated(code: Code, at: int) -> bool:
    """Whether a name is declared by an `impl` or `trait` of Rust: `type Item`, `const MAX`."""
    words = code.stream.words
    if at == 0 or words[at - 1] not in {"type", "const"}:
        return False
    opened = code.stream.enclosing(at, 20_000)
    for before in range(opened - 1, -1, -1):
        if words[before] in {"impl", "trait"}:
            return True
        if words[before] in {";", "{", "}", "mod", "fn"}:
            break
    return False


def is_argument_of_attribute(code: Code, at: int) -> bool:
    """Whether a name of Rust is an argument of an attribute, which may be an expression."""
    return _attribute(code, at) >= 0


def named_by_macro(module: Module, code: Code, at: int) -> Meaning | None:
    """Return what the body of a macro of Rust may name: no scope says in which module it is."""
    if not module.navigation.has_traits or code.scope_at(at) is not None:
        return None
    name = code.stream.words[at]
    inside = (it for it in module.symbols.values() if it.name == name and it.owner)
    near = next((it for it in inside if it.kind != "method"), None)
    return None if near is None else Meaning("symbol", near, is_certain=False)


def _attribute(code: Code, at: int) -> int:
    """Return where the name of the attribute around a position of Rust is, or -1."""
    words, opened = code.stream.words, at
    for _ in range(_MAX_ATTRIBUTE_LEVELS):
        opened = code.stream.enclosing(opened, _MAX_ATTRIBUTE_TOKENS)
        if opened < 1 or words[opened] == "{":
            return -1
        if words[opened] == "[" and (words[opened - 1] == "#" or words[opened - 2] == "#"):
            name = opened + 1
            while words[name + 1 : name + 2] == ["::"] and name + 1 < at:
                name += 2
            return min(name, at)
    return -1


def switch_subject(code: Code, at: int) -> int | None:
    """Return where the expression ends that a `switch` of Java compares with the name of a case."""
    words, start = code.stream.words, at
    if code.reader is None or not code.reader.bare_members:
        return None
    while start > 1 and words[start - 1] == "," and code.stream.is_name(start - 2):
        start -= 2
    if words[start - 1] != "case" or words[at + 1 : at + 2] not in ([":"], ["->"], [","]):
        return None
    opened = code.stream.enclosing(start, 20_000)
    closed = opened - 1
    is_switch = opened > 0 and words[closed] == ")"
    before = code.stream.opening(closed) if is_switch else -1
    return closed - 1 if before > 0 and words[before - 1] == "switch" else None


def cast_type(words: list[str], opened: int, closed: int) -> Span | None:
    """Return the type of `(x as Foo)` or `((Foo) x)`."""
    at = next((it for it in range(closed - 1, opened, -1) if words[it] == "as"), -1)
    if at > 0:
        return (at + 1, closed)
    if words[opened + 1] != "(":
        return None
    end = next((it for it in range(opened + 2, closed) if words[it] == ")"), closed)
    is_followed = end + 1 < closed and (words[end + 1] in {"this", "new"} or _is_word(words, end))
    return (opened + 2, end) if is_followed else None


def _is_word(words: list[str], before: int) -> bool:
    return words[before + 1].isidentifier() and words[before - 1] not in {"(", ",", "->"}


def chain_start(words: list[str], at: int) -> int:
    """Return where a chain of names starts: `a` for the last name of `a.b.c`."""
    while at >= 2 and words[at - 1] in MEMBER_MARKS:  # noqa: PLR2004 - a name and a mark
        at -= 2
    return at


def wanted_at(code: Code, at: int) -> Wanted:
    """Return what the name at a position can refer to, by how it is used there."""
    words, reader = code.stream.words, code.reader
    if reader is None or not reader.splits_methods or at + 1 >= len(words):
        return ANY_USE
    is_member = words[at - 1] in reader.members if at else False
    if (is_member and words[at - 1] == "::") or not (is_member or reader.bare_members):
        return ANY_USE
    is_called = words[at + 1] == "(" or words[at + 1 : at + 3] == ["::", "<"]
    start = chain_start(words, at)
    if not is_called or (start and words[start - 1] in {"new", "@"}):
        return Wanted(is_called=False)
    return Wanted(True, count_arguments(code, at + 1) if reader.bare_members else None)


def count_arguments(code: Code, opened: int) -> int | None:
    """Return how many arguments a call has; None if it is too long to read."""
    words = code.stream.words
    closed = code.stream.closing(opened, len(words))
    if closed >= len(words):
        return None
    count, depth, at = int(closed > opened + 1), 0, opened + 1
    while at < closed:
        word = words[at]
        depth += (word in OPENING) - (word in CLOSING)
        count += word == "," and not depth
        if word == "<" and (words[at - 1][:1].isupper() or words[at - 1] == "."):
            at = max(at, closing_angle(words, at))
        at += 1
    return count


def of_container(rules: Navigation, receiver: Value, name: str) -> Value | None:
    """Return what a method of a container returns, if that is known without its code."""
    if receiver.key is not None and name in rules.of_mappings:
        return receiver.item if rules.of_mappings[name] == "value" else replace(receiver, key=None)
    is_alias = receiver.symbol and receiver.symbol.kind == "type"
    if receiver.item is None or not (receiver.kind == "external" or is_alias):
        return None
    if name in rules.unwrapping:
        return receiver.item
    return receiver if name in rules.keeping else None


def decorators_of(symbol: Symbol) -> tuple[str, ...]:
    return () if symbol.declared is None else symbol.declared.decorators


def nameless_struct(stream: TokenStream, opened: int) -> tuple[Value, int] | None:
    """Return the value of `struct{…}{…}` or `[]struct{…}{…}` of Go, and where it starts."""
    words = stream.words
    inner = stream.opening(opened - 1) if words[opened - 1] == "}" else -1
    if inner <= 0 or words[inner - 1] != "struct":
        return None
    is_list = words[inner - 2] == "]"
    return (Value("external", item=NAMELESS) if is_list else NAMELESS), inner - 1


def made_before(module: Module, base: Value, start: int, opened: int) -> Value:
    """Return the value of `T{…}` or `new T() {…}`, whose type is written before the brace."""
    if base.kind == "type":
        return replace(base, kind="instance")
    stream, rules = code_of(module).stream, module.navigation.interfaces
    is_new = start >= 0 and stream.words[start] == "new"
    is_variant = module.navigation.has_variants and stream.words[start][:1].isupper()
    if base.kind == "instance":
        return base if is_new or is_variant else UNKNOWN
    # Where types are exact, as in Go, `sync.Map{}` is of that type and of none in the workspace.
    is_outside = rules is not None and rules.is_exact and stream.is_name(opened - 1)
    return base if base.kind == "external" and is_outside else UNKNOWN
