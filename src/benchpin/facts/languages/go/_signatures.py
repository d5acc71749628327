"""Signatures of Go in one spelling, to tell whether a method is the one of an interface.

Types are identical where their tokens are, once each name says which type it means, and names of
parameters and results are left out: `(p string) (n int, err error)` is `func(string)(int,error)`.
"""

from benchpin.facts.code import OPENING, ResolveType, TokenStream

_SPELLINGS = {"any": "interface{}", "byte": "uint8", "rune": "int32"}
_INTEGERS = "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune"
_OTHERS = "any bool comparable complex64 complex128 error float32 float64 string"
_BASIC = frozenset(f"{_INTEGERS} {_OTHERS}".split())
_MAX_TOKENS = 300


class _Unreadable(Exception):
    """The tokens are no type that this module knows."""


class _Reader:
    def __init__(self, stream: TokenStream, at: int, resolve: ResolveType) -> None:
        self.stream = stream
        self.words = stream.words
        self.at = at
        self.last = min(len(stream), at + _MAX_TOKENS)
        self.resolve = resolve

    def word(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.words[at] if at < self.last else ""

    def signature(self) -> list[str]:
        """Read `(parameters) results`; a result on another line would be another declaration."""
        parameters = self.listed()
        found = ["func(", *_joined(parameters), ")"]
        if self.word() == "(":
            return [*found, "(", *_joined(self.listed()), ")"]
        if self.at in self.stream.line_starts or not self.starts_type():
            return [*found, "(", ")"]
        return [*found, "(", *self.type(), ",", ")"]

    def starts_type(self) -> bool:
        word = self.word()
        is_type = word in {"*", "[", "map", "chan", "func", "interface", "struct", "<-"}
        return is_type or (self.at < self.last and self.stream.is_name(self.at))

    def listed(self) -> list[list[str]]:
        """Read parameters or results between parentheses; return the type of each."""
        end = self.stream.closing(self.at, self.last)
        self.at += 1
        items: list[tuple[int, int]] = []
        while self.at < end:
            start = self.at
            while self.at < end and self.word() != ",":
                is_open = self.word() in OPENING
                self.at = self.stream.closing(self.at, end) + 1 if is_open else self.at + 1
            items.append((start, self.at))
            self.at += 1
        found = [self.item(*it) for it in items]
        self.at = end + 1
        if not any(is_named for is_named, _ in found):
            return [it for _, it in found]
        # `a, b T`: what is a lone name in a list with names has the type of the next one.
        known: list[str] = []
        types: list[list[str]] = []
        for is_named, written in reversed(found):
            known = written if is_named else known
            types.append(known)
        return types[::-1]

    def item(self, start: int, end: int) -> tuple[bool, list[str]]:
        """Read `name Type` or `Type`; say which. `List[T]` is a type, `list []T` is named."""
        words, stream = self.words, self.stream
        has_brackets = words[start + 1 : start + 2] == ["["]
        closed = stream.closing(start + 1, end) if has_brackets else -1
        is_generic = has_brackets and closed == end - 1 and closed > start + 2
        is_named = end - start > 1 and stream.is_name(start) and words[start + 1] != "."
        is_named = is_named and not is_generic
        self.at = start + is_named
        if self.word() == "...":
            self.at += 1
            return is_named, ["...", *self.type()]
        return is_named, self.type()

    def type(self) -> list[str]:
        word = self.word()
        if word in {"*", "<-"}:
            self.at += 1
            return [word, *self.type()]
        if word == "(":
            self.at += 1
            inner = self.type()
            self.at += 1
            return inner
        if word == "[":
            end = self.stream.closing(self.at, self.last)
            length = self.words[self.at + 1 : end]
            self.at = end + 1
            return ["[", *length, "]", *self.type()]
        if word == "map":
            self.at += 2
            key = self.type()
            self.at += 1
            return ["map[", *key, "]", *self.type()]
        if word == "chan":
            self.at += 1
            is_sent = self.word() == "<-"
            self.at += is_sent
            return ["chan<-" if is_sent else "chan", *self.type()]
        if word == "func":
            self.at += 1
            return self.signature()
        if word in {"struct", "interface"}:
            end = self.stream.closing(self.at + 1, self.last)
            inside = self.words[self.at + 2 : end]
            self.at = end + 1
            return [word + "{}"] if not inside else [word, *inside]
        return self.named()

    def named(self) -> list[str]:
        if not self.starts_type():
            raise _Unreadable
        start, parts = self.at, [self.word()]
        self.at += 1
        while self.word() == ".":
            parts.append(self.word(1))
            self.at += 2
        is_basic = len(parts) == 1 and parts[0] in _BASIC
        name = parts[0] if is_basic else self.resolve(tuple(parts), start)
        found = [_SPELLINGS.get(name, name)]
        if self.word() == "[" and self.word(1) != "]":
            end = self.stream.closing(self.at, self.last)
            self.at += 1
            found.append("[")
            while self.at < end:
                found += [*self.type(), ","]
                self.at += 1
            found.append("]")
            self.at = end + 1
        return found


def _joined(types: list[list[str]]) -> list[str]:
    return [word for it in types for word in (*it, ",")]


def signature(stream: TokenStream, at: int, resolve: ResolveType) -> tuple[str, ...] | None:
    """Return the signature whose parameters start at a token; None for a generic one."""
    if stream.words[at : at + 1] != ["("]:
        return None
    try:
        return tuple(_Reader(stream, at, resolve).signature())
    except (_Unreadable, IndexError):
        return None
