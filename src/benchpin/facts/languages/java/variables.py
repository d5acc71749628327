"""The variables of Java: what binds a name, where it is visible, and what its type follows from."""

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

_PRIMITIVES = frozenset(
    {"boolean", "byte", "char", "double", "float", "int", "long", "short", "void"}
)
_IN_ARGUMENTS = frozenset({",", ".", "?", "extends", "super", "&", "[", "]", "<", ">", "@"})
# Names before a name that are no types: contextual keywords.
_NO_TYPES = frozenset({"yield", "when", "record", "permits", "super"})
# Statements whose variables are visible in the statement that follows the parentheses.
_HEADS = frozenset({"for", "catch", "try"})


def _type_before(stream: TokenStream, at: int) -> int:
    """Return where the type starts that ends before a position; -1 if there is none."""
    words, here = stream.words, at - 1
    if here >= 0 and words[here] == "...":
        here -= 1
    while here > 1 and words[here] == "]" and words[here - 1] == "[":
        here -= 2
    if here < 0 or words[here] in _PRIMITIVES:
        return here
    if words[here] == ">":
        here = _angle_start(stream, here) - 1
    if here < 0 or not stream.is_name(here) or words[here] in _NO_TYPES:
        return -1
    while here > 1 and words[here - 1] == "." and stream.is_name(here - 2):
        here -= 2
    return here


def _angle_start(stream: TokenStream, at: int) -> int:
    """Return where type arguments start that end at a position; -1 if these are none."""
    words, depth = stream.words, 0
    for here in range(at, max(-1, at - MAX_READ_TOKENS), -1):
        word = words[here]
        if word not in _IN_ARGUMENTS and word not in _PRIMITIVES and not stream.is_name(here):
            return -1
        depth += (word == ">") - (word == "<")
        if not depth:
            return here
    return -1


def _after_annotation(stream: TokenStream, at: int, last: int) -> int:
    """Return the position after the annotation that starts at a position."""
    words = stream.words
    at += 2
    while at + 1 < last and words[at] == "." and stream.is_name(at + 1):
        at += 2
    return stream.closing(at, last) + 1 if at < last and words[at] == "(" else at


def _parameters(stream: TokenStream, first: int, last: int) -> list[Variable]:
    words = stream.words
    found: list[Variable] = []
    for start, end in split_at_commas(stream, first, last):
        at, name = start, end - 1
        while at < end and words[at] in {"final", "@"}:
            at = at + 1 if words[at] == "final" else _after_annotation(stream, at, end)
        while name > at and words[name] == "]":
            name -= 2
        if name >= at and stream.is_name(name):
            has_type = name > at and words[at] != "var" and name == end - 1
            found.append(Variable(words[name], name, (at, name) if has_type else None))
    return found


