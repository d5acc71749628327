"""Which symbol a line outside of functions belongs to: a variable, or what it decorates."""

from collections.abc import Sequence

from benchpin.code.names import Module, Symbol
from benchpin.facts.code import CLOSING, OPENING


def variable_at(module: Module, line: int) -> Symbol | None:
    """Return the variable of a file that a line outside of functions and types gives a value."""
    before = [it for it in module.variables if it.line <= line]
    nearest = max(before, key=lambda it: it.line, default=None)
    if nearest is None:
        return None
    starts = (it.line for it in module.symbols.values())
    return None if any(nearest.line < it <= line for it in starts) else nearest


def decorated_at(module: Module, line: int) -> Symbol | None:
    """Return the function or type whose decorators have a line, as `parametrize` does."""
    code = module.code
    scope = None if code is None else code.scope_after_line(line)
    if code is None or scope is None:
        return None
    words, at = code.stream.words, scope.declared.first_token
    while at and (start := _decorator_before(words, at)) is not None:
        at = start
    is_inside = at < scope.declared.first_token and code.stream.line(at) <= line
    return module.symbols.get(scope.declared.name) if is_inside else None


def _decorator_before(words: Sequence[str], at: int) -> int | None:
    """Return where the decorator that ends before a token starts; None if there is none."""
    here = at - 1
    if words[here] == ")":
        depth = 0
        while here >= 0:
            depth += (words[here] in CLOSING) - (words[here] in OPENING)
            if not depth:
                break
            here -= 1
        here -= 1
    while here >= 1 and words[here - 1] in {".", "@"}:
        if words[here - 1] == "@":
            return here - 1
        here -= 2
    return None
