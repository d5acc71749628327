"""What functions accept, what calls pass, and whether the two fit."""

from dataclasses import dataclass

from benchpin.code.names import Code, closing_angle
from benchpin.core.text import counted
from benchpin.facts import CUT, Function
from benchpin.facts.code import CallRules, navigation_of
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
        if at == 0 and first in _RECEIVERS and (function.kind == "method" or first == "this"):
            # A function outside of types may have a parameter called self.
            has_receiver = first != "cls"
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


def _parameter_list(signature: str, name: str, rules: CallRules) -> list[str] | None:
    """Return the texts between the parentheses of a signature."""
    start = signature.find(f"{name}(") + len(name) if f"{name}(" in signature else -1
    if start < 0 and rules.has_nameless_signatures:
        start = signature.find("(")
    if start < 0:
        return None
    parts: list[str] = []
    depth, text = 0, ""
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
        depth += (word in {"(", "[", "{"}) - (word in {")", "]", "}"})
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
