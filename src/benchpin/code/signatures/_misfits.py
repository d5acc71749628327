"""Whether the calls of a function fit its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Meaning, Module, Symbol, Wanted, is_overload
from benchpin.code.references import find_uses, is_called
from benchpin.core.calls import Job
from benchpin.core.text import counted
from benchpin.facts import Function
from benchpin.facts.code import CallRules, navigation_of

from ._accepts import PLAIN_BASES, Accepts, Arguments, accepted_by, arguments_at, made_of, misfit

# Endings of types that are made like any other: exceptions.
_RAISED = ("Error", "Exception", "Warning")


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call that no longer fits."""

    callee: str
    file: str
    line: int
    inside: str
    problem: str


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
    yield from _unmeant(index, symbol)


def _unmeant(index: CodeIndex, symbol: Symbol) -> Iterator[Misfit]:
    """Yield the calls by a bare name, in the file of a function, that fit nothing of that name."""
    module = index.symbols.modules[symbol.file]
    code = module.code
    if symbol.is_type or code is None or not _chooses_by_arguments(code):
        return
    for at in code.stream.positions(symbol.name):
        if code.mark_before(at) < 0 and is_called(code, at):
            meaning = index.meaning(module, at)
            found = misfit_at(index, module, at) if meaning.symbol is None else None
            if found is not None and found.callee == symbol.id:
                yield found


def _chooses_by_arguments(code: Code) -> bool:
    return code.reader is not None and code.reader.bare_members


def _accepted(index: CodeIndex, symbol: Symbol) -> list[Accepts] | None:
    """Return what a function accepts, one for each overload; None where that is not known."""
    module = index.symbols.modules[symbol.file]
    if symbol.is_type:
        made = made_of(index, symbol)
        return None if made is None else [made]
    if symbol.declared is None or index.values.may_be_replaced(symbol):
        return None
    if module.code is not None and _has_declared_type(module.code, symbol):
        return None
    functions = [it for it in _overloads(index, symbol) if not is_overload(it)]
    found = [accepted_by(it, module.language) for it in functions]
    known = [it for it in found if it is not None]
    owner = index.owner_of(symbol)
    if owner is not None and owner.kind == "record" and symbol.name == owner.name:
        made = made_of(index, owner)
        known, found = [*known, *([made] if made else [])], [*found, made]
    is_chosen = module.code is not None and _chooses_by_arguments(module.code)
    if is_chosen and owner is not None and _has_without_body(index, owner, symbol.name):
        return None
    return known if len(known) == len(found) and (is_chosen or len(known) == 1) else None


# Tokens of a declared type between a name and the function that it is given.
_MAX_TYPE_TOKENS = 60


def _has_declared_type(code: Code, symbol: Symbol) -> bool:
    """Whether a type says how a function is called: `const made: Made = (a, b) => …`."""
    declared, words = symbol.declared, code.stream.words
    if not isinstance(declared, Function) or words[declared.first_token - 1] != "=":
        return False
    before = range(declared.first_token - 2, max(0, declared.first_token - _MAX_TYPE_TOKENS), -1)
    at = next((it for it in before if words[it] == symbol.name), -1)
    return at >= 0 and words[at + 1] == ":"


def _has_without_body(index: CodeIndex, owner: Symbol, name: str) -> bool:
    """Whether a type demands a method of a name, which takes other arguments."""
    fields = (index.values.field(it, name) for it in index.names.ancestors(owner))
    places = (place for it in fields if it is not None for place in index.values.places(it))
    return any(it.variable.is_method for it in places)


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
    if known is None or not meaning.is_certain or meaning.others or known.is_property:
        return None  # what a property returns is called
    if known.is_type and made_of(index, known) is not None:
        maker = index.run_by(known)
        return (maker if maker.name == known.name else known), meaning
    # The constructor of a type with a base elsewhere may not be what runs first: see enums.
    if known.is_type and (
        index.names.has_outside_base(known) or index.names.member(known, "__new__")[0] is not None
    ):
        own_maker = _own_maker(index, known)
        return None if own_maker is None else (own_maker, meaning)
    callee = index.run_by(known)
    if callee.name == "__new__":
        return None  # it is passed the type itself, whatever it is called on
    return (callee, meaning) if isinstance(callee.declared, Function) else None


