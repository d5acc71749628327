"""Patterns of code: what a metavariable is, and how a pattern is parsed in each language.

The matching is ast-grep's. A pattern is parsed as a piece of the language; where it alone means
something else (`foo(a)` in C is a type), it is parsed inside a context, and matched without it.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from benchpin.facts import languages

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

MAX_CHARS = 2_000
METAVARIABLE = re.compile(r"\$\$\$[A-Z_][A-Z0-9_]*|\$\$\$|\${1,2}[A-Z_][A-Z0-9_]*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STAND_IN = "standin"


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
        PatternRefused: when the pattern cannot be parsed as one piece of code.
    """
    from ast_grep_py import SgRoot  # noqa: PLC0415 - loads every grammar

    sample = METAVARIABLE.sub(_STAND_IN, pattern)
    alone = ("", "")
    table = languages.table_of(language)
    contexts = table.contexts
    for before, after in (*contexts, alone) if table.needs_context else (alone, *contexts):
        root = SgRoot(f"{before}{sample}{after}", language).root()
        if has_faults(root):
            continue
        span = (len(before), len(before) + len(sample))
        kinds = [it.kind() for it in walk(root) if it.is_named() and _span(it) == span]
        kind = kinds[-1] if kinds else ""  # the innermost, as ast-grep takes it without a context
        if kind and before:
            context = f"{before}{pattern}{after}"
            return cast("Config", {"rule": {"pattern": {"context": context, "selector": kind}}})
        if kind:
            break
    rule: Config = {"rule": {"pattern": pattern}}
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
