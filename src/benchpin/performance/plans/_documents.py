"""Find the JSON in what a client printed: around it may be a statement, a head and a frame."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from benchpin.performance.reading import FaultLog

_MAX_DOCUMENTS = 1_000
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "0": "\0"}
_FRAMED = re.compile(r"^ *QUERY PLAN *\r?\n-+\r?\n", re.MULTILINE)
_FRAME = re.compile(r"(?<! ) *+\+\r?$", re.MULTILINE)
_START = re.compile(r'[\[{]\s*+(?:[{"]|\\n)')
_ONE_LINE = re.compile(r"\{\\n")
_EXPLAIN = re.compile(r"\b(?:EXPLAIN|ANALYZE)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE|MERGE)\b", re.IGNORECASE)
_HEAD_OF_RESULT = re.compile(r"\n {0,200}(?:QUERY PLAN|EXPLAIN|ANALYZE|\*\*\*)")


class Members(dict[str, object]):
    """A JSON object that keeps members of the same name: MariaDB writes each table of a join so."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


@dataclass(frozen=True, slots=True)
class Documents:
    """The JSON values of a file, and the statement that is written before them."""

    statement: str | None
    values: tuple[object, ...]


def documents(text: str, faults: FaultLog) -> Documents:
    """Return what a file with plans contains, up to where it is damaged."""
    framed = _FRAMED.search(text)
    if framed:
        text = text[: framed.start()] + "\n" + _FRAME.sub("", text[framed.end() :])
    first = _START.search(text)
    if first is None:
        faults.add("byte 0", "there is no JSON in it")
        return Documents(None, ())
    if _ONE_LINE.match(text, first.start()):  # `mysql --batch` escapes the ends of lines
        body = _ESCAPED.sub(lambda it: _UNESCAPED.get(it[1], it[1]), text[first.start() :])
        text = text[: first.start()] + body
    values = _values(text, first.start(), faults)
    return Documents(_statement(text[: first.start()]), tuple(values))


def _values(text: str, at: int, faults: FaultLog) -> list[object]:
    decode: Callable[[str, int], tuple[object, int]]
    decode = json.JSONDecoder(object_pairs_hook=Members).raw_decode
    values: list[object] = []
    while len(values) < _MAX_DOCUMENTS:
        try:
            value, at = decode(text, at)
        except RecursionError:
            faults.add(f"character {at}", "it is nested too deeply")
            break
        except ValueError as error:
            faults.add(f"character {at}", f"no JSON from there on: {str(error)[:100]}")
            break
        values.append(value)
        following = _START.search(text, at)
        if following is None:
            break
        at = following.start()
    return values


def _statement(before: str) -> str | None:
    explain = _EXPLAIN.search(before)
    verb = _VERB.search(before, explain.end()) if explain else None
    if verb is None:
        return None
    head = _HEAD_OF_RESULT.search(before, verb.end())
    return before[verb.start() : head.start() if head else None].strip().rstrip(";")
