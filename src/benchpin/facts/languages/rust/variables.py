"""The variables of Rust: what binds a name, where it is visible, and what its type follows from."""

from collections.abc import Iterator

from benchpin.facts.code import (
    CLOSING,
    MAX_READ_TOKENS,
    OPENING,
    Generics,
    Header,
    Key,
    Skipped,
    Span,
    TokenStream,
    Variable,
    VariableReader,
    after_angles,
    split_at_commas,
)

# Patterns whose variable is what the value contains.
_HOLDERS = frozenset({"Some", "Ok"})
_MAX_ARMS = 400
_MARKS = frozenset({"&", "&&", "mut", "ref", "box"})


def _until(stream: TokenStream, at: int, last: int, ends: frozenset[str]) -> int:
    """Return where something ends: at some tokens outside of brackets, or at what closes it."""
    words = stream.words
    last = min(last, at + MAX_READ_TOKENS)
    while at < last:
        word = words[at]
        if word in ends or word in CLOSING:
            return at
        at = stream.closing(at, last) + 1 if word in OPENING else at + 1
    return last


def _pattern(stream: TokenStream, first: int, last: int, value: Span | None) -> list[Variable]:
    """Read the names that a pattern binds; the value is what it is compared with."""
    words = stream.words
    while first < last and words[first] in _MARKS:
        first += 1
    if last - first == 1 and _is_bound(stream, first, last):
        return [Variable(words[first], first, value=value)]
    found = [Variable(words[at], at) for at in range(first, last) if _is_bound(stream, at, last)]
    # `Some(x)`: x is an item of the value, not the value.
    is_held = words[first] in _HOLDERS and words[first + 1 : first + 2] == ["("]
    if is_held and len(found) == 1 and stream.closing(first + 1, last) == last - 1:
        start = first + 2
        while start < last and words[start] in _MARKS:
            start += 1
        if start == last - 2:
            found[0].value, found[0].is_item = value, True
    return found


def _is_bound(stream: TokenStream, at: int, last: int) -> bool:
    """Whether a name in a pattern is bound by it, not a constant, a type or a field."""
    words = stream.words
    if not stream.is_name(at) or not (words[at][0].islower() or words[at][0] == "_"):
        return False
    after = words[at + 1] if at + 1 < last else ""
    before = words[at - 1] if at else ""
    # Only paths, types, macros and fields have these beside them; constants begin with a capital.
    return after not in {"::", "(", "{", "!", ":", "."} and before not in {"::", "'", "."}


def _parameters(stream: TokenStream, first: int, last: int) -> list[Variable]:
    words = stream.words
    found: list[Variable] = []
    for start, end in split_at_commas(stream, first, last):
        at = start
        # Attributes: `#[cfg(test)] name: Type`.
        while at + 1 < end and words[at] == "#":
            at = stream.closing(at + 1, end) + 1
        colon = _until(stream, at, end, frozenset({":"}))
        bound = _pattern(stream, at, colon, None)
        if colon < end and len(bound) == 1:
            bound[0].annotation = (colon + 1, end)
        found += bound
    return found


