"""Which names are written but not evaluated: keys, members and parameters in types, attributes."""

from benchpin.facts.code import TokenStream

# What a line ends with that continues in the next one.
EXPECTS = frozenset(
    {
        *("=", "=>", "(", "[", "{", ",", "?", ":", "&&", "||", "??", "+", "-", "*", "/", "|", "&"),
        *("return", "await", "new", "typeof", "as", "<"),
    }
)
# What comes before a key, the name of a parameter in a type, or a label of an element.
_BEFORE_KEYS = frozenset({"{", ",", "(", "[", "readonly"})
# What comes before the brace of a type, not of a block; an object has no signatures.
_BEFORE_TYPES = frozenset({":", "|", "&", "<", "as", "satisfies", "extends", "keyof", "=>"})
# What comes before the bracket of a mapped type: `{readonly [K in keyof T]: …}`.
_BEFORE_MAPPED = frozenset({"{", ";", "readonly", "+", "-"})
# Attributes of one element that are looked through.
_MAX_ATTRIBUTES = 64


def is_name_only(stream: TokenStream, at: int) -> bool:
    """Whether a name is a key of an object or pattern: `{key: 1}`, but not `{[key]: 1}`.

    So are members of types, names of parameters and elements in types, and attributes of JSX.
    """
    words = stream.words
    before, after = words[at - 1], words[at + 1 : at + 3]
    if after[:1] == [":"] or after == ["?", ":"]:  # `a ? b : c` has no `?:`
        return _is_before_colon(stream, at)
    if after[:1] == ["("] or after == ["?", "("]:
        return _is_signature(stream, at)
    if after[:1] == ["in"] and before == "[":
        return at > 1 and words[at - 2] in _BEFORE_MAPPED
    return after[:1] == ["="] and _is_attribute(stream, at)


def _is_before_colon(stream: TokenStream, at: int) -> bool:
    """Whether a name before a colon is a key, a member of a type, a parameter or a label in one."""
    words = stream.words
    before, opened = words[at - 1], stream.enclosing(at)
    if opened < 0:
        return False
    if before == "..." and at > 1:
        return words[at - 2] in _BEFORE_KEYS and words[opened] != "{"
    # Members of a type may have a semicolon or a new line between them; an object has commas.
    is_new = at in stream.line_starts and before not in EXPECTS
    is_member = before == ";" or is_new
    in_type = words[opened] == "{" and opened > 0 and words[opened - 1] in _BEFORE_TYPES
    return before in _BEFORE_KEYS or (is_member and in_type)


def _is_signature(stream: TokenStream, at: int) -> bool:
    """Whether a name before parentheses is a method of a type: `x: {name(): string}`."""
    words = stream.words
    before = words[at - 1]
    is_new = at in stream.line_starts and before not in EXPECTS
    if before not in {"{", ",", ";"} and not is_new:
        return False
    opened = stream.enclosing(at)
    if opened < 1 or words[opened] != "{" or words[opened - 1] not in _BEFORE_TYPES:
        return False
    end = stream.closing(at + 1 + (words[at + 1] == "?"), len(words))
    return words[end + 1 : end + 2] == [":"]


def _is_attribute(stream: TokenStream, at: int) -> bool:
    """Whether a name before an equals sign is an attribute of JSX: `<b name={1} />`."""
    words = stream.words
    for _ in range(_MAX_ATTRIBUTES):
        before = at - 1
        if before > 0 and words[before] == "}":  # `other={1}`, or `{...others}`
            opened = stream.opening(before)
            if opened < 1:
                return False
            is_value = words[opened - 1] == "="
            at = opened - 2 if is_value else opened
        elif before > 1 and stream.is_literal(before) and words[before - 1] == "=":
            at = before - 2
        elif before > 0 and stream.is_name(before):  # the element, or an attribute without a value
            first = before
            while first > 1 and words[first - 1] == ".":
                first -= 2
            if words[first - 1] == "<":
                return True
            at = before
        else:
            return False
    return False
