"""Find the bounds of expressions in tokens."""

from benchpin.engines.source.variables import Span

from .code import Code, Scope


def generic_start(words: list[str], at: int) -> int:
    """Return where the type arguments start that end at a position: `<A, B<C>>`."""
    depth = 0
    for here in range(at, max(-1, at - 40), -1):
        depth += (words[here] == ">") - (words[here] == "<")
        if not depth:
            return here
    return at


def returned(code: Code, scope: Scope, body: int) -> list[Span]:
    """Return the expressions that a function returns, outside of inner functions."""
    words, last = code.stream.words, scope.declared.last_token
    inner = dict(it.span for it in scope.inner)
    found: list[Span] = []
    at, depth = body, 0
    start = -1
    while at < last:
        if start >= 0 and not depth and at in code.stream.line_starts:
            found.append((start, at))
            start = -1
        if at in inner:
            at = inner[at]
            continue
        word = words[at]
        depth += (word in {"(", "[", "{"}) - (word in {")", "]", "}"})
        if word == "yield":
            return []
        if word == "return" and not depth:
            start = at + 1
        at += 1
    if start >= 0:
        found.append((start, last))
    none = {"None"}
    return [it for it in found if it[1] > it[0] and set(words[it[0] : it[1]]) != none]


def is_type_parameter(name: str) -> bool:
    """Whether a name is that of a type parameter, by convention."""
    return len(name) <= 2 and name.isupper()  # noqa: PLR2004 - T, K, V, TS


def is_key(code: Code, at: int) -> bool:
    """Whether a name is that of an argument or the key of an object, not a use."""
    words = code.stream.words
    if at and words[at - 1] == "package":
        return True
    if at == 0 or at + 1 >= len(words) or words[at - 1] not in {"(", ",", "{"}:
        return False
    if words[at + 1] == "=":
        opened = _enclosing_bracket(words, at)
        return opened >= 0 and words[opened] == "("
    return words[at + 1] == ":" and words[at - 1] in {"{", ","} and _is_in_braces(words, at)


def _is_in_braces(words: list[str], at: int) -> bool:
    opened = _enclosing_bracket(words, at)
    return opened >= 0 and words[opened] == "{"


def _enclosing_bracket(words: list[str], at: int, near: int = 1_000) -> int:
    depth = 0
    for here in range(at - 1, max(-1, at - near), -1):
        word = words[here]
        if word in {")", "]", "}"}:
            depth += 1
        elif word in {"(", "[", "{"}:
            if not depth:
                return here
            depth -= 1
    return -1


def cast_type(words: list[str], opened: int, closed: int) -> Span | None:
    """Return the type of `(x as Foo)`."""
    at = next((it for it in range(closed - 1, opened, -1) if words[it] == "as"), -1)
    return (at + 1, closed) if at > 0 else None