class RustVariables(VariableReader):
    """Reads the variables of Rust."""

    members = frozenset({".", "::"})
    receivers = frozenset({"self"})
    parents: frozenset[str] = frozenset()
    body_sees_members = False
    bare_members = False
    splits_methods = True

    def binds(self, stream: TokenStream, first: int) -> bool:
        """Functions are declared; a closure is the value of a variable."""
        return "fn" in stream.words[first : first + 12] and stream.words[first] not in {"|", "move"}

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Fields of structs have names; what a macro does with a name, only the macro says."""
        words = stream.words
        before, after = words[at - 1], words[at + 1 : at + 2]
        if after not in ([":"], ["="]) or before not in {"(", ",", "{"}:
            return None
        opened = stream.enclosing(at)
        if opened < 1 or (after == ["="] and words[opened] != "("):
            return None
        if after == ["="]:
            return Key("unsure")
        if words[opened] != "{" or not _is_field_list(stream, opened, at):
            return None
        if stream.is_name(opened - 1):
            return Key("field", opened - 1)
        return Key("field" if words[opened - 1] == ">" else "unsure")

    def shorthand(self, stream: TokenStream, at: int) -> Key | None:
        """`Type { name }` and the pattern of that form."""
        words = stream.words
        if words[at + 1 : at + 2] not in ([","], ["}"]) or words[at - 1] not in {"{", ","}:
            return None
        opened = stream.enclosing(at)
        is_typed = opened > 0 and words[opened] == "{" and stream.is_name(opened - 1)
        return Key("field", opened - 1) if is_typed else None

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read `fn name<T: Bound>(parameters) -> Result where … {`, or a closure."""
        words = stream.words
        at = _until(stream, first, last, frozenset({"fn", "|", "||"}))
        if at < last and words[at] == "||":
            return Header(body=at + 1)
        if at < last and words[at] == "|":
            end = _until(stream, at + 1, last, frozenset({"|"}))
            return Header(_parameters(stream, at + 1, end), body=min(end + 1, last))
        at += 2
        generics: Generics = {}
        if at < last and words[at] == "<":
            end = after_angles(stream, at, last)
            generics = _generics(stream, at + 1, end - 1)
            at = end
        if at >= last or words[at] != "(":
            return Header(body=last)
        end = stream.closing(at, last)
        parameters = _parameters(stream, at + 1, end)
        stop = _until(stream, end + 1, last, frozenset({"{", ";", "where"}))
        has_result = end + 1 < stop and words[end + 1] == "->"
        result = (end + 2, stop) if has_result else None
        if stop < last and words[stop] == "where":
            start, stop = stop + 1, _until(stream, stop + 1, last, frozenset({"{", ";"}))
            bounds = _generics(stream, start, stop)
            # A longer name may be one of the type around, or a type that is no parameter.
            generics |= {it: bound for it, bound in bounds.items() if it in generics or len(it) < 3}  # noqa: PLR2004
        return Header(parameters, result, min(stop + 1, last), generics)

    def generics(self, stream: TokenStream, first: int, last: int) -> Generics:
        """Read the type parameters of a type."""
        words = stream.words
        at = _until(stream, first, last, frozenset({"<", "{", "(", ";", "="}))
        if at >= last or words[at] != "<":
            return {}
        return _generics(stream, at + 1, after_angles(stream, at, last) - 1)

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the fields of a struct, the variants of an enum, the signatures of a trait."""
        first, last = span
        words, at = stream.words, first
        while at < last and words[at] not in {"struct", "enum", "union", "trait", "type"}:
            at = stream.closing(at, last) + 1 if words[at] in OPENING else at + 1
        kind, named = (words[at] if at < last else "type"), at + 1
        if kind == "type":
            return []
        while at < last and words[at] not in {"{", "(", ";"}:
            at = after_angles(stream, at, last) if words[at] == "<" else at + 1
        if at >= last or words[at] == ";":
            return []
        end = stream.closing(at, last)
        if kind == "trait":
            return list(_signatures(stream, at + 1, end, skipped))
        return list(_fields(stream, (at + 1, end), kind, named))

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read `let`, `for`, the arms of `match`, constants; each with where it is visible."""
        at, last = span
        words = stream.words
        found: list[Variable] = []
        blocks: list[list[Variable]] = [[]]
        is_file = at == 0
        while at < last:
            if at in skipped:
                at = max(skipped[at], at + 1)
                continue
            word = words[at]
            if word == "{":
                blocks.append([])
            elif word == "}" and len(blocks) > 1:
                _close(blocks.pop(), at)
            elif word == "let":
                bound, is_block = _let(stream, at, last)
                found += bound
                if is_block:
                    blocks[-1] += bound
            elif word in {"for", "match", "const", "static"}:
                found += _bound_at(stream, at, last)
            elif word == "impl" and is_file:  # constants of a type are none of the file
                opened = _until(stream, at, last, frozenset({"{", ";"}))
                at = stream.closing(opened, last) if opened < last else last
            at += 1
        for block in blocks:
            _close(block, last)
        return found


def _is_field_list(stream: TokenStream, opened: int, at: int) -> bool:
    """Whether braces have fields up to a position; a bound after `where` looks the same."""
    words, here = stream.words, opened + 1
    while here < at:
        if words[here] in {";", "where", "fn", "let"}:
            return False
        here = stream.closing(here, at) + 1 if words[here] in OPENING else here + 1
    return True


def _fields(stream: TokenStream, span: Span, kind: str, named: int) -> Iterator[Variable]:
    """Yield the fields of a struct or the variants of an enum; the type is named at a position."""
    words = stream.words
    for number, (start, stop) in enumerate(split_at_commas(stream, *span)):
        at = _after_attributes(stream, start, stop)
        if at >= stop:
            continue
        if kind == "enum":
            made = (named, named + 1)
            yield Variable(words[at], at, annotation=made, result=made)
        elif words[span[0] - 1] == "(":
            yield Variable(str(number), at, annotation=(at, stop))
        elif stream.is_name(at):
            yield Variable(words[at], at, annotation=(at + 2, stop))


