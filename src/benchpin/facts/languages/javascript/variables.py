"""The variables of JavaScript and TypeScript: what binds a name, and what its type follows from."""

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

from ._keys import EXPECTS, is_name_only

_DECLARING = frozenset({"const", "let", "var", "using"})
_MODIFIERS = frozenset(
    {
        *("public", "private", "protected", "static", "readonly", "declare", "abstract"),
        *("override", "async", "get", "set", "accessor", "export", "*", "in", "out"),
    }
)
# Modifiers that make a field of a parameter of a constructor.
_PROPERTIES = frozenset({"public", "private", "protected", "readonly", "override"})
# What a line starts with that continues the one before.
_CONTINUES = frozenset(
    {
        *(".", "?.", "?", ":", "&&", "||", "??", "+", "-", "*", "/", "|", "&", "=", "=>", ","),
        *("as", "instanceof", "in", "of", "extends"),
    }
)
# What comes before the brace of an object, not of a block.
_BEFORE_OBJECTS = frozenset({"(", ",", ":", "return", "[", "?", "||", "&&", "??", "default"})
_BEFORE_EXPRESSIONS = frozenset({"(", ",", ":", "return", "=>", "?", "||", "&&", "??", "["})


def _until(stream: TokenStream, at: int, last: int, ends: frozenset[str]) -> int:
    """Return where an expression or a type ends: at some tokens, what closes it, or a new line."""
    words, line_starts = stream.words, stream.line_starts
    first, depth = at, 0
    last = min(last, at + MAX_READ_TOKENS)
    while at < last:
        word = words[at]
        if not depth:
            if word in ends or word in CLOSING:
                return at
            is_new = at > first and at in line_starts
            if is_new and word not in _CONTINUES and words[at - 1] not in EXPECTS:
                return at
        if word in OPENING:
            depth += 1
        elif word in CLOSING:
            depth -= 1
        at += 1
    return last


def _until_outside_angles(stream: TokenStream, at: int, last: int, ends: frozenset[str]) -> int:
    """Return where a type or value ends; commas between angle brackets belong to it."""
    words, start = stream.words, at
    last = min(last, at + MAX_READ_TOKENS)
    while True:
        end = _until(stream, at, last, ends)
        angles = words[start:end].count("<") - words[start:end].count(">")
        if end >= last or angles <= 0 or words[end] in CLOSING:
            return end
        at = end + 1


