"""Blocks of Rust, `impl Trait for Type`: what a type has of a trait is in there, and only there."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchpin.code.names import Symbol

from ._subtypes import Subtypes

_ENDS = frozenset({";", "{", "}"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
# Attributes of Rust that add no member to an `impl`.
_HARMLESS = frozenset(
    {
        *("async_trait", "cfg", "cfg_attr", "allow", "expect", "warn", "deny", "doc", "inline"),
        *("automatically_derived", "rustfmt", "deprecated", "must_use"),
    }
)


class TraitBlock(NamedTuple):
    """The body of an `impl Trait for Type`, which has all that the trait gets from the type."""

    words: Sequence[str]
    is_made: bool
    """Whether a macro may add to it."""

    def gives(self, name: str) -> bool:
        """Whether it has a method."""
        return any(it == name and self.words[at - 1] == "fn" for at, it in enumerate(self.words))


def blocks_of(types: Subtypes, own: Symbol, interface: Symbol) -> Iterator[TraitBlock]:
    """Yield where the code says how a type implements an interface, outside of both."""
    for path in types.symbols.names.using(interface.name):
        module = types.symbols.modules[path]
        code, implementing = module.code, module.navigation.implementing
        if code is None or implementing is None or module.facts.outline.error_line:
            continue
        words = code.stream.words
        for at in code.stream.positions(interface.name):
            span = implementing(code.stream, at)
            if span is None or types.values.meaning(module, at).symbol is not interface:
                continue
            held = types.values.declared(module, span, code.scope_at(at)).symbol
            if held is own and "{" in words[span[1] :]:
                opened = words.index("{", span[1])
                body = words[opened : code.stream.closing(opened, len(words))]
                yield TraitBlock(body, _is_made(words, at) or _calls_macro(body))


def _calls_macro(body: Sequence[str]) -> bool:
    """Whether a macro stands for members of a block: `methods!(a, b);`."""
    depth = 0
    for at, word in enumerate(body):
        depth += (word in _OPENING) - (word in _CLOSING)
        if word == "!" and depth == 1 and body[at - 1].isidentifier():
            return True
    return False


def _is_made(words: Sequence[str], at: int) -> bool:
    """Whether an attribute may add members to the block whose head has a position."""
    while words[at] != "impl":
        at -= 1
    first = at
    while first > 0 and words[first - 1] not in _ENDS:
        first -= 1
    starts = (it for it in range(first, at - 2) if words[it : it + 2] == ["#", "["])
    return not {words[it + 2] for it in starts} <= _HARMLESS
