"""Whether the calls of a function fit its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from benchpin.code import CodeIndex
from benchpin.code.names import (
    Code,
    Meaning,
    Module,
    Symbol,
    Wanted,
    closing_angle,
    is_overload,
)
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
    has_receiver: bool = False
    """Whether its first parameter is the object that it is called on."""


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
    required, most, is_open, is_keyword_only, has_receiver = 0, 0, False, False, False
    names: list[str] = []
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
            names.append(text.partition(":")[0].partition("=")[0].strip(" ?"))
            is_optional = "=" in text.replace("=>", "") or text.partition(":")[0].endswith("?")
            required += not is_optional
            most += not is_keyword_only
    return Accepts(required, None if unbounded else most, frozenset(names), is_open, has_receiver)


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
    return ""


def find_misfits(index: CodeIndex, symbol: Symbol, job: Job) -> Iterator[Misfit]:
    """Yield the certain calls of a function that do not fit its signature as it is now.

    Where functions are chosen by the number of their arguments, calls that fit none of them mean
    nothing: those of a known object are looked at, too.
    """
    if _accepted(index, symbol) is None:
        return
    for use in find_uses(index, symbol, job, mentions=False).found:
        module = index.symbols.modules[use.file]
        is_chosen = module.code is not None and _chooses_by_arguments(module.code)
        if use.kind == "call" and (use.certainty == "certain" or is_chosen):
            problem = _problem(index, module, use.line, symbol)
            if problem:
                yield Misfit(symbol.id, use.file, use.line, use.inside, problem)


def _chooses_by_arguments(code: Code) -> bool:
    return code.reader is not None and code.reader.bare_members


def _accepted(index: CodeIndex, symbol: Symbol) -> list[Accepts] | None:
    """Return what a function accepts, one for each overload; None where that is not known."""
    module = index.symbols.modules[symbol.file]
    if symbol.declared is None or index.values.may_be_replaced(symbol):
        return None
    functions = [it for it in _overloads(index, symbol) if not is_overload(it)]
    found = [accepted_by(it, module.language) for it in functions]
    known = [it for it in found if it is not None]
    is_chosen = module.code is not None and _chooses_by_arguments(module.code)
    return known if len(known) == len(found) and (is_chosen or len(known) == 1) else None


def _overloads(index: CodeIndex, symbol: Symbol) -> list[Function]:
    """Return the functions of a name in a type, and in what it inherits from."""
    owner = index.owner_of(symbol)
    code = index.symbols.modules[symbol.file].code
    related = [symbol]
    if owner is not None and code is not None and _chooses_by_arguments(code):
        inherited = map(
            partial(index.symbols.member, name=symbol.name), index.names.ancestors(owner)
        )
        is_made = symbol.name == owner.name
        related += [it for it in inherited if it is not None and it is not symbol and not is_made]
    return [
        function
        for one in related
        for function in index.symbols.modules[one.file].facts.outline.functions
        if function.name == one.qualified
    ]


def _problem(index: CodeIndex, module: Module, line: int, symbol: Symbol) -> str:
    """Return what is wrong with the calls of a symbol on a line."""
    code = module.code
    if code is None:
        return ""
    for name in dict.fromkeys((symbol.name, symbol.owner.rpartition(".")[2])):
        for at in code.stream.positions(name):
            if code.stream.line(at) == line and is_called(code, at):
                callee = callee_at(index, module, at)
                if callee is not None and callee[0] is symbol:
                    problem = _misfit_of(index, module, at, *callee)
                    if problem:
                        return problem
    return ""


def callee_at(index: CodeIndex, module: Module, at: int) -> tuple[Symbol, Meaning] | None:
    """Return the function that a call certainly means, if its arguments fit or not."""
    code = module.code
    if code is None or not is_called(code, at):
        return None
    meaning = index.meaning(module, at)
    receiver = meaning.receiver
    if meaning.symbol is None and receiver is not None and receiver.symbol is not None:
        if any(True for _ in index.names.outside_bases(receiver.symbol)):
            return None  # the arguments may be those of an inherited function
        name = code.stream.words[at]
        meaning = index.values.member(receiver, name, Wanted(is_called=True))
    elif meaning.symbol is None and meaning.kind == "external" and _chooses_by_arguments(code):
        name = code.stream.words[at]
        own = index.values.enclosing_type(module, code.scope_at(at))
        is_bare = code.mark_before(at) < 0 and name not in module.bindings
        if not is_bare or own is None or index.names.has_outside_base(own):
            return None
        meaning = index.values.lookup(module, name, at, Wanted(is_called=True))
    known = meaning.symbol
    if known is None or not meaning.is_certain or meaning.others:
        return None
    # The constructor of a type with a base elsewhere may not be what runs first: see enums.
    if known.is_type and (
        index.names.has_outside_base(known) or index.names.member(known, "__new__")[0] is not None
    ):
        own_maker = index.symbols.member(known, known.name)
        return None if own_maker is None else (own_maker, meaning)
    callee = index.run_by(known)
    if callee.name == "__new__":
        return None  # it is passed the type itself, whatever it is called on
    return (callee, meaning) if isinstance(callee.declared, Function) else None


def _misfit_of(index: CodeIndex, module: Module, at: int, callee: Symbol, meaning: Meaning) -> str:
    """Say why the call at a token does not fit what it calls; empty if it does."""
    declared, code = callee.declared, module.code
    if code is None or not isinstance(declared, Function):
        return ""
    accepts = _accepted(index, callee)
    rules = navigation_of(module.family).calls or CallRules()
    given = arguments_at(code, at, rules)
    if not accepts or given is None:
        return ""
    # `Base.method(self, x)` and `Type::method(value, x)` pass the receiver themselves.
    is_unbound = meaning.receiver is not None and meaning.receiver.kind == "type"
    if is_unbound and callee.kind == "method":
        accepts = [
            replace(it, required=it.required + 1, most=it.most and it.most + 1)
            if it.has_receiver
            else it
            for it in accepts
        ]
    problems = [misfit(it, given) for it in accepts]
    if len(accepts) > 1 and all(problems):
        counts = sorted({it.required for it in accepts})
        passed = counted(given.positional, "argument")
        return f"passes {passed}, and no {callee.name} takes so many (they take {_listed(counts)})"
    return "" if not all(problems) else problems[0]


def _listed(counts: list[int]) -> str:
    return " or ".join(map(str, counts))


def misfit_at(index: CodeIndex, module: Module, at: int) -> Misfit | None:
    """Return why the call at a token does not fit what it certainly calls, if it does not."""
    callee = callee_at(index, module, at)
    if callee is None or module.code is None:
        return None
    problem = _misfit_of(index, module, at, *callee)
    line = module.code.stream.line(at)
    return Misfit(callee[0].id, module.path, line, "", problem) if problem else None
