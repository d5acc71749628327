"""Reads SQL from its tokens: tables, columns, routines, calls and comments.

A statement that is not understood is skipped, so that what follows it is read. What counts as an
error is a quote or bracket without its other end, and a statement that begins with no known word.
"""

from benchpin.facts import Comments, Facts, Halstead, Import, Links, Outline, SourceComment

from ._definitions import Definitions
from ._facts import FileLines, TokenTables
from ._tokens import Token, tokens_of

_DUMPS = (b"-- MySQL dump", b"-- MariaDB dump", b"-- PostgreSQL database dump")
_HEAD_BYTES = 400


def read(source: bytes) -> Facts:
    """Return the facts of a file."""
    lines = FileLines(source)
    tokens: list[Token] = []
    comments: list[SourceComment] = []
    imports: list[Import] = []
    for token in tokens_of(source):
        if token.role == "comment":
            comments.append(lines.comment(token))
        elif token.role == "command":
            imports += _included(token, lines.at(token.at))
        else:
            tokens.append(token)
    found = Definitions(tokens, source, lines)
    found.read()
    tables = TokenTables(tokens, lines, found.keywords)
    documented = {it.end_line for it in comments if not it.is_trailing}
    return Facts(
        Outline(
            language="sql",
            lines=lines.total,
            code_lines=lines.code(1, lines.total, comments),
            comment_lines=lines.commented(comments),
            is_generated=any(it in source[:_HEAD_BYTES] for it in _DUMPS),
            error_line=found.error_line,
            cyclomatic=found.file.cyclomatic,
            cognitive=found.file.cognitive,
            halstead=Halstead(*tables.halstead()),
            functions=tuple(it.as_function(lines, comments, documented) for it in found.routines()),
            types=tuple(it.as_type(documented) for it in found.types()),
            error=found.error,
        ),
        Links(
            imports=tuple(imports),
            exports=(),
            calls=(found.file.callees(), *(it.callees() for it in found.routines())),
            references=tables.references(),
            mentions=tables.mentions(),
        ),
        Comments(tuple(comments)),
        tables.tokens(),
    )


def _included(command: Token, line: int) -> tuple[Import, ...]:
    r"""Return the file that a command runs: `\i a.sql`, `@@a.sql`, `:r a.sql`, `source a.sql`."""
    words = command.text.decode(errors="replace").strip("; \t\r").split()
    first = words[0] if words else ""
    if first.startswith("@"):
        return (Import(first.lstrip("@"), (), line, int(first.startswith("@@"))),)
    if (
        first.lower() in {"\\i", "\\ir", "\\include", "\\include_relative", ":r", "source"}
        and words[1:]
    ):
        is_relative = first in {"\\ir", "\\include_relative"}
        return (Import(words[1].strip("'\""), (), line, int(is_relative)),)
    return ()


READ = read