class JavaVariables(VariableReader):
    """Reads the variables of Java."""

    members = frozenset({".", "::"})
    receivers = frozenset({"this"})
    parents = frozenset({"super"})
    body_sees_members = True
    bare_members = True
    splits_methods = True

    def binds(self, stream: TokenStream, first: int) -> bool:  # noqa: ARG002 - no function of Java is a name
        """Methods are members, and a lambda is the value of a variable."""
        return False

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Packages, labels, and the elements of annotations: `@Column(name = "x")`."""
        words = stream.words
        before, after = words[at - 1], words[at + 1 : at + 2]
        if before == "package" or (before == "{" and after == [":"]):
            return Key("label")
        if after != ["="] or before not in {"(", ","}:
            return None
        opened = start = stream.enclosing(at)
        if opened < 1 or words[opened] != "(":
            return None
        while start > 2 and words[start - 2] == ".":  # noqa: PLR2004 - a name and a dot
            start -= 2
        return Key("element", opened - 1) if words[start - 2] == "@" else None

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read `<T> Result name(parameters) throws X {`, or the parameters of a lambda."""
        words, at = stream.words, first
        if stream.is_name(at) and at + 1 < last and words[at + 1] == "->":
            return Header([Variable(words[at], at)], None, at + 2)
        generics: Generics = {}
        while at < last and words[at] not in {"(", "{", ";"}:
            if words[at] == "@":
                at = _after_annotation(stream, at, last)
            elif words[at] == "<":
                end = after_angles(stream, at, last)
                if not stream.is_name(at - 1):
                    generics = _generics(stream, at + 1, end - 1)
                at = end
            else:
                at += 1
        if at >= last or words[at] != "(":
            return Header(body=min(at + 1, last))
        end = stream.closing(at, last)
        parameters = _parameters(stream, at + 1, end)
        if end + 1 < last and words[end + 1] == "->":
            return Header(parameters, None, end + 2)
        start = _type_before(stream, at - 1) if at > first else -1
        result = (start, at - 1) if start >= first else None
        while end < last and words[end] not in {"{", ";"}:
            end += 1
        return Header(parameters, result, min(end + 1, last), generics)

    def generics(self, stream: TokenStream, first: int, last: int) -> Generics:
        """Read the type parameters of a type."""
        words, at = stream.words, first
        while at < last and words[at] not in {"{", "(", "extends", "implements"}:
            if words[at] == "@":
                at = _after_annotation(stream, at, last)
            elif words[at] == "<":
                return _generics(stream, at + 1, after_angles(stream, at, last) - 1)
            else:
                at += 1
        return {}

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the fields, the constants of an enum, and the methods without a body."""
        first, last = span
        words, at = stream.words, first
        found: list[Variable] = []
        while at < last and words[at] != "{":
            if words[at] == "@":
                at = _after_annotation(stream, at, last)
            elif words[at] == "(":  # the components of a record
                end = stream.closing(at, last)
                found += [_component(it) for it in _parameters(stream, at + 1, end)]
                at = end + 1
            else:
                at += 1
        end = stream.closing(at, last)
        at += 1
        if "enum" in words[first : at - 1]:
            named = words.index("enum", first) + 1
            constants, at = _constants(stream, at, end, (named, named + 1))
            found += constants
        return found + _members(stream, at, end, skipped)

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read declarations; each is visible to the end of its block or statement."""
        at, last = span
        words = stream.words
        found: list[Variable] = []
        blocks: list[list[Variable]] = [[]]
        while at < last:
            if at in skipped:
                at = max(skipped[at], at + 1)
                continue
            word = words[at]
            if word == "{":
                blocks.append([])
            elif word == "}" and len(blocks) > 1:
                for variable in blocks.pop():
                    variable.visible = (variable.at, at)
            elif _is_declared(stream, at):
                declared, _ = _declarators(stream, at, last)
                found += declared
                until = _statement_end(stream, at, last)
                if until >= 0:
                    for variable in declared:
                        variable.visible = (variable.at, until)
                else:
                    blocks[-1] += declared
            at += 1
        for variable in (it for block in blocks for it in block):
            variable.visible = (variable.at, last)
        return found


def _members(stream: TokenStream, at: int, end: int, skipped: Skipped) -> list[Variable]:
    """Read the fields and the methods without a body between two positions."""
    words = stream.words
    found: list[Variable] = []
    while at < end:
        start = _type_before(stream, at) if stream.is_name(at) else -1
        if at in skipped:
            at = max(skipped[at], at + 1)
        elif words[at] == "@":
            at = _after_annotation(stream, at, end)
        elif words[at] == "{":
            at = stream.closing(at, end) + 1
        elif _is_declared(stream, at):
            declared, at = _declarators(stream, at, end)
            found += declared
        elif start >= 0 and words[at + 1] == "(":
            found.append(Variable(words[at], at, result=(start, at), is_method=True))
            at = stream.closing(at + 1, end) + 1
        else:
            at += 1
    return found


