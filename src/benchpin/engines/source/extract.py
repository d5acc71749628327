"""From the bytes of a file to its facts: a pure function, so that it can run anywhere."""

import array
import re
from collections import Counter
from itertools import accumulate, compress

import msgspec
from tree_sitter import Node, Tree

from .definitions import Frame, last_line
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
from .generated import is_generated
from .grammar import Grammar, load_grammar
from .walker import Walker

_MAX_SIGNATURE = 200
_MENTION = re.compile(
    rb"""^(?:[a-zA-Z]{0,2}['"`]+|:)([A-Za-z_][\w.]{0,99}[?!]?)['"`]*$""", re.MULTILINE
)
_MAX_MENTION = 106


def extract(source: bytes, language: str) -> Facts:
    """Return everything that one parse and one walk find out about a file."""
    grammar = load_grammar(language)
    tree, hidden = _parse(grammar, source)
    walker = Walker(grammar, source, tree.root_node)
    for start, end in reversed(hidden):
        walker.take_words(start, end)
    walker.run()
    words = _Words(walker)
    lines = _Lines(source, walker.comments)
    comments = tuple(sorted(walker.comments, key=lambda comment: comment.line))
    is_any_doc = grammar.language.has_plain_docs
    documented = {
        it.end_line for it in comments if it.is_doc or (is_any_doc and lines.begins_with(it))
    }
    frames = sorted(walker.functions, key=lambda frame: frame.node.start_byte)
    root = tree.root_node
    return Facts(
        Outline(
            language=language,
            lines=lines.total,
            code_lines=lines.code(1, lines.total),
            comment_lines=lines.comments,
            is_generated=is_generated(comments, lines.code),
            error_line=_first_error(root) if root.has_error else 0,
            cyclomatic=walker.file.cyclomatic,
            cognitive=walker.file.cognitive,
            halstead=words.halstead(),
            functions=tuple(
                _function(frame, grammar, source, words, lines, documented) for frame in frames
            ),
            types=tuple(
                _documented(found, line, documented)
                for line, found in sorted(walker.types, key=lambda it: (it[0], -it[1].end_line))
            ),
        ),
        Links(
            imports=tuple(reversed(walker.imports)),
            exports=grammar.language.read_exports(root),
            calls=tuple(_callees(frame) for frame in (walker.file, *frames)),
            references=words.references(),
            mentions=words.mentions(),
        ),
        Comments(tuple(map(lines.placed, comments))),
        words.tokens(),
    )


def _parse(grammar: Grammar, source: bytes) -> tuple[Tree, list[tuple[int, int]]]:
    """Parse a file, and say what was left out because nothing parses with it."""
    tree, mend = grammar.parse(source), grammar.language.mend
    if mend is None or not tree.root_node.has_error:
        return tree, []
    mended, hidden = mend(source)
    return (grammar.parse(mended) if hidden else tree), hidden


def _function(
    frame: Frame,
    grammar: Grammar,
    source: bytes,
    words: "_Words",
    lines: "_Lines",
    documented: set[int],
) -> Function:
    language, node = grammar.language, frame.node
    line, end_line = node.start_point[0] + 1, last_line(node)
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
    start, end = frame.node.start_byte, frame.node.end_byte
    if frame.body is not None:
        last = frame.body.prev_sibling
        while last is not None and last.is_extra:
            last = last.prev_sibling
        end = frame.body.start_byte if last is None else last.end_byte
    return source[start : min(end, start + _MAX_SIGNATURE)].decode(errors="replace")


def _callees(frame: Frame) -> tuple[str, ...]:
    return tuple(sorted(callee.decode(errors="replace") for callee in frame.calls))


def _documented(found: Type, first_line: int, documented: set[int]) -> Type:
    if found.is_documented or first_line - 1 not in documented:
        return found
    return Type(
        found.name, found.kind, found.line, found.end_line, found.bases, found.is_public, True
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
        self._texts = texts
        has_code = [bool(text.strip()) for text in texts]
        self.comments = 0
        for comment in comments:
            for line in range(comment.line, min(comment.end_line, len(texts)) + 1):
                starts = line > comment.line or self.begins_with(comment)
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

    def placed(self, comment: Comment) -> Comment:
        """Tell a comment that stands alone from one behind code."""
        if self.begins_with(comment):
            return comment
        return msgspec.structs.replace(comment, is_trailing=True)

    def begins_with(self, comment: Comment) -> bool:
        """Whether a comment has its first line for itself."""
        return self._texts[comment.line - 1].lstrip().startswith(comment.text[:2].encode())


class _Words:
    """The vocabulary of a file, and counts over it."""

    def __init__(self, walker: Walker) -> None:
        self._walked = walker.tokens
        self._counts = Counter(walker.tokens)
        self.count = len(walker.tokens)
        identifiers, literals = walker.identifiers, walker.literals
        self._kinds = bytes(
            TokenKind.IDENTIFIER
            if text in identifiers
            else TokenKind.LITERAL
            if text in literals
            else TokenKind.OPERATOR
            for text in self._counts
        )

    def halstead(self) -> Halstead:
        """Count the operators and operands of the file."""
        counts = self._counts.values()
        operators = sum(compress(counts, map(TokenKind.OPERATOR.__eq__, self._kinds)))
        distinct = self._kinds.count(TokenKind.OPERATOR)
        return Halstead(distinct, len(counts) - distinct, operators, self.count - operators)

    def references(self) -> dict[str, int]:
        """Count every identifier."""
        identifiers = map(TokenKind.IDENTIFIER.__eq__, self._kinds)
        return {
            text.decode(errors="replace"): count
            for text, count in compress(self._counts.items(), identifiers)
        }

    def mentions(self) -> tuple[str, ...]:
        """Return the strings that are nothing but a name."""
        literals = b"\n".join(
            text
            for text in compress(self._counts, map(TokenKind.LITERAL.__eq__, self._kinds))
            if len(text) <= _MAX_MENTION
        )
        dotted = {found.decode() for found in _MENTION.findall(literals)}
        return tuple(sorted({name for text in dotted for name in text.split(".") if name}))

    def tokens(self) -> Tokens:
        """Return the token stream, in the order of the file."""
        numbers = dict(zip(self._counts, range(len(self._counts)), strict=True))
        stream = array.array("I", map(numbers.__getitem__, reversed(self._walked)))
        return Tokens(tuple(self._counts), self._kinds, stream.tobytes())
