"""The variables of Go: what binds a name, and what its type follows from."""

from benchpin.engines.source.token_stream import CLOSING, OPENING, TokenStream
from benchpin.engines.source.variables import (
    MAX_READ_TOKENS,
    Header,
    Skipped,
    Span,
    Variable,
    VariableReader,
)

_TYPE_STARTS = frozenset({"*", "[", "map", "chan", "func", "interface", "struct", "...", "<-"})


def _items(stream: TokenStream, first: int, last: int) -> list[Span]:
    """Split a list at its commas."""
    words, depth, start = stream.words, 0, first
    found: list[Span] = []
    for at in range(first, last):
        if words[at] in OPENING:
            depth += 1
        elif words[at] in CLOSING:
            depth -= 1
        elif words[at] == "," and not depth:
            found.append((start, at))
            start = at + 1
    return [it for it in [*found, (start, last)] if it[0] < it[1]]


def _parameters(stream: TokenStream, first: int, last: int) -> list[Variable]:
    """Read `a, b T, c ...U`: names without a type have that of the next one."""
    words = stream.words
    found: list[Variable] = []
    waiting: list[Variable] = []
    for start, end in _items(stream, first, last):
        if not stream.is_name(start):
            waiting.clear()
            continue
        variable = Variable(words[start], start)
        waiting.append(variable)
        if end - start > 1 and words[start + 1] != ".":
            is_rest = words[start + 1] == "..."
            for parameter in waiting:
                parameter.annotation = None if is_rest else (start + 1, end)
            found += waiting
            waiting = []
    return found


class GoVariables(VariableReader):
    """Reads the variables of Go."""

    members = frozenset({"."})
    receivers: frozenset[str] = frozenset()
    parents: frozenset[str] = frozenset()
    body_sees_members = False
    bare_members = False

    def binds(self, stream: TokenStream, first: int) -> bool:
        """Functions are declared; a literal of a function has no name, nor has `_`."""
        return stream.words[first] == "func" and stream.words[first + 1] != "_"

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read `func (receiver) name(parameters) result {`."""
        words, at = stream.words, first
        found = Header(body=last)
        while at < last and words[at] != "{":
            if words[at] == "(":
                end = stream.closing(at, last)
                found.parameters += _parameters(stream, at + 1, end)
                at = end + 1
                is_receiver = at < last and stream.is_name(at) and words[at + 1] in {"(", "["}
                if not is_receiver:
                    break
            elif words[at] == "[":
                at = stream.closing(at, last) + 1
            else:
                at += 1
        start = at
        while at < last and words[at] != "{":
            at = stream.closing(at, last) + 1 if words[at] in OPENING else at + 1
        if start < at:
            found.result = _first_result(stream, start, at)
            if words[start] == "(":  # `(value T, err error)` are variables
                found.parameters += _parameters(stream, start + 1, at - 1)
        found.body = min(at + 1, last)
        return found

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:  # noqa: ARG002 - types of Go have no methods inside
        """Read the fields of a struct and the methods of an interface."""
        first, last = span
        words, at = stream.words, first
        while at < last and words[at] != "{":
            at += 1
        end = stream.closing(at, last)
        found: list[Variable] = []
        at += 1
        while at < end:
            stop = at + 1
            while stop < end and stop not in stream.line_starts and words[stop] != ";":
                stop = stream.closing(stop, end) + 1 if words[stop] in OPENING else stop + 1
            found += _field(stream, at, min(stop, end))
            at = stop + (stop < end and words[stop] == ";")
        return found

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read `:=`, `var`, `const` and `range`."""
        at, last = span
        words = stream.words
        found: list[Variable] = []
        while at < last:
            if at in skipped:
                at = max(skipped[at], at + 1)
                continue
            if words[at] == ":=":
                found += _short(stream, at, last)
            elif words[at] in {"var", "const"}:
                found += _declared(stream, at + 1, last)
            at += 1
        return found