def _pattern(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read the names that `{a, b: c, ...d}` and `[a, b]` bind."""
    words = stream.words
    found = []
    for here in range(at, last):
        after = words[here + 1] if here + 1 < last else ""
        if stream.is_name(here) and after != ":" and words[here - 1] not in {".", "="}:
            found.append(Variable(words[here], here))
    return found


def _parameters(stream: TokenStream, first: int, last: int) -> list[Variable]:
    words = stream.words
    found: list[Variable] = []
    at = first
    while at < last:
        end = _until_outside_angles(stream, at, last, frozenset({","}))
        is_property = False
        while at < end and (words[at] in _MODIFIERS or words[at] in {"@", "..."}):
            is_property |= words[at] in _PROPERTIES
            if words[at] == "@":
                at += 1
                while at + 1 < end and words[at + 1] == ".":
                    at += 2
                if at + 1 < end and words[at + 1] == "(":
                    at = stream.closing(at + 1, end)
            at += 1
        if at < end and words[at] in {"{", "["}:
            found += _pattern(stream, at + 1, stream.closing(at, end))
        elif at < end and stream.is_name(at):
            found += _parameter(stream, at, end, is_property=is_property)
        at = end + 1
    return found


def _parameter(stream: TokenStream, at: int, end: int, *, is_property: bool) -> list[Variable]:
    words = stream.words
    colon = at + 1 + (at + 1 < end and words[at + 1] == "?")
    annotation = None
    if colon < end and words[colon] == ":":
        stop = _until_outside_angles(stream, colon + 1, end, frozenset({"="}))
        annotation = (colon + 1, stop) if words[at - 1] != "..." else None
    found = [Variable(words[at], at, annotation)]
    if is_property:
        found.append(Variable(words[at], at, annotation, receiver="this"))
    return found


class JavaScriptVariables(VariableReader):
    """Reads the variables of JavaScript and TypeScript."""

    members = frozenset({".", "?."})
    receivers = frozenset({"this"})
    parents = frozenset({"super"})
    body_sees_members = False
    bare_members = False
    replaces_functions = True

    def binds(self, stream: TokenStream, first: int) -> bool:
        """Declarations and values of variables; not members of objects, nor arguments."""
        words = stream.words
        before = words[first - 1] if first else ""
        is_declaration = "function" in words[first : first + 2]
        return before == "=" or (is_declaration and before not in _BEFORE_EXPRESSIONS)

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Keys, members and parameters in types, and attributes of JSX are names."""
        return Key("member") if is_name_only(stream, at) else None

    def shorthand(self, stream: TokenStream, at: int) -> Key | None:
        """`{ name }` of an object; those of a block, an export or JSX look the same."""
        words = stream.words
        after = words[at + 1 : at + 2]
        if after not in ([","], ["}"]) or words[at - 1] not in {"{", ","}:
            return None
        opened = stream.enclosing(at)
        before = words[opened - 1] if opened > 0 and words[opened] == "{" else "export"
        # What imports the module has the new name, too: the key is no name of its own.
        if before == "export" or (before == "=" and words[opened - 2] == "exports"):
            return None
        if words[at - 1] == "{" and after == ["}"]:
            is_end = words[at + 2 : at + 3] in ([";"], [","], [")"], ["as"], ["satisfies"], [])
            is_object = before in _BEFORE_OBJECTS or (before == "=" and is_end)
            return Key("member") if is_object else None
        return Key("member")

    def exports(self, stream: TokenStream, at: int) -> bool:
        """`exports.name = name`."""
        words = stream.words
        return words[at - 2 : at] == ["exports", "."] and words[at + 1 : at + 3] == ["=", words[at]]

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read `function name<T>(parameters): result {`, a method, or `(parameters) =>`."""
        words, at = stream.words, first
        at += at < last and words[at] == "async"
        if at + 1 < last and words[at + 1] == "=>":
            return Header([Variable(words[at], at)], None, at + 2)
        while at < last and words[at] != "(":
            is_name_in_brackets = words[at] == "["
            at = stream.closing(at, last) + 1 if is_name_in_brackets else at + 1
        end = stream.closing(at, last)
        parameters = _parameters(stream, at + 1, end)
        result = None
        if end + 1 < last and words[end + 1] == ":":
            start = end + 2
            stop = stream.closing(start, last) + 1 if words[start] == "{" else start
            stop = _until_outside_angles(stream, stop, last, frozenset({"{", "=>"}))
            result, end = (start, stop), stop - 1
        return Header(parameters, result, min(end + 2, last))

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the fields and the signatures of methods of a class, interface or object type."""
        first, last = span
        words = stream.words
        at = first
        while at < last and words[at] != "{":
            at += 1
        end = stream.closing(at, last)
        found: list[Variable] = []
        at += 1
        while at < end:
            if at in skipped:
                at = skipped[at]
            elif words[at] == "@":
                at += 2
                if at < end and words[at] == "(":
                    at = stream.closing(at, end) + 1
            elif words[at] in _MODIFIERS and at + 1 < end and _goes_on(stream, at + 1):
                at += 1
            elif stream.is_name(at):
                field, at = _field(stream, at, end)
                found.append(field)
            elif words[at] in OPENING or words[at] == "<":
                at = _after_signature(stream, at, end)
            else:
                at += 1
        return found

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read declarations, assignments to them and to members of `this`, and `catch`."""
        at, last = span
        words = stream.words
        found: list[Variable] = []
        assigned: list[Variable] = []
        blocks: list[tuple[int, list[Variable]]] = [(at, [])]
        while at < last:
            word = words[at]
            if at in skipped:
                at = max(skipped[at], at + 1)
                continue
            if word in _DECLARING:
                bound = _declared(stream, at + 1, last)
                found += bound
                until = _loop_end(stream, at, last)
                if word != "var" and until >= 0:
                    _close(bound, at, until)
                elif word != "var":
                    blocks[-1][1].extend(bound)
            elif word == "catch" and words[at + 1 : at + 2] == ["("] and words[at - 1] == "}":
                closed = stream.closing(at + 1, last)
                bound = _pattern(stream, at + 2, closed)
                _close(bound, at, stream.closing(closed + 1, last))
                found += bound
            elif word == "=" and at > span[0] and stream.is_name(at - 1):
                assigned += _assigned(stream, at, last)
            elif word in {"{", "${"}:
                blocks.append((at, []))
            elif word == "}" and len(blocks) > 1:
                start, block = blocks.pop()
                _close(block, start, at)
            at += 1
        return found + _of_declared(assigned, found)


def _close(block: list[Variable], start: int, end: int) -> None:
    """Have variables visible in a block, also before they are declared: as an error."""
    for bound in block:
        bound.visible = (start, end)


def _loop_end(stream: TokenStream, at: int, last: int) -> int:
    """Return where the loop ends whose head declares at a position; -1 if none does."""
    words = stream.words
    if at < 2 or words[at - 1] != "(" or words[at - 2] not in {"for", "await"}:  # noqa: PLR2004 - `for (`
        return -1
    body = stream.closing(at - 1, last) + 1
    if body < last and words[body] == "{":
        return stream.closing(body, last)
    return _until(stream, body, last, frozenset({";"}))


def _of_declared(assigned: list[Variable], declared: list[Variable]) -> list[Variable]:
    """Return the assignments to variables that are declared, and to members."""
    found = []
    for target in assigned:
        near = [
            other.visible
            for other in declared
            if other.name == target.name
            if other.visible is None or other.visible[0] <= target.at < other.visible[1]
        ]
        if near and not target.receiver:
            blocks = [span for span in near if span is not None]
            target.visible = max(blocks) if blocks else None
        if near or target.receiver:
            found.append(target)
    return found


def _goes_on(stream: TokenStream, at: int) -> bool:
    """Whether a modifier is one, and not the name of a field such as `get: string`."""
    return stream.words[at] not in {":", "?", "=", "(", ";", ",", "}", "<", "!"}


def _after_signature(stream: TokenStream, at: int, last: int) -> int:
    """Return where the next member starts after `(x): T` or `[key: string]: T`."""
    words, angles = stream.words, 0
    while at < last and (angles or words[at] not in OPENING):
        angles += (words[at] == "<") - (words[at] == ">")
        at += 1
    at = stream.closing(at, last) + 1
    if at < last and words[at] == ":":
        return _until_outside_angles(stream, at + 1, last, frozenset({";", ","}))
    return at


def _field(stream: TokenStream, at: int, last: int) -> tuple[Variable, int]:
    """Read a field or the signature of a method; return it, and where the next one starts."""
    words = stream.words
    field = Variable(words[at], at)
    at += 1
    while at < last and words[at] in {"?", "!"}:
        at += 1
    ends = frozenset({";", ","})
    if at < last and words[at] in {"(", "<"}:
        while at < last and words[at] != "(":
            at += 1
        at = stream.closing(at, last) + 1
        if at < last and words[at] == ":":
            stop = _until_outside_angles(stream, at + 1, last, ends)
            field.result, at = (at + 1, stop), stop
        return field, at
    if at < last and words[at] == ":":
        stop = _until_outside_angles(stream, at + 1, last, ends | {"="})
        field.annotation, at = (at + 1, stop), stop
    if at < last and words[at] == "=":
        stop = _until_outside_angles(stream, at + 1, last, ends)
        field.value, at = (at + 1, stop), stop
    return field, at


def _declared(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read what follows `const`, `let` or `var`."""
    words = stream.words
    found: list[Variable] = []
    while at < last:
        if words[at] in {"{", "["}:
            end = stream.closing(at, last)
            found += _pattern(stream, at + 1, end)
            at = end + 1
            if at < last and words[at] == "=":
                at = _until_outside_angles(stream, at + 1, last, frozenset({";", ","}))
        elif stream.is_name(at):
            variable = Variable(words[at], at)
            found.append(variable)
            at += 1
            if at < last and words[at] in {"of", "in"}:
                items = (at + 1, _until(stream, at + 1, last, frozenset({";"})))
                variable.value, variable.is_item = (
                    (items, True) if words[at] == "of" else (None, False)
                )
                return found
            at += at < last and words[at] == "!"
            if at < last and words[at] == ":":
                stop = _until_outside_angles(stream, at + 1, last, frozenset({"=", ";", ","}))
                variable.annotation, at = (at + 1, stop), stop
            if at < last and words[at] == "=":
                stop = _until_outside_angles(stream, at + 1, last, frozenset({";", ","}))
                variable.value, at = (at + 1, stop), stop
        if at >= last or words[at] != ",":
            return found
        at += 1
    return found


def _assigned(stream: TokenStream, at: int, last: int) -> list[Variable]:
    """Read `name = value` and `this.name = value`; the position is that of the `=`."""
    words = stream.words
    before = words[at - 2] if at > 1 else ""
    value = (at + 1, _until_outside_angles(stream, at + 1, last, frozenset({";", ","})))
    if before == "." and at > 2 and words[at - 3] == "this":  # noqa: PLR2004 - `this`, a dot and a name
        return [Variable(words[at - 1], at - 1, value=value, receiver="this")]
    is_statement = before in {";", "{", "}", ")", ""} or at - 1 in stream.line_starts
    return [Variable(words[at - 1], at - 1, value=value)] if is_statement else []


VARIABLES = JavaScriptVariables()
