"""SQL that is written in sources, compared with statements that a server logged.

A text of any language is searched for strings that begin like a statement, with what is joined to
them. Both sides are compared as fingerprints, so that values and their placeholders are equal.
What a program puts in between, such as a condition or the name of a table, may be anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from benchpin.performance.slowlog import fingerprint

# Longer texts are data, and no statements.
_MAX_STATEMENT_CHARS = 8_000
_MAX_STATEMENTS = 2_000
_MAX_JOINED = 60
# Of what is not fixed, at least this much has to be.
_MIN_FIXED_CHARS = 20
_MIN_FIXED_SHARE = 0.4
_BEGINS = (
    r"(?:\(\s*)?(?:select|insert(?:\s+ignore)?\s+into|update|delete\s+from|replace\s+into|merge\s+into"
    r"|with\s+(?:recursive\s+)?\w+\s+as)\b"
)
_OPENING = re.compile(
    rf"(?P<quote>\"\"\"|'''|`|\"|')(?=\s{{0,200}}{_BEGINS})"
    rf"|<<[<~-]?[\"']?(?P<word>[A-Z]{{2,12}})[\"']?[^\n]{{0,80}}\n(?=\s{{0,200}}{_BEGINS})",
    re.IGNORECASE,
)
# A string that follows at once, or after an operator that joins, perhaps with a value between.
_JOINED = re.compile(
    r"\s{0,200}(?:\\\s{0,200})?(?:(?:\+|\.|\|\||<<)\s{0,200}"
    r"(?:(?P<value>[\w.$\[\]()>-]{1,80}?)\s{0,200}(?:\+|\.|\|\|)\s{0,200})?)?"
    r"[rbfuRBFU]{0,2}(?P<quote>\"\"\"|'''|`|\"|')"
)
_HOLE = "benchpin_hole"
_PUT_IN = re.compile(r"[$#]?\{[^{}\n]{0,200}\}|%[sdiq](?=\W|$)(?<!%%)|\$\w+(?:->\w+)*")
_VALUE = re.compile(
    r"%\(\w{1,60}\)s|%s|(?<![:\w]):[A-Za-z_]\w{0,60}|\$[0-9]{1,3}\b|(?<!@)@[a-zA-Z_]\w{0,60}"
)
# In standard SQL it is a name; a text of MySQL with these quotes is hardly ever one word.
_NAME = re.compile(r'"(\w{1,64})"')
# There is one blank at most: the fingerprint has joined the others.
_SPACED = re.compile(r" ?([(),=<>;+*/|!-]) ?")
_LISTS = re.compile(r"\b(in|values)\s*\((?:\?|benchpin_hole)(?:\+|,|\?|benchpin_hole)*\)")


@dataclass(frozen=True, slots=True)
class WrittenStatement:
    """A statement in a source, in the form that `comparable` returns."""

    line: int
    pieces: tuple[str, ...]
    """What is fixed; anything may be between two of them."""

    def sends(self, statement: str) -> bool | None:
        """Whether it sends a statement; None if it may, with parts that are not in the source."""
        if len(self.pieces) == 1 and self.pieces[0] == statement:
            return True
        fixed = sum(map(len, self.pieces))
        if fixed < max(_MIN_FIXED_CHARS, _MIN_FIXED_SHARE * len(statement)):
            return False
        at = 0
        for number, piece in enumerate(self.pieces):
            found = statement.find(piece, at)
            if found < 0 or (number == 0 and found > 0):
                return False
            at = found + len(piece)
        # The rest was added to it later, as a condition is: a name does not go on.
        rest = statement[at:]
        return None if not rest or not (rest[0].isalnum() or rest[0] in "_.") else False


def statements_in(text: str) -> Iterator[WrittenStatement]:
    """Yield the statements of a source, each with its line."""
    at, line, counted = 0, 1, 0
    for _ in range(_MAX_STATEMENTS):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        written, at = _string(text, opening)
        line, counted = line + text.count("\n", counted, opening.start()), opening.start()
        if pieces := _pieces(written):
            yield WrittenStatement(line, pieces)


def _string(text: str, opening: re.Match[str]) -> tuple[str, int]:
    """Return a string with those that are joined to it, and where the last one ends."""
    if opening["word"]:
        ending = re.compile(rf"\n[ \t]*{opening['word']}\b")
        end = ending.search(text, opening.end(), opening.end() + _MAX_STATEMENT_CHARS)
        return (
            ("", opening.end()) if end is None else (text[opening.end() : end.start()], end.end())
        )
    found, at = _until(text, opening.end(), opening["quote"])
    for _ in range(_MAX_JOINED):
        following = _JOINED.match(text, at)
        if following is None or len(found) > _MAX_STATEMENT_CHARS:
            break
        more, at = _until(text, following.end(), following["quote"])
        found += (f"{{{_HOLE}}}" if following["value"] else "") + more
    return found, at


def _until(text: str, start: int, quote: str) -> tuple[str, int]:
    """Return what is between quotes, without backslashes before marks, and where it ends."""
    at = start
    while True:
        end = text.find(quote, at, start + _MAX_STATEMENT_CHARS)
        if end < 0:
            return "", start
        inside = text[start:end]
        slashes = len(inside) - len(inside.rstrip("\\"))
        if slashes % 2 == 0:
            return re.sub(r"\\(?:\n|(.))", r"\1", inside), end + len(quote)
        at = end + 1


def _pieces(written: str) -> tuple[str, ...]:
    if len(written) > _MAX_STATEMENT_CHARS or not written:
        return ()
    bare = _VALUE.sub("?", written.replace("%%", "%"))
    bare = _PUT_IN.sub(f" {_HOLE} ", _NAME.sub(r"\1", bare))
    found = comparable(_fingerprint(bare))
    return tuple(it for it in found.split(_HOLE) if it)


def _fingerprint(sql: str) -> str:
    return fingerprint(sql.strip().rstrip(";").encode("utf-8", "replace")).decode(
        "utf-8", "replace"
    )


@lru_cache(maxsize=1_000)
def comparable(statement: str) -> str:
    """Return a fingerprint without what servers and programs write differently."""
    text = statement.replace("`", "").replace('"', "").strip().rstrip(";").lower()
    text = _SPACED.sub(r"\1", " ".join(text.split()))
    return _LISTS.sub(r"\1(?+)", text)
