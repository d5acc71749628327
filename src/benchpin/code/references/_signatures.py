"""Whether the calls of a function fit its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Module, Symbol, closing_angle, is_overload
from benchpin.core.calls import Job
from benchpin.core.text import counted
from benchpin.facts import CUT, Function
from benchpin.facts.code import CallRules, navigation_of
from benchpin.facts.languages import family_of

from ._uses import find_uses, is_called

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


@dataclass(frozen=True, slots=True)
class Arguments:
    positional: int
    names: tuple[str, ...]
    is_open: bool
    """Whether it passes a list or a mapping of arguments, so that their number is not known."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call that no longer fits."""

    callee: str
    file: str
    line: int
    inside: str
    problem: str


def accepted_by(function: Function, language: str) -> Accepts | None:
    """Return what a function accepts, by its signature; None where that is not known."""
    rules = navigation_of(family_of(language)).calls
    signature = " ".join(function.signature.split())
    if rules is None or signature.endswith(CUT):
        return None
    listed = _parameter_list(signature, function.name.rpartition(".")[2], rules)
    if listed is None:
        return None
    required, most, is_open, is_keyword_only = 0, 0, False, False
    names: list[str] = []
    unbounded = False
    for at, text in enumerate(listed):
        if text in {"*", "/"}:
            is_keyword_only |= text == "*"
            continue
        first = text.partition(":")[0].strip()
        if at == 0 and first in _RECEIVERS and (function.kind == "method" or first == "this"):
            continue  # a function outside of types may have a parameter called self
        if text.startswith("**"):
            is_open = True
        elif text.startswith("*") or ("..." in text and not rules.has_starred_rest):
            unbounded, is_keyword_only = True, rules.has_starred_rest
        else:
            names.append(text.partition(":")[0].partition("=")[0].strip(" ?"))
            is_optional = "=" in text.replace("=>", "") or text.partition(":")[0].endswith("?")
            required += not is_optional
            most += not is_keyword_only
    return Accepts(required, None if unbounded else most, frozenset(names), is_open)


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
    return ""


def find_misfits(index: CodeIndex, symbol: Symbol, now: Function, job: Job) -> Iterator[Misfit]:
    """Yield the certain calls of a function that do not fit its signature as it is now."""
    accepts = _accepted(index, symbol, now)
    if accepts is None:
        return
    for use in find_uses(index, symbol, job, mentions=False).found:
        if use.certainty == "certain" and use.kind == "call":
            problem = _problem(index, index.symbols.modules[use.file], use.line, symbol, accepts)
            if problem:
                yield Misfit(symbol.id, use.file, use.line, use.inside, problem)


def _accepted(index: CodeIndex, symbol: Symbol, now: Function) -> Accepts | None:
    """Return what a function accepts; None where more than its signature decides."""
    module = index.symbols.modules[symbol.file]
    named = [it for it in module.facts.outline.functions if it.name == symbol.qualified]
    is_overloaded = sum(not is_overload(it) for it in named) > 1
    if is_overloaded or symbol.declared is None or symbol.declared.decorators:
        return None
    return accepted_by(now, module.language)


def _problem(index: CodeIndex, module: Module, line: int, symbol: Symbol, accepts: Accepts) -> str:
    """Return what is wrong with the calls of a symbol on a line."""
    code = module.code
    if code is None:
        return ""
    for name in (symbol.name, symbol.owner.rpartition(".")[2]):
        for at in code.stream.positions(name):
            if code.stream.line(at) == line and is_called(code, at):
                given = _arguments_for(index, module, at, symbol)
                if given is not None:
                    return misfit(accepts, given)
    return ""


def _arguments_for(index: CodeIndex, module: Module, at: int, symbol: Symbol) -> Arguments | None:
    """Return what a call passes to a symbol; None if it calls something else."""
    meaning = index.meaning(module, at)
    if meaning.symbol is None or index.run_by(meaning.symbol) is not symbol or module.code is None:
        return None
    # `Base.method(self, x)` passes the receiver itself.
    is_unbound = meaning.receiver is not None and meaning.receiver.kind == "type"
    is_method = symbol.kind == "method"
    if is_unbound and is_method:
        return None
    return arguments_at(module.code, at, navigation_of(module.family).calls or CallRules())


def misfit_at(index: CodeIndex, module: Module, at: int) -> Misfit | None:
    """Return why the call at a token does not fit what it certainly calls, if it does not."""
    code = module.code
    meaning = None if code is None or not is_called(code, at) else index.meaning(module, at)
    if code is None or meaning is None or meaning.symbol is None or not meaning.is_certain:
        return None
    callee = index.run_by(meaning.symbol)
    # The constructor of a type with a base elsewhere may not be what runs first: see enums.
    is_open = meaning.symbol.is_type and (
        index.names.has_outside_base(meaning.symbol)
        or index.names.member(meaning.symbol, "__new__")[0] is not None
    )
    if is_open or meaning.others or not isinstance(callee.declared, Function):
        return None
    accepts = _accepted(index, callee, callee.declared)
    given = _arguments_for(index, module, at, callee)
    problem = "" if accepts is None or given is None else misfit(accepts, given)
    line = code.stream.line(at)
    return Misfit(callee.id, module.path, line, "", problem) if problem else None
