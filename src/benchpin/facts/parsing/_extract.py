"""Compute the facts of a file from its bytes: a pure function, which can run anywhere."""

import array
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, count, repeat
from operator import add

import msgspec
from tree_sitter import Node, Tree

from benchpin.core.text import plain
from benchpin.facts import (
    Comments,
    Facts,
    Function,
    Halstead,
    Links,
    Outline,
    SourceComment,
    TokenKind,
    Tokens,
    Type,
)
from benchpin.facts.respelling import respell

from ._definitions import Frame, TypeFrame
from ._generated import is_generated
from ._grammar import Grammar, load_grammar
from ._links import completed_imports
from ._walker import Walker

_MENTION = re.compile(
    rb"""^(?:[a-zA-Z]{0,2}['"`]+|:)([A-Za-z_][\w.]{0,998}[?!]?)['"`]*$""", re.MULTILINE
)
# A longer string is text. The pattern is tried on all shorter ones, so they must not be many bytes.
_MAX_MENTION_BYTES = 1_006
_MAX_TOKEN_CHARS = 40


def extract(source: bytes, language: str) -> Facts:
    """Return all facts of a file, from one parse and one walk."""
    grammar = load_grammar(language)
    code = source
    if grammar.language.as_code is not None:
        inner, code = grammar.language.as_code(source)
        grammar = load_grammar(inner)
    tree, hidden = _parse(grammar, code)
    lines = _Lines(source, code)
    walker = Walker(grammar, code, tree.root_node, lines.starts)
    # Hidden code first: the walk runs backwards, so its tokens end up after the last function. They
    # count as references, but on no line, so `begun` starts again at zero.
    for start, end in reversed(hidden):
        walker.take_words(start, end)
    walker.begun = [0] * len(lines.starts)
    walker.run()
    lines.mark(walker.comments)
    words = _Words(walker)
    references = words.references()
    comments = tuple(sorted(walker.comments, key=lambda comment: comment.line))
    is_any_doc = grammar.language.has_plain_docs
    documented = {
        it.end_line for it in comments if it.is_doc or (is_any_doc and lines.begins_with(it))
    }
    frames = sorted(walker.functions, key=lambda frame: frame.start_byte)
    root = tree.root_node
    broken = _first_error(root) if root.has_error else None
    return Facts(
        Outline(
            language=language,
            lines=lines.total,
            code_lines=lines.code(1, lines.total),
            comment_lines=lines.comments,
            is_generated=is_generated(comments, lines.code)
            or (grammar.language.is_built is not None and grammar.language.is_built(source)),
            error_line=0 if broken is None else broken.start_point[0] + 1,
            cyclomatic=walker.file.cyclomatic,
            cognitive=walker.file.cognitive,
            halstead=words.halstead(),
            functions=tuple(_function(frame, words, lines, documented) for frame in frames),
            types=tuple(
                _type(frame, words, documented)
                for frame in sorted(
                    walker.types, key=lambda it: (it.first_line, -it.found.end_line)
                )
            ),
            error="" if broken is None else _described(broken),
        ),
        Links(
            imports=completed_imports(walker, references),
            exports=grammar.language.read_exports(root),
            calls=tuple(_callees(frame) for frame in (walker.file, *frames)),
            references=references,
            mentions=words.mentions(),
        ),
        Comments(tuple(map(lines.placed, comments))),
        words.tokens(),
    )


def _parse(grammar: Grammar, source: bytes) -> tuple[Tree, list[tuple[int, int]]]:
    """Parse a file; also return the ranges that were hidden to make it parsable."""
    language = grammar.language
    prepared: list[tuple[int, int]] = []
    if language.prepare is not None:
        source, prepared = language.prepare(source)
    if language.unwrap is not None:
        unwrapped, hidden = language.unwrap(source)
        tree = grammar.parse(unwrapped) if hidden else None
        if tree is not None and not tree.root_node.has_error:
            return tree, hidden
    tree = grammar.parse(source)
    if not tree.root_node.has_error:
        return tree, prepared
    masked, hidden = (source, []) if language.mask is None else language.mask(source)
    masked, hidden = respell(masked, language.new_syntax, hidden)
    return (grammar.parse(masked) if hidden else tree), sorted(prepared + hidden)


def _function(frame: Frame, words: "_Words", lines: "_Lines", documented: set[int]) -> Function:
    return Function(
        name=frame.name,
        kind=frame.kind,
        line=frame.line,
        end_line=frame.end_line,
        cyclomatic=frame.cyclomatic,
        cognitive=frame.cognitive,
        nesting=frame.nesting,
        parameters=frame.parameters,
        code_lines=lines.code(frame.line, frame.end_line),
        first_token=words.count - frame.last_token,
        last_token=words.count - frame.first_token,
        signature=frame.signature.decode(errors="replace"),
        is_public=frame.is_public,
        is_documented=frame.is_documented or frame.first_line - 1 in documented,
        decorators=frame.decorators,
    )


