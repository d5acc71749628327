"""What names refer to, and what expressions evaluate to."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from benchpin.facts.code import Variable

from ._code import Code, Scope
from ._module import Binding, Module, Symbol

# What is before a member, in any language.
MEMBER_MARKS: Final = frozenset({".", "?.", "!.", "->", "::", "&.", "?->", "!!."})


class Wanted(NamedTuple):
    """What a name can refer to where it is used."""

    is_called: bool | None = None
    """None in languages where a name of a type means one thing, called or not."""
    arguments: int | None = None
    """How many a call has; None if that does not choose between functions."""


ANY_USE = Wanted()


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression evaluates to."""

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
    is_bound: bool = False
    """Whether it is only known to be some subtype: it is of a type parameter with that bound."""


def module_value(meaning: "Meaning") -> Value:
    """Return the value of a name that refers to a module."""
    return Value(
        "module",
        module=meaning.module,
        package=meaning.package,
        namespace=meaning.namespace,
    )


UNKNOWN = Value("unknown")
EXTERNAL = Value("external")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name in the code refers to."""

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
