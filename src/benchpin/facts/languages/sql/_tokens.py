"""The tokens of SQL, whatever its dialect.

Dialects disagree about what some characters mean. What a file contains decides: a backslash escapes
only in the strings of MySQL, and `[name]` is a name where it cannot be an index.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

TokenRole = Literal["word", "name", "literal", "mark", "comment", "command"]

_MYSQL = re.compile(
    rb"`\w++`|\bENGINE\s*+=|^[ \t]*+DELIMITER\b|AUTO_INCREMENT", re.IGNORECASE | re.MULTILINE
)
# A quote that nothing closes goes on to the end of the file, so that it is read only once.
_TOKEN = rb"""
      (?P<comment> --[^\n]*+ | /\*.*?(?:\*/|\Z) | (?<![^\n])[ \t]*+\#[^\n]*+
        | (?<![^\n])[ \t]*+(?i:REM|REMARK|PROMPT)\b[^\n]*+ )
    | (?P<command> (?<![^\n])\\[^\n]*+ | (?<![^\n])[ \t]*+(?i:DELIMITER)[ \t][^\n]*+
        | (?<![^\n])[ \t]*+@@?[\w\\~$&-]*+[./][\w./\\~$&-]*+(?:[;\s][^\n]*+|\Z)
        | (?<![^\n]):(?i:r|setvar|on)\b[^\n]*+
        | (?<![^\n])(?i:source)[ \t]++[\w./-]++[^\n]*+ )
    | (?P<directive> \$(?i:if|elsif)\b[^$]*+(?:\$\$\w++[^$]*+)*+ | \$(?i:then|else|end|error)\b )
    | (?P<template> \{\{.*?(?:\}\}|\Z) | \{%.*?(?:%\}|\Z) | \{\#.*?(?:\#\}|\Z)
        | \$\{[^{}$\n]*+\} | \$\([^()$\n]*+\) )
    | (?P<string> '\\'(?=[ ]?[\n,;)]) | [qQ]'\[.*?(?:\]'|\Z) | [qQ]'\{.*?(?:\}'|\Z)
        | [qQ]'\(.*?(?:\)'|\Z) | [qQ]'<.*?(?:>'|\Z) | [qQ]'([^\s\w]).*?(?:\6'|\Z)
        | [eE]'(?:[^'\\]|''|\\.)*+(?:'|\\?\Z)
        | (?:[nNbBxX]|[uU]&|_\w{1,12}[ ]?)?'STRING(?:'|\\?\Z) )
    | (?P<quoted> "(?:[^"]|"")*+(?:"|\Z) | `[^`]*+(?:`|\Z)
        | (?<![\w\])])\[[A-Za-z_\#@][^\[\]\n]*+\] )
    | (?P<number> \d[\w.]*+ | \.\d\w*+ | \$\d++ | \?\d*+ | (?<![:\w]):[A-Za-z_]\w*+(?!:)
        | \$\$(?i:plsql_\w++) | %s\b | %\(\w++\)s )
    | (?P<dollar> \$(?:[A-Za-z_]\w*+)?\$ )
    | (?P<word> (?:[A-Za-z_\x80-\xff] | (?:@@?|\#\#?|&&?)(?=\w))[\w@\#$\x80-\xff]*+ )
    | (?P<mark> <=|>=|<>|!=|\^=|\|\||::|:=|=>|->>|->|\#>>|\#>|<<|>>|\*\*|\.\.|&&|//|[^\s] )
"""
_ESCAPED = rb"(?:[^'\\]|''|\\.)*+"
_PLAIN = rb"(?:[^']|'')*+"
_FLAGS = re.VERBOSE | re.DOTALL
# In MySQL a name has no `$` where that is what ends a statement.
_PATTERNS = {
    is_mysql: re.compile(
        _TOKEN.replace(b"STRING", _ESCAPED if is_mysql else _PLAIN).replace(
            b"\\#$\\x80", b"\\#\\x80" if is_mysql else b"\\#$\\x80"
        ),
        _FLAGS,
    )
    for is_mysql in (False, True)
}
_NO_TOKENS = frozenset({"comment", "command", "directive"})
_LANGUAGE = re.compile(rb"\bLANGUAGE\s+['\"]?(\w+)", re.IGNORECASE)
_CODE = frozenset({b"plpgsql", b"sql", b"edbspl"})
# How far from a body its language may be named.
_NEAR_BYTES = 2_000


class Token(msgspec.Struct, frozen=True, gc=False):
    """A token; `word` is in capitals where it may be a keyword, and begins with a quote if not."""

    role: TokenRole
    word: str
    text: bytes
    at: int


def tokens_of(source: bytes) -> Iterator[Token]:
    """Yield the tokens of a file; quotes that nothing closes are marks of their own."""
    pattern = _PATTERNS[_MYSQL.search(source) is not None]
    at, previous, opened, delimiter = 0, "", b"", b""
    while (found := pattern.search(source, at)) is not None:
        text, start, kind = found.group(), found.start(), found.lastgroup or ""
        at = found.end()
        if kind in _NO_TOKENS:
            if text.lstrip()[:9].upper() == b"DELIMITER":
                delimiter = text.split()[1]
            lead = len(text) - len(text.lstrip())
            role: TokenRole = "comment" if kind == "comment" else "command"
            yield Token(role, "", text[lead:], start + lead)
            continue
        if text == delimiter:
            token = Token("mark", ";", text, start)
        elif kind != "dollar":
            token = _token(kind, text, start)
        elif text == opened or _is_body(source, start, text, previous):
            opened = b"" if text == opened else text
            token = Token("mark", "$$", text, start)
        else:
            end = source.find(text, at)
            at = len(source) if end < 0 else end + len(text)
            token = Token("literal", "'", source[start:at], start)
        previous = token.word
        yield token


def _token(kind: str, text: bytes, at: int) -> Token:
    if kind == "word":
        return Token("word", text.decode(errors="replace").upper(), text, at)
    if kind == "mark":
        return Token("mark", text.decode(errors="replace"), text, at)
    if kind in {"quoted", "string"} and (len(text) == 1 or text[-1:] not in {b"]", text[:1], b"'"}):
        return Token("mark", "'", text, at)
    if kind == "quoted":
        name = text[1:-1]
        return Token("name", f'"{name.decode(errors="replace")}"', name, at + 1)
    return Token("literal", "'", text, at)


def _is_body(source: bytes, start: int, mark: bytes, previous: str) -> bool:
    """Whether a mark begins the body of a function in SQL or PL/pgSQL."""
    end = source.find(mark, start + len(mark))
    return previous in {"AS", "DO", "IS"} and end >= 0 and _is_code(source, start, end, mark)


def _is_code(source: bytes, start: int, end: int, mark: bytes) -> bool:
    """Whether the text between two marks is SQL or PL/pgSQL, by the language that is named."""
    after = source[end + len(mark) : end + _NEAR_BYTES].partition(b";")[0]
    before = source[max(0, start - _NEAR_BYTES) : start].rpartition(b";")[2]
    named = _LANGUAGE.search(after) or _LANGUAGE.search(before)
    return named is None or named[1].lower() in _CODE
