"""What a type is made of where it has no constructor of its own: its fields are the parameters."""

from collections.abc import Iterator
from typing import NamedTuple

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Symbol
from benchpin.facts import Type

from ._accepts import Accepts

# Bases that bring no fields and no constructor.
PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "Hashable", "Sized"})
# Words that make what a type accepts depend on more than its fields.
_OPEN_WORDS = frozenset({"alias", "alias_generator", "validation_alias", "extra", "__new__"})
# Tokens before a class that its decorator is looked for in.
_MAX_DECORATOR_TOKENS = 40


class _Given(NamedTuple):
    """A field as a parameter."""

    name: str
    is_required: bool
    is_named_only: bool


def made_of(index: CodeIndex, owner: Symbol) -> Accepts | None:
    """Return what a call of a type accepts, if the type is made from its fields alone."""
    words = index.symbols.modules[owner.file].navigation
    may_be = owner.kind == "record" or words.field_decorators or words.field_bases
    maker = _maker(index, owner) if may_be else None
    if maker is None:
        return None
    fields: dict[str, _Given] = {}
    for here in reversed(index.names.ancestors(maker)):
        rules = _rules_of(index, here)
        module = index.symbols.modules[here.file]
        if module.code is None or (rules is None and _is_hidden(index, here)):
            return None
        for given in () if rules is None else _given(index, here, module.code, rules):
            fields[given.name] = given
    plain = [it for it in fields.values() if not it.is_named_only]
    required = [it.name for it in fields.values() if it.is_required]
    return Accepts(
        len(required),
        len(plain),
        frozenset(fields),
        is_open=False,
        order=tuple(it.name for it in plain),
        needed=tuple(required),
    )


def _maker(index: CodeIndex, owner: Symbol) -> Symbol | None:
    """Return the type whose fields a type is made from: itself, or what it inherits from."""
    outside = {it.partition("[")[0].rpartition(".")[2] for it in index.names.outside_bases(owner)}
    rules = index.symbols.modules[owner.file].navigation
    if not outside <= {*PLAIN_BASES, *rules.field_bases}:
        return None
    for here in index.names.ancestors(owner):
        if _rules_of(index, here) is not None:
            return here
        if any(index.symbols.member(here, it) for it in ("__init__", "__new__")):
            return None
    return None


class _Rules(NamedTuple):
    is_named_only: bool
    is_value_optional: bool


def _rules_of(index: CodeIndex, owner: Symbol) -> _Rules | None:
    """Return how the fields of a type are given; None for a type that is not made from them."""
    module = index.symbols.modules[owner.file]
    declared, code = owner.declared, module.code
    if code is None or not isinstance(declared, Type):
        return None
    if owner.kind == "record":
        return _Rules(is_named_only=False, is_value_optional=False)
    if index.symbols.member(owner, "__init__") or index.symbols.member(owner, "__new__"):
        return None
    inside = code.stream.words[declared.first_token : declared.last_token]
    if not _OPEN_WORDS.isdisjoint(inside):
        return None
    said = {it.partition("(")[0].rpartition(".")[2] for it in declared.decorators}
    navigation = module.navigation
    if len(said) == 1 and said <= navigation.field_decorators:
        words = _decorator(code, declared)
        if words is None or "init" in words or "transform" in words:
            return None
        return _Rules("kw_only" in words, is_value_optional=False)
    bases = {it.partition("[")[0].rpartition(".")[2] for it in index.names.outside_bases(owner)}
    if said or bases.isdisjoint(navigation.field_bases):
        return None
    is_model = "BaseModel" in bases
    return _Rules(is_named_only=is_model or "kw_only" in inside, is_value_optional=is_model)


def _decorator(code: Code, declared: Type) -> list[str] | None:
    """Return the words of the decorator of a type."""
    words = code.stream.words
    at = first = declared.first_token
    if words[at : at + 1] == ["@"]:
        return words[at : words.index("class", at)] if "class" in words[at : at + 40] else None
    while at > max(0, first - _MAX_DECORATOR_TOKENS):
        at -= 1
        if words[at] == "@" and at in code.stream.line_starts:
            return words[at:first]
    return None


def _is_hidden(index: CodeIndex, owner: Symbol) -> bool:
    """Whether a base that is not made from its fields may change how a type is made."""
    return index.symbols.member(owner, "__new__") is not None


def _given(index: CodeIndex, owner: Symbol, code: Code, rules: _Rules) -> Iterator[_Given]:
    words = code.stream.words
    is_named_only = rules.is_named_only
    for field in index.values.fields_of(owner):
        places = index.values.places(field)
        variable = places[0].variable
        if places[0].scope.declared is not owner.declared or variable.annotation is None:
            continue
        kind = words[slice(*variable.annotation)]
        if "ClassVar" in kind:
            continue
        if kind[-1] == "KW_ONLY":
            is_named_only = True
            continue
        value = [] if variable.value is None else words[slice(*variable.value)]
        if _is_left_out(value):
            continue
        is_optional = _has_value(value) or (
            rules.is_value_optional and ("Optional" in kind or "None" in kind)
        )
        yield _Given(field.name, not is_optional, is_named_only or "kw_only" in value)


def _is_left_out(value: list[str]) -> bool:
    """Whether a field is set in another way: `field(init=False)`."""
    pairs = zip(value, value[1:], value[2:], strict=False)
    return any(it == ("init", "=", "False") for it in pairs)


_MAKERS = frozenset({"field", "Field", "ib", "attrib"})
_VALUES = frozenset({"default", "default_factory", "factory"})


def _has_value(value: list[str]) -> bool:
    """Whether a field has a default: `= 0`, `= field(default=0)`, but not `= field()`."""
    if not value:
        return False
    opened = value.index("(") if "(" in value else -1
    if opened < 1 or value[opened - 1] not in _MAKERS:
        return True
    is_said = not _VALUES.isdisjoint(value[opened:])
    # `Field(1)` of pydantic; `Field(...)` has no default.
    first = value[opened + 1 : opened + 3]
    is_first = len(first) > 1 and first[0] not in {")", "..."} and first[1] in {",", ")"}
    return is_said or is_first
