"""What functions and types accept, what calls pass, and whether the two fit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Symbol, closing_angle
from benchpin.core.text import counted
from benchpin.facts import CUT, Function, Type
from benchpin.facts.code import CLOSING, OPENING, CallRules, navigation_of
from benchpin.facts.languages import family_of

_RECEIVERS = frozenset({"self", "cls", "&self", "&mut self", "mut self", "this"})


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a function can be called with, its receiver left out."""

    required: int
    most: int | None
    """The most positional arguments; None for any number."""
    names: frozenset[str]
    is_open: bool
    """Whether it takes arguments of any name."""
    has_receiver: bool = False
    """Whether its first parameter is the object that it is called on."""
    order: tuple[str, ...] = ()
    """The names of the parameters that can be given by position."""
    needed: tuple[str, ...] = ()
    """The names of those that have to be given."""


@dataclass(frozen=True, slots=True)
class Arguments:
    positional: int
    names: tuple[str, ...]
    is_open: bool
    """Whether it passes a list or a mapping of arguments, so that their number is not known."""


def accepted_by(function: Function, language: str) -> Accepts | None:
    """Return what a function accepts, by its signature; None where that is not known."""
    rules = navigation_of(family_of(language)).calls
    signature = " ".join(function.signature.split())
    if rules is None or signature.endswith(CUT):
        return None
    listed = _parameter_list(signature, function.name.rpartition(".")[2], rules)
    if listed is None:
        return None
    is_method = function.kind == "method" and "staticmethod" not in function.decorators
    # Whatever it is called: `mcs`.
    is_bound = is_method and navigation_of(family_of(language)).has_receiver_parameter
    required, most, is_open, is_keyword_only, has_receiver = 0, 0, False, False, False
    names: list[str] = []
    order: list[str] = []
    needed: list[str] = []
    unbounded = False
    for at, text in enumerate(listed):
        if text in {"*", "/"}:
            is_keyword_only |= text == "*"
            continue
        first = text.partition(":")[0].strip()
        if at == 0 and (_is_receiver(function, first) or (is_bound and first.isidentifier())):
            has_receiver = first != "cls" and "classmethod" not in function.decorators
            continue
        if text.startswith("**"):
            is_open = True
        elif text.startswith("*") or ("..." in text and not rules.has_starred_rest):
            unbounded, is_keyword_only = True, rules.has_starred_rest
        else:
            name = text.partition(":")[0].partition("=")[0].strip(" ?")
            names.append(name)
            is_optional = "=" in text.replace("=>", "") or text.partition(":")[0].endswith("?")
            required += not is_optional
            most += not is_keyword_only
            order += [] if is_keyword_only else [name]
            needed += [] if is_optional else [name]
    return Accepts(
        required,
        None if unbounded else most,
        frozenset(names),
        is_open,
        has_receiver,
        tuple(order),
        tuple(needed),
    )


def _is_receiver(function: Function, first: str) -> bool:
    # A function outside of types may have a parameter called self.
    return first in _RECEIVERS and (function.kind == "method" or first == "this")


def defaults_of(function: Function, language: str) -> dict[str, str]:
    """Return the defaults that a signature gives to parameters, as written, by name."""
    rules = navigation_of(family_of(language)).calls
    signature = " ".join(function.signature.split())
    if rules is None or signature.endswith(CUT):
        return {}
    listed = _parameter_list(signature, function.name.rpartition(".")[2], rules) or ()
    pairs = (it.replace("=>", "  ").partition("=") for it in listed)
    named = ((it.partition(":")[0].strip(), value.strip()) for it, sign, value in pairs if sign)
    return {name: value for name, value in named if name.isidentifier()}


def result_of(function: Function) -> str:
    """Return the result that a signature declares after its parameters; empty for none."""
    signature = " ".join(function.signature.split())
    name = function.name.rpartition(".")[2]
    start = signature.find("(", max(signature.find(f"{name}("), signature.find(f"{name}["), 0))
    depth = 0
    for at in range(start, len(signature)) if start >= 0 and not signature.endswith(CUT) else ():
        depth += (signature[at] in "([{") - (signature[at] in ")]}")
        if not depth:
            after = signature[at + 1 :].lstrip(" :->").removesuffix("=>").rstrip(" :{=,")
            return "" if after.startswith("throws") else after
    return ""


# A string, or a comment between two parameters.
_REMARK = re.compile(r"""("[^"\n]*"|'[^'\n]*')|#[^\n]*""")