def _callees(frame: Frame) -> tuple[str, ...]:
    return tuple(sorted(_decoded(frame.calls)))


def _decoded(texts: Iterable[bytes]) -> Iterator[str]:
    return map(bytes.decode, texts, repeat("utf-8"), repeat("replace"))


def _type(frame: TypeFrame, words: "_Words", documented: set[int]) -> Type:
    return msgspec.structs.replace(
        frame.found,
        is_documented=frame.found.is_documented or frame.first_line - 1 in documented,
        first_token=words.count - frame.last_token,
        last_token=words.count - frame.first_token,
    )


def _first_error(root: Node) -> Node:
    """Return the first node that did not parse."""
    node = root
    while True:
        broken = next((child for child in node.children if child.has_error), None)
        if broken is None or broken.is_error or broken.is_missing:
            return broken or node
        node = broken


def _described(broken: Node) -> str:
    """Say what is wrong with a node that did not parse."""
    if broken.is_missing:
        return f"Missing '{broken.type}'"
    while broken.children:
        broken = broken.children[0]
    token = (broken.text or b"").decode(errors="replace").strip()
    return (
        f"Unexpected token {plain(token[:_MAX_TOKEN_CHARS])!r}"
        if token
        else "Unexpected end of file"
    )


def _split(source: bytes) -> list[bytes]:
    texts = source.split(b"\n")
    if texts and not texts[-1]:
        texts.pop()
    return texts


class _Lines:
    """Classifies lines: code, comment or blank.

    `code` is what was parsed, which is not the file itself where that holds several languages.
    """

    def __init__(self, source: bytes, code: bytes) -> None:
        texts = _split(source)
        self._has_code = bytearray(map(bool, map(bytes.strip, texts)))
        self.total = len(texts)
        if code is not source:
            texts = _split(code)
            texts += [b""] * (self.total - len(texts))
        self._texts = texts
        self.starts = [0, *map(add, accumulate(map(len, texts)), count(1))]
        """The offset of each line, and the end of the last one."""
        self.comments = 0

    def mark(self, comments: list[SourceComment]) -> None:
        """Mark lines that have only comments."""
        has_code = self._has_code
        for comment in comments:
            for line in range(comment.line, min(comment.end_line, self.total) + 1):
                starts = line > comment.line or self.begins_with(comment)
                if starts and has_code[line - 1]:
                    has_code[line - 1] = False
                    self.comments += 1

    def code(self, first: int, last: int) -> int:
        """Count the lines of code, both ends included."""
        return self._has_code.count(True, first - 1, last)

    def placed(self, comment: SourceComment) -> SourceComment:
        """Mark a comment that comes after code on its line."""
        if self.begins_with(comment):
            return comment
        return msgspec.structs.replace(comment, is_trailing=True)

    def begins_with(self, comment: SourceComment) -> bool:
        """Whether a comment is at the start of its first line."""
        return self._texts[comment.line - 1].lstrip().startswith(comment.text[:2].encode())


class _Words:
    """The vocabulary of a file, and counts over it."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._counts = Counter(walker.tokens)
        self.count = len(walker.tokens)

    def halstead(self) -> Halstead:
        """Count the operators and operands of the file."""
        distinct = self._walker.operators.values()
        operators = sum(map(self._counts.__getitem__, distinct))
        return Halstead(
            distinct_operators=len(distinct),
            distinct_operands=len(self._counts) - len(distinct),
            operators=operators,
            operands=self.count - operators,
        )

    def references(self) -> dict[str, int]:
        """Count every identifier."""
        numbers = self._walker.identifiers
        return dict(
            zip(_decoded(numbers), map(self._counts.__getitem__, numbers.values()), strict=True)
        )

    def mentions(self) -> tuple[str, ...]:
        """Return the string literals that are nothing but a name."""
        literals = b"\n".join(
            it for it in self._walker.literals if len(it) <= _MAX_MENTION_BYTES and b"\n" not in it
        )
        dotted = {found.decode() for found in _MENTION.findall(literals)}
        return tuple(sorted({name for text in dotted for name in text.split(".") if name}))

    def tokens(self) -> Tokens:
        """Return the token stream, in the order of the file."""
        walker = self._walker
        texts = [b""] * len(self._counts)
        kinds = bytearray(len(texts))
        for kind, table in (
            (TokenKind.OPERATOR, walker.operators),
            (TokenKind.IDENTIFIER, walker.identifiers),
            (TokenKind.LITERAL, walker.literals),
        ):
            for text, number in table.items():
                texts[number] = text
                kinds[number] = kind
        stream = array.array("I", walker.tokens[::-1])
        begun = array.array("I", walker.begun[:-1])
        return Tokens(tuple(texts), bytes(kinds), stream.tobytes(), begun.tobytes())