def _is_declared(stream: TokenStream, at: int) -> bool:
    """Whether a name follows a type, so that it is declared there."""
    words = stream.words
    if not stream.is_name(at) or at == 0 or at + 1 >= len(words) or words[at + 1] in {"(", "."}:
        return False
    start = _type_before(stream, at)
    return start >= 0 and (start == 0 or words[start - 1] not in {"new", "@", "."})


def _component(parameter: Variable) -> Variable:
    """Return the field of a record that a parameter is; its accessor has the same name."""
    parameter.result = parameter.annotation
    return parameter


def _constants(
    stream: TokenStream, at: int, last: int, annotation: Span
) -> tuple[list[Variable], int]:
    """Read the constants of an enum; return where the rest of its body starts."""
    words = stream.words
    found: list[Variable] = []
    while at < last and words[at] != ";":
        if words[at] == "@":
            at = _after_annotation(stream, at, last)
        elif stream.is_name(at):
            found.append(Variable(words[at], at, annotation))
            at += 1
        elif words[at] in OPENING:
            at = stream.closing(at, last) + 1
        else:
            at += 1
    return found, at + 1


def _declarators(stream: TokenStream, at: int, last: int) -> tuple[list[Variable], int]:
    """Read `Type a = x, b`, from the first name on; return where it ends."""
    words = stream.words
    start = _type_before(stream, at)
    annotation = None if words[start] == "var" else (start, at)
    found: list[Variable] = []
    while True:
        variable = Variable(words[at], at, annotation)
        found.append(variable)
        at += 1
        while at < last and words[at] == "[":
            variable.annotation = None
            at = stream.closing(at, last) + 1
        if at < last and words[at] == ":":  # for (Type item : items)
            variable.value, variable.is_item = (at + 1, _value_end(stream, at + 1, last)), True
            return found, at
        if at < last and words[at] == "=":
            end = _value_end(stream, at + 1, last)
            variable.value, at = (at + 1, end), end
        if at + 1 >= last or not _is_next_declarator(stream, at):
            return found, at
        at += 1


def _is_next_declarator(stream: TokenStream, at: int) -> bool:
    words = stream.words
    is_listed = words[at] == "," and stream.is_name(at + 1)
    return is_listed and at + 2 < len(words) and words[at + 2] in {"=", ",", ";", "["}


def _value_end(stream: TokenStream, at: int, last: int) -> int:
    """Return where the value of a variable ends."""
    words = stream.words
    last = min(last, at + MAX_READ_TOKENS)
    while at < last:
        word = words[at]
        if word == ";" or word in CLOSING or _is_next_declarator(stream, at):
            return at
        at = stream.closing(at, last) + 1 if word in OPENING else at + 1
    return last


def _statement_end(stream: TokenStream, at: int, last: int) -> int:
    """Return where the statement ends whose head declares a name; -1 if no head does."""
    words, depth = stream.words, 0
    for here in range(at, max(-1, at - MAX_READ_TOKENS), -1):
        word = words[here]
        if word in {"{", "}"} and not depth:
            return -1
        depth += (word in CLOSING) - (word in OPENING)
        if depth < 0:
            is_head = word == "(" and here and words[here - 1] in _HEADS
            return _after_head(stream, here, last) if is_head else -1
    return -1


def _after_head(stream: TokenStream, opened: int, last: int) -> int:
    """Return where the statement ends that follows a head in parentheses."""
    words = stream.words
    at = stream.closing(opened, last) + 1
    while at < last and words[at] != ";":
        if words[at] == "{":
            return stream.closing(at, last)
        at = stream.closing(at, last) + 1 if words[at] in OPENING else at + 1
    return at


def _generics(stream: TokenStream, first: int, last: int) -> Generics:
    """Read `T extends Bound, U`."""
    words = stream.words
    found: Generics = {}
    for start, end in split_at_commas(stream, first, last):
        if stream.is_name(start):
            has_bound = start + 2 < end and words[start + 1] == "extends"
            stop = next((it for it in range(start, end) if words[it] == "&"), end)
            found[words[start]] = (start + 2, stop) if has_bound else None
    return found


VARIABLES = JavaVariables()
