"""The variables of Go: what binds a name, and what its type follows from."""

from dataclasses import replace

from benchpin.facts.code import (
    CLOSING,
    MAX_READ_TOKENS,
    OPENING,
    Header,
    Key,
    Skipped,
    Span,
    TokenStream,
    Variable,
    VariableReader,
)


def _items(stream: TokenStream, first: int, last: int) -> list[Span]:
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

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Keys of a struct are its fields; those of maps, slices and arrays are expressions."""
        words = stream.words
        if words[at - 1] == "package":
            return Key("label")
        if _is_unnamed_field(stream, at):
            return Key("field")
        if words[at + 1 : at + 2] != [":"] or words[at - 1] not in {"{", ","}:
            return None
        opened = stream.enclosing(at)
        if opened < 0 or words[opened] != "{" or _is_case(stream, opened, at):
            return None
        if at in stream.line_starts and at + 2 in stream.line_starts:
            return Key("label")  # a label
        span = _literal_type(stream, opened)
        if span is None:
            return Key("unsure")
        first, last = span
        if words[first] in {"map", "["}:
            return None
        if words[first] == "struct":
            return Key("field")
        end = next((it for it in range(first, last) if words[it] == "["), last)
        return Key("unsure", end - 1)

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
        """Read `:=`, `var`, `const` and `range`; each is visible to the end of its block."""
        at, last = span
        words, is_file = stream.words, at == 0
        found: list[Variable] = []
        blocks: list[list[Variable]] = [[]]
        while at < last:
            if at in skipped:
                at = max(skipped[at], at + 1)
                continue
            word = words[at]
            if word == "{":
                blocks.append([])
            elif word in {"case", "default"} or (word == "}" and len(blocks) > 1):
                _close(blocks.pop(), at)
                if word != "}":  # each case is a block
                    blocks.append([])
            elif word == ":=":
                bound = _short(stream, at, last)
                found += bound
                until = _statement_end(stream, at, last, skipped)
                _close(bound, until)
                blocks[-1] += bound if until < 0 else []
            elif word in {"var", "const"}:
                bound = _declared(stream, at + 1, last)
                found += bound
                blocks[-1] += bound
            at += 1
        _close([it for block in blocks for it in block], last)
        return [replace(it, visible=None) for it in found] if is_file else found


def _close(block: list[Variable], at: int) -> None:
    """Have the variables of a block visible to its end: after the statement that binds them."""
    for bound in block:
        bound.visible = (bound.at + 1 if bound.visible is None else bound.visible[0], at)


def _statement_end(stream: TokenStream, at: int, last: int, skipped: Skipped) -> int:
    """Return where the `if`, `for` or `switch` ends whose head has a `:=`; -1 if none has it."""
    words, here = stream.words, at - 1
    while here > 1 and words[here - 1] == ",":
        here -= 2
    if words[here - 1] not in {"if", "for", "switch"}:
        return -1
    while at < last:
        at = _body(stream, at, last, skipped)
        at = stream.closing(at, last) + 1
        if at >= last or words[at] != "else":
            return at
    return last


def _body(stream: TokenStream, at: int, last: int, skipped: Skipped) -> int:
    """Return where the brace of a body is, after the functions and literals in its head."""
    words = stream.words
    while at < last:
        if at in skipped:
            at = max(skipped[at], at + 1)
            continue
        if words[at] == "{":
            after = stream.closing(at, last) + 1
            is_body = after >= last or after in stream.line_starts
            if is_body or words[after] in {"else", "}", ")", ";", ","}:
                return at
        at = stream.closing(at, last) + 1 if words[at] in OPENING else at + 1
    return last


def _is_unnamed_field(stream: TokenStream, at: int) -> bool:
    """Whether `name Type` declares a field of a struct; an embedded type is alone on its line."""
    words, after = stream.words, at + 1
    is_first = at in stream.line_starts or words[at - 1] in {"{", ";", ","}
    if (
        not is_first
        or after in stream.line_starts
        or words[after : after + 1] in ([], ["}"], ["."])
    ):
        return False
    opened = stream.enclosing(at)
    is_struct = opened > 0 and words[opened] == "{" and words[opened - 1] == "struct"
    return is_struct and words[after] != ";" and not stream.is_literal(after)


def _is_case(stream: TokenStream, opened: int, at: int) -> bool:
    """Whether a position is in the list of a `case`, between the braces of a `switch`."""
    words, here = stream.words, at - 1
    while here > opened:
        if words[here] in {"case", ":"}:
            return words[here] == "case"
        here = stream.opening(here) - 1 if words[here] in CLOSING else here - 1
    return False


def _literal_type(stream: TokenStream, opened: int) -> Span | None:
    """Return the type of the literal whose brace is at a position: `map[K]V`, `pkg.T[A]`.

    That of a literal inside another one may be left out: `[]T{{…}}`.
    """
    words, at = stream.words, opened - 1
    if words[at] in {"{", ",", ":"}:
        outer = stream.enclosing(opened)
        around = _literal_type(stream, outer) if outer > 0 and words[outer] == "{" else None
        is_key = words[stream.closing(opened, len(stream)) + 1 :][:1] == [":"]
        return None if around is None else _inner_type(stream, around, is_key=is_key)
    if words[at] == "}" and words[stream.opening(at) - 1] in {"struct", "interface"}:
        at = stream.opening(at) - 1
    else:
        if words[at] == "]":
            at = stream.opening(at) - 1
        if at < 0 or not stream.is_name(at):
            return None
        at -= 2 * (words[at - 1] == ".")
    while True:
        start = at - (words[at - 1] == "*")
        if words[start - 1] != "]":
            return at, opened
        at = stream.opening(start - 1)
        at -= words[at - 1] == "map"


def _inner_type(stream: TokenStream, span: Span, *, is_key: bool) -> Span | None:
    """Return the type of the values, or keys, of a map, slice or array; None if it has a name."""
    first, last = span
    words, at = stream.words, first + (stream.words[first] == "map")
    if words[at] != "[":
        return None
    closed = stream.closing(at, last)
    first, last = (at + 1, closed) if is_key else (closed + 1, last)
    first += first < last and words[first] == "*"
    return (first, last) if first < last else None


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
    found = [Variable(words[it], it, visible=(end, end)) for it in names]
    if words[at + 1] == "range":
        near = range(at + 2, min(last, at + MAX_READ_TOKENS))
        end = next((it for it in near if words[it] == "{"), end)
        for bound in found:
            bound.visible = (end, end)
        found[0].value, found[0].is_key = (at + 2, end), True
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
    found = [Variable(words[it], it, annotation, visible=(end, end)) for it in names]
    if len(found) == 1 and equals < end:
        found[0].value = (equals + 1, end)
    return found


VARIABLES = GoVariables()