def _parameter_list(signature: str, name: str, rules: CallRules) -> list[str] | None:
    """Return the texts between the parentheses of a signature."""
    start = _list_start(signature, name)
    if start < 0 and rules.has_nameless_signatures:
        start = signature.find("(")
    if start < 0:
        return None
    if rules.has_starred_rest:
        signature = _REMARK.sub(lambda it: it[1] or "", signature)
    parts: list[str] = []
    depth, text = 0, ""
    # The angles of arrows close nothing; the places of all else stay.
    for char in signature[start:].replace("=>", "  ").replace("->", "  "):
        if char in ")]}>":
            depth -= 1
            if not depth:
                return [it.strip() for it in [*parts, text] if it.strip()]
        if depth == 1 and char == ",":
            parts.append(text)
            text = ""
        elif depth:
            text += char
        depth += char in "([{<"
    return None


def _list_start(signature: str, name: str) -> int:
    """Return where the parameters of a name begin, after its type parameters; -1 if not there."""
    # Arrows close no angle: `F: Fn(u8) -> u8`, `A extends () => B`.
    text = signature.replace("=>", "  ").replace("->", "  ")
    found = text.find(name)
    while found >= 0:
        before, at = text[found - 1 : found], found + len(name)
        at += len(text[at:]) - len(text[at:].lstrip())
        depth = 0
        while at < len(text) and (depth or text[at] in "<["):
            depth += (text[at] in "([{<") - (text[at] in ")]}>")
            at += 1
        at += len(text[at:]) - len(text[at:].lstrip())
        is_whole = not (before.isalnum() or before in {"_", "$"})
        if is_whole and text[at : at + 1] == "(":
            return at
        found = text.find(name, found + 1)
    return -1


def arguments_at(code: Code, at: int, rules: CallRules) -> Arguments | None:
    """Return what the call of the name at a token passes."""
    words, stream = code.stream.words, code.stream
    if at + 1 >= len(words) or words[at + 1] != "(":
        return None
    end = stream.closing(at + 1, len(words))
    positional, names, is_open = 0, [], False
    here = at + 2
    if (
        rules.spreads_results
        and here < end
        and words[end - 1] == ")"
        and "," not in words[here:end]
    ):
        is_open = True  # `f(g())` passes all results of `g`
    while here < end:
        stop = _argument_end(words, here, end, has_generics=rules.has_angles)
        if stop < 0 or words[here] in {"*", "**", "..."} or "for" in words[here:stop]:
            is_open = True
        elif stop - here > 1 and words[here + 1] == "=" and stream.is_name(here):
            names.append(words[here])
        else:
            positional += 1
        here = stop + 1 if stop >= 0 else end
    return Arguments(positional, tuple(names), is_open)


def _argument_end(words: list[str], at: int, end: int, *, has_generics: bool) -> int:
    """Return where an argument ends; -1 if a `<` in it may compare or hold types."""
    depth = 0
    while at < end and (depth or words[at] != ","):
        word = words[at]
        depth += (word in OPENING) - (word in CLOSING)
        if has_generics and word == "<":
            closed = closing_angle(words, at)
            if closed < 0:
                return -1
            at = closed
        at += 1
    return at


def misfit(accepts: Accepts, given: Arguments) -> str:
    """Say why a call does not fit; empty if it does."""
    if given.is_open:
        return ""
    unknown = [it for it in given.names if it not in accepts.names]
    if unknown and not accepts.is_open:
        return f"passes {unknown[0]}, and no parameter is called that"
    if accepts.most is not None and given.positional > accepts.most:
        return (
            f"passes {counted(given.positional, 'argument')}, more than the {accepts.most} accepted"
        )
    passed = given.positional + len(given.names)
    if passed < accepts.required:
        return f"passes {counted(passed, 'argument')}, fewer than the {accepts.required} required"
    # By name an argument may be given that is optional, and a required one left out.
    known = {*given.names, *accepts.order[: given.positional]}
    lacking = [it for it in accepts.needed if it not in known]
    return f"does not pass {lacking[0]}, which is required" if lacking else ""


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
    # From the base down: a field that is declared again keeps its place, with its new default.
    for here in reversed(index.names.ancestors(maker)):
        rules = _rules_of(index, here)
        module = index.symbols.modules[here.file]
        # A base that is not made from its fields may change how a type is made.
        if module.code is None or (rules is None and index.symbols.member(here, "__new__")):
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
