"""Whether a call passes two arguments in each other's place."""

import re
from dataclasses import dataclass

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Module, Symbol
from benchpin.facts.code import Span, split_at_commas

from ._misfits import Misfit, callee_at

# What does not change which type is meant.
_MODIFIERS = frozenset({"&", "*", "mut", "final", "const", "readonly", "'", "?", "ref"})
_QUOTES = frozenset({'"', "'", "`"})
_STRING = "string"
_TIGHT = re.compile(r" ?([.()\[\]]|::|->) ?")
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
    given, taken = _arguments(index, module, at), _parameters(index, callee)
    count = min(len(given), len(taken))
    for first in range(count):
        for second in range(first + 1, count):
            if _cross(given[first], given[second], taken[first], taken[second]):
                wanted = f"{taken[first].name}, {taken[second].name}"
                passed = ", ".join(it.name or it.text for it in (given[first], given[second]))
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
    # `join(path.Join(url), root)` for `join(root, path)`: one name says where it belongs, and the
    # other argument is an expression, which has no name that could say anything else.
    return all(crossing) or (any(crossing) and not (given.name and other.name))


def _fits(given: _Slot, taken: _Slot) -> bool:
    return _has_name_of(given, taken) or (bool(given.type) and given.type == taken.type)


def _has_name_of(given: _Slot, taken: _Slot) -> bool:
    return _plain(given.name) == _plain(taken.name) and len(given.name) >= _MIN_NAME_CHARS


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _parameters(index: CodeIndex, callee: Symbol) -> list[_Slot]:
    """Return the parameters that are passed by position; none if they are not all plain."""
    module = index.symbols.modules[callee.file]
    code = module.code
    scopes = [] if code is None else code.scopes_named.get(callee.name, [])
    scopes = [it for it in scopes if it.declared.name == callee.qualified]
    if code is None or code.reader is None or len(scopes) != 1:
        return []
    found = [_Slot(it.name, _type(code, it.annotation)) for it in code.header(scopes[0]).parameters]
    is_member = bool(found) and found[0].name in code.reader.receivers | {"cls"}
    return found[1:] if is_member or _has_outer_receiver(code, scopes[0].span[0]) else found


def _has_outer_receiver(code: Code, first: int) -> bool:
    """Whether the object of a method is written before its name, as in Go."""
    return code.stream.words[first : first + 2] == ["func", "("]


def _arguments(index: CodeIndex, module: Module, at: int) -> list[_Slot]:
    """Return the positional arguments of a call that are names, by their last part."""
    code = module.code
    if code is None or code.stream.words[at + 1] != "(":
        return []
    end = code.stream.closing(at + 1, len(code.stream))
    found: list[_Slot] = []
    for span in split_at_commas(code.stream, at + 2, end):
        words = code.stream.words[slice(*span)]
        if "=" in words or words[0] in {"*", "**", "..."}:
            break  # what follows is passed by name, or in unknown number
        found.append(_argument(index, module, code, span))
    return found


def _argument(index: CodeIndex, module: Module, code: Code, span: Span) -> _Slot:
    last, words = span[1] - 1, code.stream.words[slice(*span)]
    if len(words) == 1 and code.stream.is_literal(last):
        return _Slot("", _STRING if words[0][-1:] in _QUOTES else "", words[0])
    is_chain = all(it.isidentifier() or it in {".", "&", "*", "mut", "->"} for it in words)
    if not is_chain:
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


def _shortened(words: list[str]) -> str:
    """Return an expression as people write it, cut to what a message has room for."""
    text = _TIGHT.sub(r"\1", " ".join(words)).replace(" ,", ",")
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"


def _type(code: Code, annotation: Span | None) -> str:
    """Return a type as written, without references and modifiers."""
    words = [] if annotation is None else code.stream.words[slice(*annotation)]
    text = " ".join(it for it in words if it not in _MODIFIERS)
    return _STRING if text.lower() in {"str", "string"} else text