def _first_result(stream: TokenStream, start: int, end: int) -> Span | None:
    """Return the first type of a result: `(*T, error)` is used as a T."""
    if stream.words[start] != "(":
        return (start, end)
    items = _items(stream, start + 1, end - 1)
    if not items:
        return None
    first, stop = items[0]
    is_named = stop - first > 1 and stream.is_name(first) and stream.words[first + 1] != "."
    return (first + 1, stop) if is_named else (first, stop)


def _field(stream: TokenStream, at: int, end: int) -> list[Variable]:
    """Read `a, b T`, an embedded `pkg.T`, or the method `M(x T) R` of an interface."""
    words = stream.words
    if not stream.is_name(at):
        at += words[at] == "*"
    if at >= end or not stream.is_name(at):
        return []
    if at + 1 < end and words[at + 1] == "(":
        closed = stream.closing(at + 1, end)
        result = _first_result(stream, closed + 1, end) if closed + 1 < end else None
        return [Variable(words[at], at, result=result)]
    names = [at]
    here = at + 1
    while here + 1 < end and words[here] == ",":
        names.append(here + 1)
        here += 2
    if here >= end or words[here] == ".":
        return [Variable(words[end - 1], end - 1, annotation=(at, end))]
    stop = end
    while stop - 1 > here and stream.is_literal(stop - 1):
        stop -= 1
    return [Variable(words[it], it, annotation=(here, stop)) for it in names]


def _line_end(stream: TokenStream, at: int, last: int) -> int:
    """Return where a statement ends: at the end of its line, outside of brackets."""
    words, start = stream.words, at
    last = min(last, at + MAX_READ_TOKENS)
    while at < last:
        word = words[at]
        if word in {";", "{"} and (word == ";" or at == start or not _is_literal(stream, at)):
            return at
        if word in CLOSING:
            return at
        if at > start and at in stream.line_starts and words[at - 1] not in {".", ",", "=", ":="}:
            return at
        at = stream.closing(at, last) + 1 if word in OPENING else at + 1
    return last


def _is_literal(stream: TokenStream, at: int) -> bool:
    """Whether a brace opens a literal such as `T{…}`, not a block."""
    before = at - 1
    return before >= 0 and (stream.is_name(before) or stream.words[before] in {"]", "}"})


def _short(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read `a, b := value`; the position is that of the `:=`."""
    words = stream.words
    names = [at - 1] if at and stream.is_name(at - 1) else []
    here = at - 2
    while here > 0 and words[here] == "," and stream.is_name(here - 1):
        names.insert(0, here - 1)
        here -= 2
    end = _line_end(stream, at + 1, last)
    found = [Variable(words[it], it) for it in names]
    if words[at + 1] == "range":
        near = range(at + 2, min(last, at + MAX_READ_TOKENS))
        end = next((it for it in near if words[it] == "{"), end)
        if len(found) == 2:  # noqa: PLR2004 - an index and an item
            found[1].value, found[1].is_item = (at + 2, end), True
    elif found and len(_items(stream, at + 1, end)) in {1, len(found)}:
        for variable, value in zip(found, _items(stream, at + 1, end), strict=False):
            variable.value = value
    return found


def _declared(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read what follows `var` or `const`, one or a list in parentheses."""
    words = stream.words
    if at < last and words[at] == "(":
        end = stream.closing(at, last)
        starts = [it for it in range(at + 1, end) if it in stream.line_starts]
        found: list[Variable] = []
        for start in starts:
            if stream.is_name(start):
                found += _declared(stream, start, end)
        return found
    names = []
    while at < last and stream.is_name(at):
        names.append(at)
        if at + 1 >= last or words[at + 1] != ",":
            at += 1
            break
        at += 2
    end = _line_end(stream, at, last)
    equals = next((it for it in range(at, end) if words[it] == "="), end)
    annotation = (at, equals) if at < equals else None
    found = [Variable(words[it], it, annotation) for it in names]
    if len(found) == 1 and equals < end:
        found[0].value = (equals + 1, end)
    return found


VARIABLES = GoVariables()
