"""Match a pattern against files, in a process of its own.

ast-grep's matching is native code that holds the interpreter, and its parsers can hang.
`python -m benchpin.code.structure._match_worker` reads orders and answers with one `FileMatches`
for each of their files, in their order.
"""

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from benchpin.system.processes import READY, limit_memory, read_message, set_alarm, write_message
from benchpin.workspace.files import Unreadable, read_regular

from ._pattern import (
    PatternRefused,
    SourceLayout,
    TextSpan,
    has_faults,
    names_of,
    replaced,
    rule_for,
    walk,
    words_of,
)

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

FILE_TIMEOUT_S = 20
_MEMORY_BYTES = 2 << 30
_MAX_FILE_BYTES = 4 << 20
# Described in one file; all are counted, and rewritten.
_MAX_MATCHES = 1_000
# Shown of a match, and of what a metavariable matched.
_MAX_CHARS = 200
_LITERALS = ("string", "template", "heredoc", "char", "text_block")


class MatchOrder(msgspec.Struct, frozen=True):
    """Files to look at, with the language of each, and what to find in them."""

    root: bytes
    files: tuple[tuple[str, str], ...]
    pattern: str
    rewrite: str | None = None


class Match(msgspec.Struct, frozen=True):
    """One place that a pattern fits; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    text: str
    variables: dict[str, str]


class FileMatches(msgspec.Struct, frozen=True):
    path: str
    count: int = 0
    matches: list[Match] = []
    problem: str = ""
    """Why the file was not searched, or not rewritten."""
    refused: str = ""
    """Why the pattern means nothing in the language of the file."""
    before: bytes = b""
    after: bytes | None = None
    """The content after the rewrite; None if there is no rewrite, or it is refused."""
    inside_others: int = 0
    """Matches that are part of another one, which are not rewritten."""


def find(order: MatchOrder, path: str, language: str) -> FileMatches:
    """Search one file, and rewrite what is found if that is wanted."""
    try:
        content, _ = read_regular(order.root, path, _MAX_FILE_BYTES + 1)
    except Unreadable as error:
        return FileMatches(path, problem=str(error))
    if not all(word in content for word in words_of(order.pattern)):
        return FileMatches(path)
    if len(content) > _MAX_FILE_BYTES:
        return FileMatches(path, problem=f"larger than {_MAX_FILE_BYTES >> 20} MiB")
    try:
        text, rule = content.decode(), _rule(order.pattern, language)
    except UnicodeDecodeError:
        return FileMatches(path, problem="not UTF-8")
    except PatternRefused as error:
        return FileMatches(path, refused=str(error))
    from ast_grep_py import SgRoot  # noqa: PLC0415 - in this process only

    root = SgRoot(text, language).root()
    nodes = root.find_all(rule)
    names = names_of(order.pattern)
    shown = [_described(text, node, names) for node in nodes[:_MAX_MATCHES]]
    found = FileMatches(path, len(nodes), shown)
    if order.rewrite is None or not nodes:
        return found
    outer = list(_outermost(nodes))
    if len(order.rewrite) * len(outer) + len(text) > _MAX_FILE_BYTES:
        larger = f"would be larger than {_MAX_FILE_BYTES >> 20} MiB"
        return msgspec.structs.replace(found, problem=larger)
    after = _rewritten(text, root, outer, names, order.rewrite)
    if has_faults(SgRoot(after, language).root()) and not has_faults(root):
        return msgspec.structs.replace(found, problem="would no longer parse")
    return msgspec.structs.replace(
        found,
        before=content,
        after=after.encode(),
        inside_others=len(nodes) - len(outer),
    )


@lru_cache(64)
def _rule(pattern: str, language: str) -> "Config":
    return rule_for(pattern, language)


def _described(text: str, node: "SgNode", names: list[str]) -> Match:
    place = node.range()
    bound = {name: _bound(node, name) for name in names}
    return Match(
        line=place.start.line + 1,
        column=place.start.column + 1,
        end_line=place.end.line + 1,
        text=_shown(node.text()),
        variables={name: _shown(text[it.start : it.end]) for name, it in bound.items() if it},
    )


def _bound(node: "SgNode", name: str) -> TextSpan | None:
    """Return what a metavariable matched; None if it matched nothing."""
    if name.startswith("$$$"):
        nodes = node.get_multiple_matches(name[3:])
        return _span(nodes[0], nodes[-1]) if nodes else None
    one = node.get_match(name.lstrip("$"))
    return None if one is None else _span(one, one)


def _shown(text: str) -> str:
    first, _, rest = text.partition("\n")
    cut = first[:_MAX_CHARS].rstrip()
    return f"{cut} …" if rest or len(first) > _MAX_CHARS else cut


def _outermost(nodes: list["SgNode"]) -> Iterator["SgNode"]:
    end = -1
    for node in nodes:
        place = node.range()
        if place.start.index >= end:
            yield node
            end = place.end.index


def _rewritten(
    text: str, root: "SgNode", nodes: list["SgNode"], names: list[str], rewrite: str
) -> str:
    literals = [_span(it, it) for it in walk(root) if any(kind in it.kind() for kind in _LITERALS)]
    layout = SourceLayout(text, literals)
    newline = "\r\n" if "\r\n" in text else "\n"
    changes = []
    for node in nodes:
        bound = {name: _bound(node, name) for name in names}
        span = _span(node, node)
        filled = layout.fill(rewrite.replace("\r\n", "\n").replace("\n", newline), span, bound)
        changes.append((span, filled))
    return replaced(text, changes)


def _span(first: "SgNode", last: "SgNode") -> TextSpan:
    return TextSpan(first.range().start.index, last.range().end.index)


def main() -> None:
    """Answer orders until the pipe ends."""
    import ast_grep_py  # noqa: F401, PLC0415 - before the limit on memory

    limit_memory(_MEMORY_BYTES)
    orders, answers = sys.stdin.buffer, sys.stdout.buffer
    decode = msgspec.msgpack.Decoder(MatchOrder).decode
    write_message(answers, READY)
    while message := read_message(orders):
        order = decode(message)
        for path, language in order.files:
            set_alarm(2 * FILE_TIMEOUT_S)
            write_message(answers, msgspec.msgpack.encode(find(order, path, language)))
            set_alarm(0)


if __name__ == "__main__":
    main()
