"""Patterns of code: what a metavariable is, and how a pattern is parsed in each language.

The matching is ast-grep's. A pattern is parsed as a piece of the language; where it alone means
something else (`foo(a)` in C is a type), it is parsed inside a context, and matched without it.

A rewrite is a piece of code with the metavariables of the pattern that it replaces. Code keeps its
layout: what a metavariable matched is moved with the indentation of its new line, except for lines
inside string literals, which are part of a value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple, cast

from benchpin.facts import languages

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

MAX_CHARS = 2_000
METAVARIABLE = re.compile(r"\$\$\$[A-Z_][A-Z0-9_]*|\$\$\$|\${1,2}[A-Z_][A-Z0-9_]*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STAND_IN = "standin"
_OPENING = re.compile(r"[(\[{]\s*+\Z")
_CLOSING = re.compile(r"\s*+[)\]}]")
# Characters between a bracket and what is in it; a gap that is wider is not kept.
_MAX_GAP_CHARS = 1_000


class PatternRefused(Exception):
    """A pattern that no code can match; the message is the reason."""


def words_of(pattern: str) -> tuple[bytes, ...]:
    """Return the words that every match contains: files without them need not be parsed."""
    found = _WORD.findall(METAVARIABLE.sub(" ", pattern))
    return tuple(sorted({it.encode() for it in found}, key=lambda it: (-len(it), it)))


def names_of(text: str) -> list[str]:
    """Return the metavariables that can be used in a rewrite, with their dollar signs."""
    found = METAVARIABLE.findall(text)
    return [it for it in dict.fromkeys(found) if it.strip("$") and it.strip("$")[0] != "_"]


def is_balanced(code: str) -> bool:
    """Whether every bracket has its other half; those in strings are not looked at."""
    closing = {")": "(", "]": "[", "}": "{"}
    opened: list[str] = []
    quote = ""
    for at, sign in enumerate(code):
        if sign in "\"'`" and (not quote or quote == sign) and code[at - 1 : at] != "\\":
            quote = "" if quote else sign
        elif quote:
            continue
        elif sign in closing.values():
            opened.append(sign)
        elif sign in closing and (not opened or opened.pop() != closing[sign]):
            return False
    return bool(quote) or not opened


def rule_for(pattern: str, language: str) -> "Config":
    """Return the rule by which ast-grep finds a pattern in a language.

    Raises:
        PatternRefused: when the pattern cannot be parsed as one piece of code, or ast-grep does not
            know the language.
    """
    from ast_grep_py import SgRoot  # noqa: PLC0415 - loads every grammar

    sample = METAVARIABLE.sub(_STAND_IN, pattern)
    alone = ("", "")
    table = languages.table_of(language)
    try:
        SgRoot(" ", language)
    except BaseException as error:
        # A panic in Rust, which is no Exception of Python.
        if type(error).__name__ != "PanicException":
            raise
        raise PatternRefused(f"ast-grep does not read {table.title}") from None
    contexts = table.contexts
    rule: Config = {"rule": {"pattern": pattern}}
    for before, after in (*contexts, alone) if table.needs_context else (alone, *contexts):
        root = SgRoot(f"{before}{sample}{after}", language).root()
        if has_faults(root):
            continue
        span = (len(before), len(before) + len(sample))
        kinds = [it.kind() for it in walk(root) if it.is_named() and _span(it) == span]
        kind = kinds[-1] if kinds else ""  # the innermost, as ast-grep takes it without a context
        if kind and before:
            context = f"{before}{pattern}{after}"
            selected = {"rule": {"pattern": {"context": context, "selector": kind}}}
            rule = cast("Config", selected)
        if kind:
            break
    try:
        SgRoot(" ", language).root().find(rule)
    except RuntimeError as error:
        raise PatternRefused(_reason(str(error))) from error
    return rule


def has_faults(root: "SgNode") -> bool:
    """Whether something in a tree did not parse, or had to be made up."""
    return any(it.kind() == "ERROR" or _is_made_up(it) for it in walk(root))


def walk(root: "SgNode") -> Iterator["SgNode"]:
    """Yield every node of a tree, parents first."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children())


def _is_made_up(node: "SgNode") -> bool:
    """Whether a leaf is empty, as those are that a parser adds to go on."""
    start, end = _span(node)
    return node.is_leaf() and start == end and node.kind() != "\n"


