"""The steps of a plan, in the terms that all servers share."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import ArtifactFault, Dialect, PublishedValue

Access = Literal["scan", "index", "join", "sort", "other"]
_MAX_NUMBER = 1 << 53
_MAX_NAME_CHARS = 200
_US_PER_MS = 1_000
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


class PlanStep(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """What the server does, and where it was run also how much of it; counts are over all loops."""

    operation: str
    """In the words of the server, such as `Seq Scan` or `ALL`."""
    parent: int = -1
    access: Access = "other"
    table: str | None = None
    alias: str | None = None
    index: str | None = None
    condition: str | None = None
    """What rows are kept by, after they were read, without its values."""
    estimated_rows: int | None = None
    """That it returns in one loop."""
    rows: int | None = None
    """That it returned."""
    read_rows: int | None = None
    """That it read, or would read; None where only the cost is known."""
    loops: int | None = None
    time_us: int | None = None
    """With the steps below it."""
    cost: int | None = None
    is_inner: bool = False
    """Whether it runs once for each row of the other side of a join."""
    is_cut_short: bool = False
    """Whether a step above it may stop before all of its rows were read, such as LIMIT."""
    is_on_disk: bool = False
    """Whether it did not fit into memory."""
    disk_bytes: int | None = None
    unused_indexes: tuple[str, ...] = ()
    """That the server considered and did not choose."""


class QueryPlan(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """How a server runs a statement, or ran it."""

    dialect: Dialect
    query_id: str | None = None
    """The class of the statement, where its text is known."""
    fingerprint: str | None = None
    was_run: bool
    time_us: int | None = None
    steps: tuple[PlanStep, ...]
    """Steps come after the one that uses their rows."""


class Plans(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """The plans of one file; a snapshot keeps them without faults."""

    source: str = ""
    """SHA-256 of their file, in a snapshot."""
    version: str
    plans: tuple[QueryPlan, ...]
    is_complete: bool
    faults: tuple[ArtifactFault, ...] = ()


# Numbers and names from a plan, which anyone may have written.


def number(members: Mapping[str, object], *names: str) -> float | None:
    """Return the first member of these names as a number; MySQL writes some as text."""
    found = next((members[name] for name in names if name in members), None)
    if isinstance(found, str) and len(found) <= 40:  # noqa: PLR2004 - no number is longer
        try:
            found = float(found)
        except ValueError:
            return None
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if is_number and 0 <= found <= _MAX_NUMBER else None  # type: ignore[arg-type, operator]  # checked before


def whole(value: float | None, factor: float | None = 1) -> int | None:
    """Return a number times a factor as a whole one; None where one of them is unknown."""
    product = None if value is None or factor is None else value * factor
    # Not a number compares false: nothing times an infinite number of rows.
    return round(product) if product is not None and product <= _MAX_NUMBER else None


def microseconds(members: Mapping[str, object], *names: str, loops: float = 1) -> int | None:
    """Return milliseconds of each loop as microseconds of all of them."""
    found = number(members, *names)
    return None if found is None else whole(found * _US_PER_MS, loops)


def name(members: Mapping[str, object], key: str) -> str | None:
    found = members.get(key)
    return found[:_MAX_NAME_CHARS] if isinstance(found, str) and found else None


# Find the JSON in what a client printed: around it may be a statement, a head and a frame.


class JsonMembers(dict[str, object]):
    """A JSON object that keeps members of the same name: MariaDB writes each table of a join so."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


@dataclass(frozen=True, slots=True)
class Documents:
    """The JSON values of a file, and the statement that is written before them."""

    statement: str | None
    values: tuple[object, ...]


def documents(text: str, source: ArtifactSource) -> Documents:
    framed = _FRAMED.search(text)
    if framed:
        text = text[: framed.start()] + "\n" + _FRAME.sub("", text[framed.end() :])
    first = _START.search(text)
    if first is None:
        source.faults.add("byte 0", "there is no JSON in it")
        return Documents(None, ())
    if _ONE_LINE.match(text, first.start()):  # `mysql --batch` escapes the ends of lines
        body = _ESCAPED.sub(lambda it: _UNESCAPED.get(it[1], it[1]), text[first.start() :])
        text = text[: first.start()] + body
    values = _values(text, first.start(), source)
    return Documents(_statement(text[: first.start()]), tuple(values))


def _values(text: str, at: int, source: ArtifactSource) -> list[object]:
    def members(pairs: list[tuple[str, object]]) -> JsonMembers:
        source.spend(1 + len(pairs))
        return JsonMembers(pairs)

    decode: Callable[[str, int], tuple[object, int]]
    decode = json.JSONDecoder(object_pairs_hook=members).raw_decode
    faults = source.faults
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
