"""Make an automaton of a pattern of `re`, from how `re` itself parses it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from re import _constants as sre  # type: ignore[attr-defined]  # no types for it
from re import _parser as sre_parser  # type: ignore[attr-defined]  # no types for it
from typing import Any

SAMPLE = [chr(it) for it in range(128)] + list(
    "\xe9\xc9\xdf\u017f\u212a\xb5\u0663\u4e2d\u2013\u2028\xa0\x85\U0001f600"
)
"""ASCII, and one character of each kind that `re` distinguishes beyond it."""
MANY = 1000
"""A repeat with a bound from here on is counted as one without."""
COPIES = 3
"""A bounded repeat is written out so many times at most."""


@dataclass(slots=True)
class Alphabet:
    """The characters that the automaton knows; sets of them are numbers, one bit a character."""

    chars: list[str]
    flags: int

    @property
    def start(self) -> int:
        """Return the sign for the beginning of the text."""
        return 1 << len(self.chars)

    @property
    def end(self) -> int:
        """Return the sign for the end of the text."""
        return 2 << len(self.chars)

    @property
    def any(self) -> int:
        """Return the set of all characters."""
        return (1 << len(self.chars)) - 1

    @property
    def everything(self) -> int:
        """Return the set of all characters and both signs."""
        return (4 << len(self.chars)) - 1

    def where(self, pattern: str) -> int:
        """Return the characters that a pattern for one character matches."""
        compiled = re.compile(pattern, self.flags & (re.ASCII | re.IGNORECASE))
        return sum(1 << at for at, it in enumerate(self.chars) if compiled.fullmatch(it))

    def category(self, name: object) -> int:
        r"""Return the characters of a category such as `\w`."""
        letter = str(name).rsplit("_", maxsplit=1)[-1][0].lower()
        return self.where("\\" + (letter.upper() if "NOT" in str(name) else letter))

    def literal(self, code: int, flags: int) -> int:
        """Return the set of one character, in both cases if the flags say so."""
        char = chr(code)
        wanted = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
        return sum(1 << at for at, it in enumerate(self.chars) if it in wanted)

    def members(self, items: list[tuple[Any, Any]], flags: int) -> int:
        """Return the characters of a set in brackets."""
        found, negated = 0, False
        for kind, value in items:
            if kind is sre.NEGATE:
                negated = True
            elif kind is sre.LITERAL:
                found |= self.literal(value, flags)
            elif kind is sre.CATEGORY:
                found |= self.category(value)
            else:  # RANGE
                low, high = value
                for at, it in enumerate(self.chars):
                    cases = {it, it.lower(), it.upper()} if flags & re.IGNORECASE else {it}
                    if any(len(case) == 1 and low <= ord(case) <= high for case in cases):
                        found |= 1 << at
        return self.any & ~found if negated else found


@dataclass(slots=True)
class Automaton:
    """States with moves that read nothing; a state with a set reads one character of it."""

    alphabet: Alphabet
    sets: list[int] = field(default_factory=list)
    """The characters that a state reads; 0 for one that reads none."""
    moves: list[list[tuple[int, int, int, int]]] = field(default_factory=list)
    """From each state: target, what must be before and after, the possessive loop that is left."""
    side: set[int] = field(default_factory=set)
    """States inside a look-ahead, where success does not move the search on."""
    groups: dict[int | None, tuple[Any, int]] = field(default_factory=dict)
    loops: int = 0
    open_loops: list[int] = field(default_factory=list)
    """The possessive loops and atomic groups around the state that is made next."""
    inside: list[frozenset[int]] = field(default_factory=list)
    in_side: bool = False

    def state(self, reads: int = 0) -> int:
        """Add a state."""
        self.sets.append(reads)
        self.moves.append([])
        self.inside.append(frozenset(self.open_loops))
        if self.in_side:
            self.side.add(len(self.sets) - 1)
        return len(self.sets) - 1

    def move(
        self, source: int, target: int, before: int = -1, after: int = -1, leaves: int = 0
    ) -> None:
        """Add a move that reads nothing."""
        everything = self.alphabet.everything
        self.moves[source].append((target, before & everything, after & everything, leaves))

    def read(self, source: int, chars: int) -> int:
        """Add a state that reads one character, and a move to it."""
        state = self.state(chars)
        self.move(source, state)
        return state

    def sequence(self, source: int, items: Any, flags: int) -> int:
        """Add items one after the other; return the last state."""
        for kind, value in items:
            source = self.item(source, kind, value, flags)
        return source

    def item(self, source: int, kind: Any, value: Any, flags: int) -> int:  # noqa: C901 - one branch for each opcode
        """Add one item; return its last state."""
        if kind in {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}:
            return self.read(source, self.chars_of(kind, value, flags))
        if kind is sre.BRANCH:
            joined = self.state()
            for branch in value[1]:
                self.move(self.sequence(source, branch, flags), joined)
            return joined
        if kind is sre.SUBPATTERN:
            number, added, removed, body = value
            flags = (flags | added) & ~removed
            self.groups[number] = (body, flags)
            return self.sequence(source, body, flags)
        if kind is sre.ATOMIC_GROUP:
            self.loops += 1
            number, joined = self.loops, self.state()
            self.open_loops.append(number)
            last = self.sequence(source, value, flags)
            self.open_loops.pop()
            self.move(last, joined, leaves=number)
            return joined
        if kind in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            low, high, body = value
            return self.repeat(
                source, body, flags, (low, int(high)), is_possessive=kind is sre.POSSESSIVE_REPEAT
            )
        joined = self.state()
        if kind is sre.AT:
            self.position(source, joined, value, flags)
        elif kind in {sre.ASSERT, sre.ASSERT_NOT}:
            self.look(source, joined, value, flags, is_wanted=kind is sre.ASSERT)
        elif kind is sre.GROUPREF:
            self.move(self.sequence(source, *self.groups[value]), joined)
        elif kind is sre.GROUPREF_EXISTS:
            _, yes, no = value
            self.move(self.sequence(source, yes, flags), joined)
            self.move(self.sequence(source, no or [], flags), joined)
        else:
            raise NotImplementedError(str(kind))
        return joined

    def chars_of(self, kind: Any, value: Any, flags: int) -> int:
        """Return the characters that an item for one character reads."""
        alphabet = self.alphabet
        if kind is sre.ANY:
            return alphabet.any if flags & re.DOTALL else alphabet.any & ~alphabet.literal(10, 0)
        if kind is sre.IN:
            return alphabet.members(value, flags)
        chars = alphabet.literal(value, flags)
        return chars if kind is sre.LITERAL else alphabet.any & ~chars

    def repeat(
        self, source: int, body: Any, flags: int, bounds: tuple[int, int], *, is_possessive: bool
    ) -> int:
        """Add a repeat; return its last state."""
        low, high = bounds
        number = 0
        if is_possessive:
            self.loops += 1
            number = self.loops
        one = _one_set(body, self, flags)
        # A possessive loop over one set is left only where the set does not go on.
        after = ~one if is_possessive and one is not None and high >= MANY else -1
        joined = self.state()
        self.open_loops.append(number)
        for _ in range(min(low, COPIES)):
            source = self.sequence(source, body, flags)
        if high >= MANY:
            head = self.state()
            self.move(source, head)
            self.move(self.sequence(head, body, flags), head, leaves=-number)
            self.move(head, joined, after=after, leaves=number)
        else:
            for _ in range(min(high - low, COPIES)):
                self.move(source, joined, leaves=number)
                source = self.sequence(source, body, flags)
            self.move(source, joined, leaves=number)
        self.open_loops.pop()
        return joined

    def position(self, source: int, target: int, at: Any, flags: int) -> None:
        """Add a position such as `^` or a word boundary."""
        alphabet = self.alphabet
        newline, word = alphabet.literal(10, 0), alphabet.where(r"\w")
        rest = alphabet.everything & ~word
        if at in {sre.AT_BEGINNING, sre.AT_BEGINNING_STRING}:
            lines = newline if at is sre.AT_BEGINNING and flags & re.MULTILINE else 0
            self.move(source, target, before=alphabet.start | lines)
        elif at is sre.AT_END:
            self.move(source, target, after=alphabet.end | newline)
        elif at is sre.AT_END_STRING:
            self.move(source, target, after=alphabet.end)
        elif at is sre.AT_BOUNDARY:
            self.move(source, target, before=word, after=rest)
            self.move(source, target, before=rest, after=word)
        else:
            self.move(source, target, before=word, after=word)
            self.move(source, target, before=rest, after=rest)

    def look(self, source: int, target: int, value: Any, flags: int, *, is_wanted: bool) -> None:
        """Add a look-ahead or look-behind."""
        direction, body = value
        alphabet = self.alphabet
        one = _one_set(body, self, flags)
        if direction < 0:
            before = -1 if one is None else one if is_wanted else alphabet.everything & ~one
            self.move(source, target, before=before)
            return
        if one is None:
            was, self.in_side = self.in_side, True
            side = self.state()
            self.move(source, side)
            last = self.sequence(side, body, flags)
            self.in_side = was
            self.moves[last] = []
            first = self.first(side) if is_wanted else -1
            self.move(source, target, after=first)
        else:
            self.move(source, target, after=one if is_wanted else alphabet.everything & ~one)

    def first(self, state: int) -> int:
        """Return what can be read next, or everything where the end can be reached unread."""
        found, seen, waiting = 0, {state}, [(state, self.alphabet.everything)]
        while waiting:
            here, allowed = waiting.pop()
            if self.sets[here] and here != state:
                found |= self.sets[here] & allowed
                continue
            if not self.moves[here]:
                found |= allowed
            for target, _, after, _ in self.moves[here]:
                if target not in seen:
                    seen.add(target)
                    waiting.append((target, allowed & after))
        return found


def _one_set(body: Any, automaton: Automaton, flags: int) -> int | None:
    """Return the set of a body that reads exactly one character, or None."""
    items = list(body)
    if len(items) != 1:
        return None
    kind, value = items[0]
    if kind is sre.SUBPATTERN:
        return _one_set(value[3], automaton, (flags | value[1]) & ~value[2])
    if kind is sre.BRANCH:
        sets = [_one_set(it, automaton, flags) for it in value[1]]
        return None if None in sets else sum_sets(it for it in sets if it is not None)
    if kind is sre.AT and value in {sre.AT_END, sre.AT_END_STRING}:
        return automaton.alphabet.end
    if kind in {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}:
        return automaton.chars_of(kind, value, flags)
    return None


def sum_sets(sets: Iterator[int]) -> int:
    """Return the union of sets of characters."""
    found = 0
    for it in sets:
        found |= it
    return found


def parse(pattern: str | bytes, flags: int) -> tuple[Automaton, int, int]:
    """Return the automaton of a pattern, and its first and its last state."""
    parsed = sre_parser.parse(pattern, flags)
    flags = parsed.state.flags
    if isinstance(pattern, bytes):
        flags |= re.ASCII
        pattern = pattern.decode("latin-1")
    chars = list(dict.fromkeys([*SAMPLE, *(it for it in pattern if not it.isascii())]))
    automaton = Automaton(Alphabet(chars, flags))
    entry = automaton.state()
    accept = automaton.state()
    automaton.move(automaton.sequence(entry, parsed, flags), accept)
    return automaton, entry, accept