def _span(node: "SgNode") -> tuple[int, int]:
    place = node.range()
    return place.start.index, place.end.index


def _reason(message: str) -> str:
    """Return what ast-grep says is wrong, without its stack."""
    said = message.partition("Stack backtrace")[0].strip()
    if "Multiple AST" in said:
        return "it is more than one statement or expression"
    if "Standalone multi" in said:
        return "it is nothing but a metavariable"
    return said.rpartition("\n")[2].strip().lstrip("0123456789: ")


class TextSpan(NamedTuple):
    start: int
    end: int


class SourceLayout:
    """A source text, and which of its lines must keep their indentation."""

    def __init__(self, text: str, literals: Sequence[TextSpan]) -> None:
        self._text = text
        self._literals = [it for it in literals if "\n" in text[it.start : it.end]]

    def fill(self, rewrite: str, match: TextSpan, bound: Mapping[str, TextSpan | None]) -> str:
        """Return the text that replaces a match; `bound` has what each metavariable matched."""
        outer = self._indentation_at(match.start)
        lines: list[str] = []
        for number, line in enumerate(rewrite.split("\n")):
            margin = outer + _leading(line) if number else outer
            pieces, texts = METAVARIABLE.split(line), []
            for at, name in enumerate(METAVARIABLE.findall(line)):
                span, pieces[at : at + 2] = self._between(bound.get(name), *pieces[at : at + 2])
                # Several nodes that go on in a line keep their distance from the match.
                leads = not at and number > 0 and not pieces[0].strip()
                is_one = not name.startswith("$$$") or span != bound.get(name)
                texts.append(self._moved(span, margin, None if leads or is_one else outer))
            filled = "".join(chain(*zip_longest(pieces, texts, fillvalue="")))
            if number and line.strip() and not filled.strip():
                continue  # it was a metavariable that matched nothing
            lines.append(outer + filled if number and filled.strip() else filled)
        return "\n".join(lines)

    def _between(
        self, span: TextSpan | None, before: str, after: str
    ) -> tuple[TextSpan | None, list[str]]:
        """Return a part with the line breaks between it and the brackets around it.

        That is, if the rewrite has it between brackets too; `before` and `after` are what the
        rewrite has there, and are returned without spaces that the breaks replace.
        """
        if span is None:
            return None, [before, after]
        head = self._text[max(span.start - _MAX_GAP_CHARS, 0) : span.start]
        tail = self._text[span.end : span.end + _MAX_GAP_CHARS]
        gap, rest = head[len(head.rstrip()) :], tail.lstrip()
        space = tail[: len(tail) - len(rest)]
        if "\n" in gap and _OPENING.search(head) and _OPENING.search(before):
            span, before = TextSpan(span.start - len(gap), span.end), before.rstrip()
        if "\n" in space and _CLOSING.match(tail) and _CLOSING.match(after):
            span, after = TextSpan(span.start, span.end + len(space)), after.lstrip()
        return span, [before, after]

    def _moved(self, span: TextSpan | None, margin: str, base: str | None) -> str:
        """Return a part of the text as it looks on a line with another indentation.

        `base` is the indentation that becomes the other one, by default that of its first line.
        """
        if span is None:
            return ""
        text = self._text[span.start : span.end]
        before = self._indentation_at(span.start) if base is None else base
        if before == margin:
            return text
        lines: list[str] = []
        at = span.start
        every = text.split("\n")
        for number, line in enumerate(every, start=1):
            is_blank = not line.strip() and number < len(every)  # the last is before a bracket
            is_kept = not lines or is_blank or self._is_in_literal(at)
            lines.append(line if is_kept else margin + line.removeprefix(before))
            at += len(line) + 1
        return "\n".join(lines)

    def _indentation_at(self, offset: int) -> str:
        return _leading(self._text[self._text.rfind("\n", 0, offset) + 1 : offset])

    def _is_in_literal(self, offset: int) -> bool:
        return any(it.start < offset < it.end for it in self._literals)


def _leading(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def replaced(text: str, changes: Sequence[tuple[TextSpan, str]]) -> str:
    """Return a text with some parts replaced; they are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for span, new in changes:
        parts += (text[at : span.start], new)
        at = span.end
    return "".join((*parts, text[at:]))
