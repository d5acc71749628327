"""Read declared types from their tokens: `Foo | None`, `list[Foo]`, `map[K]*pkg.Foo`, `"Foo"`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_TOKEN = re.compile(r"\w+|[^\s\w]")
_STRING = re.compile(r"""^[a-zA-Z]{0,2}(['"])(.*)\1$""", re.DOTALL)
_PREFIXES = frozenset(
    {*("*", "&", "&&", "mut", "dyn", "impl", "const", "readonly", "final", "...", "unique", "ref")}
)
_NOTHING = frozenset({"None", "null", "undefined", "nil", "void", "never"})
_OPENS, _CLOSES = frozenset("[<({"), frozenset("]>)}")
_PATH = frozenset({".", "::"})
_OTHER_TYPES = frozenset({"map", "chan", "<-", "["})
_MAX_TOKENS = 60


@dataclass(frozen=True, slots=True)
class TypeName:
    """One named type with its arguments."""

    parts: tuple[str, ...]
    arguments: "tuple[TypeName, ...]" = ()
    is_list: bool = False
    """Whether it is an array of the type, as in `Foo[]` and `[]Foo`."""


def read_type(words: Sequence[str]) -> TypeName | None:
    """Return the one type that a declaration names, or that with nothing; None for others."""
    if len(words) == 1 and (quoted := _STRING.match(words[0])):
        words = _TOKEN.findall(quoted[2])
    if not words or len(words) > _MAX_TOKENS:
        return None
    words = _split(words, "+")[0]  # `dyn Trait + Send`
    found = [it for it in map(_read_one, _split(words, "|")) if it is None or it.parts]
    return found[0] if len(found) == 1 else None


def _split(words: Sequence[str], mark: str) -> list[Sequence[str]]:
    parts: list[Sequence[str]] = []
    depth = start = 0
    for at, word in enumerate(words):
        if word in _OPENS:
            depth += 1
        elif word in _CLOSES:
            depth -= 1
        elif word == mark and not depth:
            parts.append(words[start:at])
            start = at + 1
    parts.append(words[start:])
    return parts


def _read_one(words: Sequence[str]) -> TypeName | None:
    """Read one alternative; one without parts is nothing, such as `None`."""
    words, is_list = _without_prefixes(words)
    if len(words) == 1 and words[0] in _NOTHING:
        return TypeName(())
    quoted = _STRING.match(words[0]) if len(words) == 1 else None
    if quoted is not None:
        return read_type(_TOKEN.findall(quoted[2]))
    if words and words[0] in _OTHER_TYPES:
        return _read_slice(words) if words[0] == "[" else _read_map(words, is_list=is_list)
    end = 0
    while end < len(words) and (end % 2 == 0 or words[end] in _PATH):
        end += 1
    parts = tuple(words[0:end:2])
    if not end % 2 or not all(it.isidentifier() for it in parts):
        return None
    rest = list(words[end:])
    if rest[-2:] == ["[", "]"] and rest != ["[", "]", "[", "]"]:
        is_list, rest = True, rest[:-2]
    if rest and rest[-1] in {"?", "..."}:
        is_list = is_list or rest[-1] == "..."
        rest.pop()
    if not rest:
        return TypeName(parts, (), is_list)
    if rest[0] not in {"[", "<"} or rest[-1] not in {"]", ">"}:
        return None
    listed = (it for it in _split(rest[1:-1], ",") if it and it[0] != "'")
    given = tuple(read_type(it) for it in listed)
    return TypeName(parts, tuple(it or TypeName(("?",)) for it in given), is_list)


def _read_map(words: Sequence[str], *, is_list: bool) -> TypeName | None:
    """Read `map[K]V` of Go, and `chan T`, which loops give the T of as if it were the key."""
    unknown = TypeName(("?",))
    if words[0] != "map":
        item = read_type([it for it in words if it not in {"chan", "<-"}]) or unknown
        return TypeName(("map",), (item, item), is_list)
    depth, end = 0, 0
    for end in range(1, len(words)):
        depth += (words[end] == "[") - (words[end] == "]")
        if not depth:
            break
    key, value = read_type(words[2:end]), read_type(words[end + 1 :])
    return TypeName(("map",), (key or unknown, value or unknown), is_list)


def _read_slice(words: Sequence[str]) -> TypeName | None:
    """Read `[T]` or `[T; 4]` of Rust."""
    if words[-1] != "]":
        return None
    inner = read_type(_split(words[1:-1], ";")[0])
    return None if inner is None or inner.is_list else replace(inner, is_list=True)


def _without_prefixes(words: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Return a type without `*`, `&mut`, `[]` and the like, and whether it is a list."""
    at = 0
    is_list = False
    while at < len(words):
        if words[at] in _PREFIXES:
            at += 1
        elif words[at] == "?":
            at += 1 + (words[at + 1 : at + 2] in (["extends"], ["super"]))
        elif words[at].startswith("'"):  # a lifetime, in one token or two
            at += 1 + (words[at] == "'")
        elif list(words[at : at + 2]) == ["[", "]"]:
            is_list, at = True, at + 2
        else:
            break
    return words[at:], is_list
