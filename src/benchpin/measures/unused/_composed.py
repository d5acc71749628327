"""Names that are composed at run time: their parts in a file, and names that have such parts."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from benchpin.facts import FileFacts
from benchpin.facts.liveness import Definition, TokenView

from ._file_uses import STRING
from ._name_search import NamedUses, Words

# How many tokens a prefix may be after `getattr`.
_FARTHEST_LOOKUP = 6
_MIN_PREFIX_CHARS = 3
# The letters before a quote are no part of the name; a part of an f-string has no quotes itself.
_OPEN = rb"^(?:[rbfuRBFU]{0,2}['\"`]{1,3})?"
_CLOSE, _HOLE = rb"['\"`]{0,3}$", rb"(%[sdr]|\{.*\})?"
_FIRST_PART = re.compile(_OPEN + rb"([A-Za-z_]\w{1,60})" + _HOLE + _CLOSE)
# Strings that are the beginning or the end of a name, with or without a placeholder.
_LAST_PART = re.compile(_OPEN + _HOLE + rb"(\w{3,60})" + _CLOSE)
# Half of the operator `##` of C, which the grammar reads as two tokens in a macro body.
_PASTE = b"#"
_HOLE_STARTS = frozenset({b"+", b"{", b"${", b"#{", b".", b"%"})
_HOLE_ENDS = frozenset({b"+", b"}", b"."})


@dataclass(frozen=True, slots=True)
class ComposedNames:
    """Parts of names that are composed at run time, each with a file that does so."""

    prefixes: dict[str, str]
    suffixes: dict[str, str]
    looked_up: dict[str, str]
    """Prefixes in the call that looks the name up: they may end in the middle of a word."""

    def find(self, name: str) -> tuple[str, str] | None:
        """Return a part of a name, and the file that composes names with it."""
        for at in range(1, len(name)):
            first, last = name[:at], name[at:]
            if first in self.looked_up and at >= _MIN_PREFIX_CHARS:
                return first, self.looked_up[first]
            if name[at].isupper() or "_" in name[at - 1 : at + 1]:
                if first in self.prefixes:
                    return first, self.prefixes[first]
                if last in self.suffixes:
                    return last, self.suffixes[last]
        return None


def find_parts(
    view: TokenView, found: tuple[set[str], set[str], set[str]], lookups: Collection[bytes]
) -> None:
    """Record the parts of names in `f"visit_{kind}"`, `"do_%s" % kind` and `"on_" + name`."""
    prefixes, suffixes, looked_up = found
    firsts: dict[int, re.Match[bytes]] = {}
    lasts: dict[int, re.Match[bytes]] = {}
    for number in view.literals():
        if first := _FIRST_PART.match(view.texts[number]):
            firsts[number] = first
        if last := _LAST_PART.match(view.texts[number]):
            lasts[number] = last
    for at in view.positions(firsts.keys() | lasts.keys()):
        first, last = firsts.get(view.stream[at]), lasts.get(view.stream[at])
        if first and (first[2] or view.text(at + 1) in _HOLE_STARTS):
            prefixes.add(first[1].decode())
            if any(view.text(near) in lookups for near in range(at - _FARTHEST_LOOKUP, at)):
                looked_up.add(first[1].decode())
        elif first and first[1].endswith(b"_"):
            # `PREFIX = "check_"` and `name.startswith("check_")`, in a file that looks names up
            prefixes.add(first[1].decode())
        if last and (last[1] or view.text(at - 1) in _HOLE_ENDS):
            suffixes.add(last[2].decode(errors="replace"))


def find_pasted(view: TokenView, prefixes: set[str], suffixes: set[str]) -> None:
    """Record the parts of names in macros such as `cmd_ ## name`."""
    for at in view.positions_of(b"#", b"##"):
        is_whole = view.text(at) == b"##"
        if is_whole or view.text(at + 1) == _PASTE:
            after = at + 1 + (not is_whole)
            prefixes.add(view.text(at - 1).decode(errors="replace"))
            suffixes.add(view.text(after).decode(errors="replace"))


def join_parts(
    file: FileFacts, definitions: Sequence[Definition], at_top: NamedUses, words: Words
) -> None:
    """Count the string "load" as a mention of `_load`, which `f"_{name}"` could compose."""
    mentions = set(file.links.mentions)
    for definition in definitions:
        if definition.name.startswith("_") and definition.name[1:] in mentions:
            word = words[definition.name]
            at_top[word] = at_top.get(word, 0) | STRING