def _bound_at(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read what a `for`, `match`, `const` or `static` at a position binds."""
    word = stream.words[at]
    if word == "for":
        return _for(stream, at, last)
    return _arms(stream, at, last) if word == "match" else _constant(stream, at, last)


def _close(block: list[Variable], at: int) -> None:
    for variable in block:
        start = variable.visible[0] if variable.visible is not None else variable.at
        variable.visible = (start, at)


def _let(stream: TokenStream, at: int, last: int) -> tuple[list[Variable], bool]:
    """Read a `let`; return its variables, and whether they are visible in the rest of the block."""
    words = stream.words
    # In `if let` the names are visible in the block that follows, else to the end of this one.
    is_condition = at > 0 and words[at - 1] in {"if", "while", "&&"}
    equals = _until(stream, at + 1, last, frozenset({"=", ";"}))
    colon = _until(stream, at + 1, equals, frozenset({":"}))
    ends = frozenset({"{", "&&"}) if is_condition else frozenset({";", "else"})
    end = equals
    if equals < last and words[equals] == "=":
        end = _until(stream, equals + 1, last, ends)
        if not is_condition and end < last and words[end] == "{":
            end = last
    value = (equals + 1, end) if equals < end else None
    bound = _pattern(stream, at + 1, colon, value)
    if colon < equals and len(bound) == 1:
        bound[0].annotation = (colon + 1, equals)
    until = last
    if is_condition:
        block = end
        while block < last and words[block] != "{":
            block = _until(stream, block + 1, last, frozenset({"{"}))
        until = stream.closing(block, last) if block < last else last
    for variable in bound:
        variable.visible = (end, until)
    return bound, not is_condition


def _for(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read `for pattern in value {`; one of a type, as in `impl A for B`, has no `in`."""
    words = stream.words
    near = _until(stream, at + 1, last, frozenset({"in", "{", ";"}))
    if near >= last or words[near] != "in":
        return []
    opened = _until(stream, near + 1, last, frozenset({"{"}))
    bound = _pattern(stream, at + 1, near, (near + 1, opened))
    for variable in bound:
        variable.is_item = variable.value is not None and not variable.is_item
        variable.value = variable.value if variable.is_item else None
        variable.visible = (opened, stream.closing(opened, last))
    return bound


def _arms(stream: TokenStream, at: int, last: int) -> list[Variable]:
    words = stream.words
    opened = _until(stream, at + 1, last, frozenset({"{"}))
    if opened >= last or words[opened] != "{":
        return []
    subject, end = (at + 1, opened), stream.closing(opened, last)
    found: list[Variable] = []
    at = opened + 1
    for _ in range(_MAX_ARMS):
        arrow = _until(stream, at, end, frozenset({"=>"}))
        if arrow >= end or words[arrow] != "=>":
            break
        guard = _until(stream, at, arrow, frozenset({"if"}))
        body = arrow + 1
        is_block = body < end and words[body] == "{"
        stop = stream.closing(body, end) + 1 if is_block else _arm_end(stream, body, end)
        start = _after_attributes(stream, at, guard)
        for variable in _pattern(stream, start, guard, subject) if start < guard else ():
            variable.visible = (at, stop)
            found.append(variable)
        at = stop + (stop < end and words[stop] == ",")
    return found


def _arm_end(stream: TokenStream, at: int, last: int) -> int:
    words = stream.words
    while at < last and words[at] != ",":
        at = stream.closing(at, last) + 1 if words[at] in OPENING else at + 1
    return at


def _constant(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read `const NAME: Type = value;`."""
    words = stream.words
    named = at + 1 + (at + 1 < last and words[at + 1] == "mut")
    if named + 1 >= last or not stream.is_name(named) or words[named + 1] != ":":
        return []
    end = _until(stream, named + 2, last, frozenset({"=", ";"}))
    return [Variable(words[named], named, annotation=(named + 2, end))]


def _after_attributes(stream: TokenStream, at: int, last: int) -> int:
    """Return the position after attributes and `pub(…)`."""
    words = stream.words
    while at < last:
        if words[at] == "#" and at + 1 < last:
            at = stream.closing(at + 1, last) + 1
        elif words[at] == "pub":
            is_limited = at + 1 < last and words[at + 1] == "("
            at = stream.closing(at + 1, last) + 1 if is_limited else at + 1
        else:
            break
    return at


def _signatures(stream: TokenStream, at: int, end: int, skipped: Skipped) -> Iterator[Variable]:
    """Yield the functions of a trait that have no body."""
    words = stream.words
    while at < end:
        if at in skipped:
            at = max(skipped[at], at + 1)
        elif words[at] == "fn" and at + 1 < end:
            stop = _until(stream, at, end, frozenset({";"}))
            closed = next((it for it in range(at, stop) if words[it] == "->"), stop)
            where = next((it for it in range(closed, stop) if words[it] == "where"), stop)
            result = (closed + 1, where) if closed + 1 < where else None
            yield Variable(words[at + 1], at + 1, result=result, is_method=True)
            at = stop + 1
        else:
            at += 1


def _generics(stream: TokenStream, first: int, last: int) -> Generics:
    """Read `'a, T: Bound + 'a, const N: usize` and the conditions after `where`."""
    words = stream.words
    found: Generics = {}
    for start, end in split_at_commas(stream, first, last):
        if stream.is_name(start) and (start + 1 == end or words[start + 1] in {":", "="}):
            has_bound = start + 2 < end and words[start + 1] == ":" and words[start + 2] != "'"
            stop = next((it for it in range(start, end) if words[it] in {"+", "="}), end)
            found[words[start]] = (start + 2, stop) if has_bound else None
    return found


VARIABLES = RustVariables()