def _own_maker(index: CodeIndex, owner: Symbol) -> Symbol | None:
    """Return the constructor that a type has itself, where nothing else can run before it."""
    member = index.symbols.member
    bases = {it.partition("[")[0].rpartition(".")[2] for it in index.names.outside_bases(owner)}
    is_plain = all(it.endswith(_RAISED) or it in PLAIN_BASES for it in bases)
    is_made = is_plain and index.names.member(owner, "__new__")[0] is None
    own = member(owner, owner.name) or member(owner, "constructor")
    return own or (member(owner, "__init__") if is_made else None)


def _misfit_of(index: CodeIndex, module: Module, at: int, callee: Symbol, meaning: Meaning) -> str:
    """Say why the call at a token does not fit what it calls; empty if it does."""
    declared, code = callee.declared, module.code
    if code is None or declared is None:
        return ""
    accepts = _accepted(index, callee)
    rules = navigation_of(module.family).calls or CallRules()
    given = arguments_at(code, at, rules)
    if not accepts or given is None:
        return ""
    # `Base.method(self, x)` and `Type::method(value, x)` pass the receiver themselves.
    is_unbound = meaning.receiver is not None and meaning.receiver.kind == "type"
    if is_unbound and callee.kind == "method":
        accepts = [_unbound(it) if it.has_receiver else it for it in accepts]
    problems = [misfit(it, given) for it in accepts]
    if len(accepts) > 1 and all(problems):
        counts = " or ".join(map(str, sorted({it.required for it in accepts})))
        passed = counted(given.positional, "argument")
        return f"passes {passed}, and no {callee.name} takes so many (they take {counts})"
    return "" if not all(problems) else problems[0]


def leaves_out(module: Module, at: int, callee: Symbol, parameter: str) -> bool:
    """Whether a call certainly does not give a parameter, and gets its default."""
    declared, code = callee.declared, module.code
    if code is None or not isinstance(declared, Function):
        return False
    accepts = accepted_by(declared, module.language)
    given = arguments_at(code, at, navigation_of(module.family).calls or CallRules())
    if accepts is None or given is None or given.is_open or parameter in given.names:
        return False
    place = accepts.order.index(parameter) if parameter in accepts.order else given.positional
    return place >= given.positional


def _unbound(accepts: Accepts) -> Accepts:
    """Return what a method accepts that is given its object, too."""
    most = accepts.most and accepts.most + 1
    order = ("", *accepts.order)
    return replace(accepts, required=accepts.required + 1, most=most, order=order)


def misfit_if(index: CodeIndex, module: Module, at: int, callee: Symbol) -> str:
    """Say why the call at a token would not fit a function; empty if it would."""
    return _misfit_of(index, module, at, callee, Meaning("unknown"))


def fewest_of(index: CodeIndex, symbol: Symbol) -> list[Arguments]:
    """Return the shortest calls that a function takes, one for each overload."""
    return [
        Arguments(
            sum(name in it.order for name in it.needed),
            tuple(name for name in it.needed if name not in it.order),
            is_open=False,
        )
        for it in _accepted(index, symbol) or ()
    ]


def order_of(index: CodeIndex, symbol: Symbol) -> tuple[str, ...]:
    """Return the parameters that a function takes by position; empty where they are not known."""
    declared = symbol.declared
    language = index.symbols.modules[symbol.file].language
    found = accepted_by(declared, language) if isinstance(declared, Function) else None
    return () if found is None else found.order


def positional_at(module: Module, at: int) -> int:
    """Return how many arguments the call of the name at a token passes by position, if known."""
    rules = navigation_of(module.family).calls or CallRules()
    given = None if module.code is None else arguments_at(module.code, at, rules)
    return 0 if given is None or given.is_open else given.positional


def takes(index: CodeIndex, symbol: Symbol, given: Arguments) -> bool:
    """Whether a function may be called with some arguments."""
    accepts = _accepted(index, symbol)
    return accepts is None or any(not misfit(it, given) for it in accepts)


def misfit_at(index: CodeIndex, module: Module, at: int) -> Misfit | None:
    """Return why the call at a token does not fit what it certainly calls, if it does not."""
    callee = callee_at(index, module, at)
    if callee is None or module.code is None:
        return None
    problem = _misfit_of(index, module, at, *callee)
    line = module.code.stream.line(at)
    return Misfit(callee[0].id, module.path, line, "", problem) if problem else None
