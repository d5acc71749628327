"""Whether a call passes two arguments in each other's place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Module, Scope, Symbol
from benchpin.facts.code import Span, split_at_commas

from ._misfits import Misfit, callee_at

# Modifiers that do not change which type it is.
_MODIFIERS = frozenset({"&", "*", "mut", "final", "const", "readonly", "'", "?", "ref"})
_QUOTES = frozenset({'"', "'", "`"})
_STRING = "string"
_TIGHT = re.compile(r" ?([.()\[\]]|::|->) ?")
# Functions that take their arguments in any order, or a range of them: of which one may go on where
# another ended.
_IN_ANY_ORDER = (
    *("assert", "check", "expect", "require", "equal", "is_equal", "min", "max", "gcd", "hypot"),
    *("print", "log", "debug", "info", "warn", "error", "trace", "format", "printf", "write"),
    *("add", "append", "push", "extend", "concat", "join", "merge", "union", "plus", "of", "list"),
    *("substr", "slice", "range", "sublist", "copyofrange", "between", "clamp", "swap", "zip"),
)
_WORD = re.compile(r"(?<![A-Z])[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
# What a getter is called before the name of what it gives: `getName`, `get_name`.
_GETTER = re.compile(r"^get(?=[A-Z])|^get_")
_MAX_SHOWN_CHARS = 40
# Names that say nothing about what is passed.
_MIN_NAME_CHARS = 3


@dataclass(frozen=True, slots=True)
class _Slot:
    """An argument or a parameter: its name and its type as written, where these are known."""

    name: str
    type: str
    text: str = ""
    """What is written, where it is no name."""


def swapped_at(index: CodeIndex, module: Module, at: int) -> Misfit | None:
    """Return which two arguments of a call are likely swapped.

    They are when each has the name, or the type, of the other's parameter, and not of its own.
    """
    called = callee_at(index, module, at)
    if called is None or module.code is None:
        return None
    callee, line = called[0], module.code.stream.line(at)
    problem = _crossing(index, module, at, callee)
    return Misfit(callee.id, module.path, line, "", problem) if problem else None


def _crossing(index: CodeIndex, module: Module, at: int, callee: Symbol) -> str:
    given, overloads = _arguments(index, module, at), _parameters(index, callee)
    if len(overloads) > 1:
        overloads = [it for it in overloads if len(it) == len(given)]
    for taken in overloads:
        count = min(len(given), len(taken))
        for first, second in combinations(range(count), 2):
            if not _cross(given[first], given[second], taken[first], taken[second]):
                continue
            # Another overload may want them in this order.
            others = [it for it in overloads if it is not taken]
            if any(_has_name_of(given[at], it[at]) for it in others for at in (first, second)):
                continue
            wanted = f"{taken[first].name}, {taken[second].name}"
            passed = ", ".join(it.text or it.name for it in (given[first], given[second]))
            return f"passes {passed} for {wanted}; the two may be swapped"
    return ""


def _cross(given: _Slot, other: _Slot, taken: _Slot, wanted: _Slot) -> bool:
    """Whether two arguments belong to each other's parameters.

    Where both parameters have one type, or none is written, only names can say it.
    """
    if taken.type == wanted.type:
        return _cross_by_name(given, other, taken, wanted)
    if _fits(given, taken) or _fits(other, wanted):
        return False
    crossing = _fits(given, wanted), _fits(other, taken)
    if all(crossing):
        return True
    # One is known to be of the other's type, and its own parameter is of one plain other type.
    one = given if crossing[0] else other
    own, far = (taken, wanted) if crossing[0] else (wanted, taken)
    is_other = own.type.isidentifier() and own.type != far.type
    return any(crossing) and is_other and bool(one.type) and one.type == far.type


def _cross_by_name(given: _Slot, other: _Slot, taken: _Slot, wanted: _Slot) -> bool:
    if _has_name_of(given, taken) or _has_name_of(other, wanted):
        return False
    crossing = _has_name_of(given, wanted), _has_name_of(other, taken)
    # `cache_dir, sock_dir` for `sock_dir, session_cache_dir`.
    if _is_part(given, wanted) and _is_part(other, taken):
        return not _is_part(given, taken) and not _is_part(other, wanted)
    # `method, file.Name` for `filename, method`.
    ends_crossed = (crossing[0] and _ends_like(other, taken)) or (
        crossing[1] and _ends_like(given, wanted)
    )
    if ends_crossed:
        return not (_ends_like(given, taken) or _ends_like(other, wanted))
    # `join(path.Join(url), root)` for `join(root, path)`: one name says where it belongs, and the
    # other argument is an expression, which has no name that could say anything else.
    is_expression = any(it.text or not it.name for it in (given, other))
    return all(crossing) or (any(crossing) and is_expression)


def _fits(given: _Slot, taken: _Slot) -> bool:
    return _has_name_of(given, taken) or (bool(given.type) and given.type == taken.type)


def _has_name_of(given: _Slot, taken: _Slot) -> bool:
    return _plain(given.name) == _plain(taken.name) and len(given.name) >= _MIN_NAME_CHARS


def _is_part(given: _Slot, taken: _Slot) -> bool:
    """Whether one of two names begins or ends with the other, word by word."""
    one, other = sorted((_words(given.name), _words(taken.name)), key=len)
    is_said = len("".join(one)) >= _MIN_NAME_CHARS
    return is_said and one in (other[: len(one)], other[-len(one) :])


def _ends_like(given: _Slot, taken: _Slot) -> bool:
    """Whether a parameter ends with the name of an argument: `filename` with `name`."""
    own = _plain(given.name)
    return len(own) > _MIN_NAME_CHARS and _plain(taken.name).endswith(own)


def _words(name: str) -> list[str]:
    return [it.lower() for it in _WORD.findall(name)]


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _parameters(index: CodeIndex, callee: Symbol) -> list[list[_Slot]]:
    """Return the parameters that are passed by position, for each overload."""
    module = index.symbols.modules[callee.file]
    code = module.code
    scopes = [] if code is None else code.scopes_named.get(callee.name, [])
    scopes = [it for it in scopes if it.declared.name == callee.qualified]
    if code is None or code.reader is None or (len(scopes) > 1 and not code.reader.bare_members):
        return []
    return [_positional(code, it, code.reader.receivers | {"cls"}) for it in scopes]


def _positional(code: Code, scope: Scope, receivers: frozenset[str]) -> list[_Slot]:
    # `constructor(private pool: Pool)` binds a parameter and a field, both of that name.
    known = {it.name: it for it in code.header(scope).parameters}
    found = [_Slot(it.name, _type(code, it.annotation)) for it in known.values()]
    is_member = bool(found) and found[0].name in receivers
    return found[1:] if is_member or _has_outer_receiver(code, scope.span[0]) else found


def _has_outer_receiver(code: Code, first: int) -> bool:
    """Whether the object of a method is written before its name, as in Go."""
    return code.stream.words[first : first + 2] == ["func", "("]


def _arguments(index: CodeIndex, module: Module, at: int) -> list[_Slot]:
    """Return the positional arguments of a call that are names, by their last part."""
    code = module.code
    return [] if code is None else [_argument(index, module, code, it) for it in _passed(code, at)]


def _passed(code: Code, at: int) -> Iterator[Span]:
    """Yield the positional arguments of a call."""
    if code.stream.words[at + 1 : at + 2] != ["("]:
        return
    end = code.stream.closing(at + 1, len(code.stream))
    for span in split_at_commas(code.stream, at + 2, end):
        words = code.stream.words[slice(*span)]
        if "=" in words or words[0] in {"*", "**", "..."}:
            break  # what follows is passed by name, or in unknown number
        yield span


def _argument(index: CodeIndex, module: Module, code: Code, span: Span) -> _Slot:
    last, words = span[1] - 1, code.stream.words[slice(*span)]
    if len(words) == 1 and code.stream.is_literal(last):
        return _Slot("", _STRING if words[0][-1:] in _QUOTES else "", words[0])
    if words[-2:] == ["(", ")"] and len(words) > 2 and _is_chain(words[:-2]):  # noqa: PLR2004 - a name
        return _Slot(_GETTER.sub("", words[-3]), "", _shortened(words))
    if not _is_chain(words):
        return _Slot("", "", _shortened(words))
    if code.reader is not None and words[-1] in code.reader.receivers:
        own = index.values.enclosing_type(module, code.scope_at(last))
        return _Slot("", "" if own is None else own.name, words[-1])
    if not code.stream.is_name(last):
        return _Slot("", "", words[-1])
    meaning = index.meaning(module, last)
    declared = [it for it in meaning.variables if it.annotation is not None]
    if meaning.kind == "local" and len(declared) == 1 and len(words) <= 2:  # noqa: PLR2004 - `&name`
        return _Slot(words[-1], _type(code, declared[0].annotation))
    value = index.values.ending(module, last)[0]
    is_known = value.kind == "instance" and value.symbol is not None
    return _Slot(words[-1], value.symbol.name if is_known and value.symbol else "")


def _is_chain(words: list[str]) -> bool:
    return all(it.isidentifier() or it in {".", "&", "*", "mut", "->"} for it in words)


def _shortened(words: list[str]) -> str:
    """Return an expression as people write it, cut to what a message has room for."""
    text = _TIGHT.sub(r"\1", " ".join(words)).replace(" ,", ",")
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"


def _type(code: Code, annotation: Span | None) -> str:
    """Return a type as written, without references and modifiers."""
    words = [] if annotation is None else code.stream.words[slice(*annotation)]
    text = " ".join(it for it in words if it not in _MODIFIERS)
    return _STRING if text.lower() in {"str", "string"} else text


def moved_at(code: Code, at: int, before: Code) -> str:
    """Say which argument of a call was at another place before a change; empty for none.

    Calls of one name in one function are compared: what is called need not be known.
    """
    name, scope = code.stream.words[at], code.scope_at(at)
    while scope is not None and not (scope.is_function and scope.declared.name in before.scope_of):
        scope = scope.outer
    if scope is None or name.lower().startswith(_IN_ANY_ORDER):
        return ""
    new, kept = _texts(code, at), _calls(code, scope, name)
    old = _calls(before, before.scope_of[scope.declared.name], name)
    known = {place for call in old for place in enumerate(call)}
    for call in old:
        if call in kept or len(call) != len(new):
            continue
        for now, was in permutations(range(len(new)), 2):
            text, instead = new[now], new[was]
            is_new = all(instead != it for _, it in known) or instead == call[now]
            is_moved = text == call[was] and text != call[now] and (now, text) not in known
            if is_moved and is_new and text.replace(".", "").isidentifier():
                return f"passes {text} as argument {now + 1}, which was argument {was + 1} before"
    return ""


def _calls(code: Code, scope: Scope, name: str) -> list[list[str]]:
    """Return what the calls of a name in a function pass."""
    first, last = scope.span
    return [_texts(code, at) for at in code.stream.positions(name) if first < at < last]


def _texts(code: Code, at: int) -> list[str]:
    return [_shortened(code.stream.words[slice(*it)]) for it in _passed(code, at)]
