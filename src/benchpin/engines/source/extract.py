"""From the bytes of a file to its facts: a pure function, so that it can run anywhere."""

import array
import re
from collections import Counter, defaultdict
from itertools import accumulate, count

import msgspec
from tree_sitter import Node

from .definitions import Frame, TypeFrame
from .facts import (
    Comment,
    Comments,
    Facts,
    Function,
    Halstead,
    Links,
    Outline,
    TokenKind,
    Tokens,
    Type,
)
from .grammar import Grammar, load_grammar
from .walker import Walker

_MAX_SIGNATURE = 200
_MENTION = re.compile(rb"""(?:^|(?<=\0))[a-zA-Z]{0,2}['"`]+([A-Za-z_][\w.]{0,99})['"`]+(?:\0|$)""")
_GENERATED = re.compile(
    rb"@generated\b|DO NOT EDIT|[Aa]uto-?generated|[Gg]enerated (by|from|automatically)"
)
_HEAD_BYTES = 1_000


def extract(source: bytes, language: str) -> Facts:
    """Return everything that one parse and one walk find out about a file."""
    grammar = load_grammar(language)
    tree = grammar.parse(source)
    walker = Walker(grammar, source, tree.root_node)
    walker.run()
    words = _Words(walker)
    lines = _Lines(source, walker.comments)
    comments = tuple(sorted(walker.comments, key=lambda comment: comment.line))
    is_any_doc = grammar.language.has_plain_docs
    documented = {comment.end_line for comment in comments if comment.is_doc or is_any_doc}
    frames = sorted(walker.functions, key=lambda frame: frame.node.start_byte)
    root = tree.root_node
    return Facts(
        Outline(
            language=language,
            lines=lines.total,
            code_lines=lines.code(1, lines.total),
            comment_lines=lines.comments,
            is_generated=_GENERATED.search(source[:_HEAD_BYTES]) is not None,
            error_line=_first_error(root) if root.has_error else 0,
            cyclomatic=walker.file.cyclomatic,
            cognitive=walker.file.cognitive,
            halstead=words.halstead(),
            functions=tuple(
                _function(frame, grammar, source, words, lines, documented) for frame in frames
            ),
            types=tuple(
                _type(frame, words, documented)
                for frame in sorted(
                    walker.types, key=lambda it: (it.first_line, -it.found.end_line)
                )
            ),
        ),
        Links(
            imports=tuple(reversed(walker.imports)),
            exports=grammar.language.read_exports(root),
            calls=tuple(_callees(frame) for frame in (walker.file, *frames)),
            references=words.references(),
            mentions=words.mentions(),
        ),
        Comments(comments),
        words.tokens(),
    )


def _function(
    frame: Frame,
    grammar: Grammar,
    source: bytes,
    words: "_Words",
    lines: "_Lines",
    documented: set[int],
) -> Function:
    language, node = grammar.language, frame.node
    line, end_line = node.start_point[0] + 1, node.end_point[0] + 1
    name = frame.name.rpartition(".")[2]
    first_line = line if language.first_line is None else language.first_line(node)
    has_doc = first_line - 1 in documented or (
        language.is_documented is not None and language.is_documented(frame.body)
    )
    return Function(
        name=frame.name,
        kind="closure" if frame.is_closure else "method" if frame.is_method else "function",
        line=line,
        end_line=end_line,
        cyclomatic=frame.cyclomatic,
        cognitive=frame.cognitive,
        nesting=frame.nesting,
        parameters=language.parameters(node),
        code_lines=lines.code(line, end_line),
        first_token=words.count - frame.last_token,
        last_token=words.count - frame.first_token,
        signature=_signature(frame, source),
        is_public=language.is_public(node, name),
        is_documented=has_doc,
        decorators=frame.decorators,
    )


def _signature(frame: Frame, source: bytes) -> str:
    start = frame.node.start_byte
    end = frame.node.end_byte if frame.body is None else frame.body.start_byte
    return source[start : min(end, start + _MAX_SIGNATURE)].decode(errors="replace")


def _callees(frame: Frame) -> tuple[str, ...]:
    return tuple(sorted(callee.decode(errors="replace") for callee in frame.calls))


def _type(frame: TypeFrame, words: "_Words", documented: set[int]) -> Type:
    return msgspec.structs.replace(
        frame.found,
        is_documented=frame.found.is_documented or frame.first_line - 1 in documented,
        first_token=words.count - frame.last_token,
        last_token=words.count - frame.first_token,
    )


def _first_error(root: Node) -> int:
    """Return the line of the first node that did not parse."""
    node = root
    while True:
        broken = next((child for child in node.children if child.has_error), None)
        if broken is None or broken.is_error or broken.is_missing:
            return (broken or node).start_point[0] + 1
        node = broken


class _Lines:
    """Which lines have code, comments or nothing."""

    def __init__(self, source: bytes, comments: list[Comment]) -> None:
        texts = source.split(b"\n")
        if texts and not texts[-1]:
            texts.pop()
        has_code = [bool(text.strip()) for text in texts]
        self.comments = 0
        for comment in comments:
            for line in range(comment.line, min(comment.end_line, len(texts)) + 1):
                starts = line > comment.line or _begins(texts[line - 1], comment.text)
                if starts and has_code[line - 1]:
                    has_code[line - 1] = False
                    self.comments += 1
        self.total = len(texts)
        self._code_up_to = [0, *accumulate(has_code)]

    def code(self, first: int, last: int) -> int:
        """Count the lines that have code, both ends included."""
        return (
            self._code_up_to[min(last, self.total)]
            - self._code_up_to[min(first, self.total + 1) - 1]
        )


def _begins(line: bytes, comment: str) -> bool:
    return line.lstrip().startswith(comment[:2].encode())


class _Words:
    """The vocabulary of a file, and counts over it."""

    def __init__(self, walker: Walker) -> None:
        vocabulary: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._stream = list(map(vocabulary.__getitem__, walker.tokens))
        self._texts = list(vocabulary)
        self.count = len(self._stream)
        self._kinds = bytes(
            TokenKind.IDENTIFIER
            if text in walker.identifiers
            else TokenKind.LITERAL
            if text in walker.literals
            else TokenKind.OPERATOR
            for text in self._texts
        )

    def halstead(self) -> Halstead:
        """Count the operators and operands of the file."""
        is_operand = [kind != TokenKind.OPERATOR for kind in self._kinds]
        operands = sum(map(is_operand.__getitem__, self._stream))
        distinct = sum(is_operand)
        return Halstead(len(is_operand) - distinct, distinct, self.count - operands, operands)

    def references(self) -> dict[str, int]:
        """Count every identifier."""
        counts = Counter(self._stream)
        return {
            text.decode(errors="replace"): counts[number]
            for number, text in enumerate(self._texts)
            if self._kinds[number] == TokenKind.IDENTIFIER
        }

    def mentions(self) -> tuple[str, ...]:
        """Return the strings that are nothing but a name."""
        literals = b"\0".join(
            text
            for text, kind in zip(self._texts, self._kinds, strict=True)
            if kind == TokenKind.LITERAL
        )
        dotted = {found.decode() for found in _MENTION.findall(literals)}
        return tuple(sorted({name for text in dotted for name in text.split(".") if name}))

    def tokens(self) -> Tokens:
        """Return the token stream, in the order of the file."""
        return Tokens(
            tuple(self._texts),
            self._kinds,
            array.array("I", reversed(self._stream)).tobytes(),
        )
