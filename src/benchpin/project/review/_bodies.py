"""A function on both sides of a change, as words, for what compares it with itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchpin.code.names import ANONYMOUS, Code, Module, chain_start
from benchpin.facts.code import Navigation

from ._state import ReviewFinding, ReviewState, finding_at

_AFTER = ("", "", "", "")


@dataclass(frozen=True, eq=False)
class FunctionBody:
    """The words of a function on one side of a change."""

    module: Module
    code: Code
    first: int
    last: int
    padded: list[str] | None = None
    """The words, where several functions of a file share them."""
    lines: Sequence[str] = ()
    """The lines of the file."""

    @cached_property
    def words(self) -> list[str]:
        """The words of the whole file, so that positions are those of the file, and a few empty."""
        # What is asked of the words after the last one has an answer.
        return self.padded or [*self.code.stream.words, *_AFTER]

    @property
    def own(self) -> list[str]:
        return self.words[self.first : self.last]

    def line(self, at: int) -> int:
        return self.code.stream.line(at)

    def calls(self) -> Iterator[int]:
        """Yield the positions of the names that are called."""
        words, stream = self.words, self.code.stream
        for at in range(self.first, self.last - 1):
            if words[at + 1] == "(" and stream.is_name(at) and words[at - 1] not in {"fn", "def"}:
                yield at

    def chain(self, at: int) -> tuple[str, ...]:
        """Return a called name with what it is called on."""
        return tuple(self.words[chain_start(self.words, at) : at + 1])

    def end(self, at: int) -> int:
        """Return the position after the arguments of a call."""
        return self.code.stream.closing(at + 1, self.last) + 1

    def is_awaited(self, at: int) -> bool:
        end = self.end(at)
        before = self.words[chain_start(self.words, at) - 1]
        return before == "await" or self.words[end : end + 2] == [".", "await"]

    def starts_statement(self, at: int) -> bool:
        """Whether nothing of its statement is before a position."""
        before = self.words[at - 1] if at else ""
        opened = self.code.stream.enclosing(at)
        is_inside = opened >= self.first and self.words[opened] != "{"
        begins = before in {";", "{", "}", "defer"} or at in self.code.stream.line_starts
        return begins and not is_inside and before not in {"=", "=>", ",", "return", ":="}

    def is_statement(self, at: int) -> bool:
        """Whether a call is a statement of its own: nothing takes its result."""
        end, words = self.end(at), self.words
        # The last expression of a block of Rust is what the block returns.
        ends = {";"} if self.module.navigation.has_traits else {";", "}"}
        is_end = end in self.code.stream.line_starts and not self.module.navigation.has_traits
        is_last = end >= self.last or is_end or words[end] in ends
        goes_on = words[end : end + 1] in (["."], ["?."], ["?"])
        return self.starts_statement(chain_start(words, at)) and is_last and not goes_on


@dataclass(frozen=True, eq=False)
class ChangedBody:
    """A function after a change, and before it where it was there."""

    name: str
    path: str
    now: FunctionBody
    was: FunctionBody | None
    touched: frozenset[int]
    rules: Navigation

    def new_calls(self) -> Iterator[int]:
        """Yield the called names on lines that the change wrote."""
        return (it for it in self.now.calls() if self.now.line(it) in self.touched)


def pairs(state: ReviewState) -> Iterator[ChangedBody]:
    """Yield the functions that a change wrote or edited, and those around them."""
    moved = {
        (it.after.path, it.after.name): it.before
        for it in state.symbols
        if it.after is not None and it.before is not None
    }
    for file in state.files:
        path = file.delta.path
        module = state.index.symbols.modules.get(path)
        if file.after is None or module is None or module.code is None:
            continue
        if not state.is_reliable(path):
            continue
        touched = state.new_lines(file)
        padded = [*module.code.stream.words, *_AFTER]
        old_lines, lines = (
            (it or b"").decode(errors="replace").split("\n")
            for it in (file.delta.before, file.delta.after)
        )
        for function in file.after.outline.functions:
            if touched.isdisjoint(range(function.line, function.end_line + 1)):
                continue
            now = FunctionBody(
                module, module.code, function.first_token, function.last_token, padded, lines
            )
            old = moved.get((path, function.name))
            old_path = file.delta.old_path or path
            place = (old.path, old.name) if old else (old_path, function.name)
            was = _before(state, *place, function.signature)
            if was is not None and place[0] == old_path:
                was = replace(was, lines=old_lines)
            yield ChangedBody(function.name, path, now, was, touched, module.navigation)


def _before(state: ReviewState, path: str, name: str, signature: str) -> FunctionBody | None:
    """Return a function as it was; None for a new one, and where it may be one of several."""
    module = state.index_before.symbols.modules.get(path)
    if module is None or module.code is None or ANONYMOUS in name:
        return None
    named = [it for it in module.facts.outline.functions if it.name == name]
    if len(named) > 1:
        named = [it for it in named if it.signature == signature]
    if len(named) != 1:
        return None
    return FunctionBody(module, module.code, named[0].first_token, named[0].last_token)


def found_at(pair: ChangedBody, at: int, rule: str, text: str) -> ReviewFinding:
    return finding_at(rule, pair.path, pair.now.line(at), text, pair.name, level="warning")


def blocks(body: FunctionBody, heads: set[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks that some words begin: the word, where it opens, and its end."""
    stream = body.code.stream
    for at in range(body.first, body.last - 1):
        if body.words[at] not in heads:
            continue
        ends = (it for it in range(at, min(at + 20, body.last)) if body.words[it] in {"{", ":"})
        opened = next(ends, at)
        end = stream.closing(opened, body.last) if body.words[opened] == "{" else opened
        # A block without braces ends where a line is indented no more than its head.
        if body.words[opened] == ":" and body.lines:
            edge = _indent(body.lines, body.line(at))
            starts = (it for it in range(opened + 1, body.last) if it in stream.line_starts)
            outside = (it for it in starts if _indent(body.lines, body.line(it)) <= edge)
            end = next(outside, body.last)
        yield at, opened, end


def calls_in_blocks(body: FunctionBody, heads: set[str]) -> Iterator[int]:
    """Yield the calls in the blocks that some words begin."""
    for _, opened, end in blocks(body, heads):
        yield from (it for it in body.calls() if opened < it < end)


def _indent(lines: Sequence[str], line: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text) - len(text.lstrip())
