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
_MANY_ROWS = 1_000
# A scan that keeps one row of ten, or fewer, reads too many.
_KEPT_OF_READ = 10
_MIN_COST = 1_000
_MOSTLY = 0.5
_MAX_NODES = 2_000
_NODE = re.compile(
    r"(?P<indent> *)(?:->  )?(?:Parallel )?(?P<type>[A-Z][\w ]{1,60}?)(?: using \S{1,200})?"
    r"(?: on (?P<table>\S{1,200})(?: (?P<alias>\S{1,200}))?)?  \(cost=[\d.]{1,30}\.\."
    r"(?P<cost>[\d.]{1,30}) rows=(?P<estimated>\d{1,18}) width=\d{1,9}\)"
    r"(?: \(actual (?:time=[\d.]{1,30}\.\.(?P<time>[\d.]{1,30}) )?rows=(?P<rows>[\d.]{1,18})"
    r" loops=(?P<loops>\d{1,18})\))?"
)
_DETAIL = re.compile(r" *(?P<name>Filter|Join Filter|Rows Removed by Filter): (?P<value>.*)")
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


def wasteful_scans(plan: QueryPlan) -> list[PlanStep]:
    return [step for step in plan.steps if _is_wasteful(step, plan)]


def _is_wasteful(step: PlanStep, plan: QueryPlan) -> bool:
    if step.access != "scan" or step.condition is None or step.is_cut_short:
        return False
    if step.read_rows is not None and step.rows is not None:
        return step.read_rows >= _MANY_ROWS and step.rows * _KEPT_OF_READ <= step.read_rows
    if step.read_rows is not None:  # of MySQL, which estimates what is read, and often not the rest
        return step.read_rows >= _MANY_ROWS
    whole = max((it.cost or 0 for it in plan.steps), default=0)
    cost, rows = step.cost or 0, step.estimated_rows or 0
    return cost >= _MIN_COST and cost >= _MOSTLY * whole and rows <= cost


def nested_plan(text: str) -> dict[str, object] | None:
    """Return a plan that PostgreSQL printed as text, nested as in its JSON; None without a step."""
    open_nodes: list[tuple[int, dict[str, object]]] = []
    root: dict[str, object] | None = None
    for line in text.splitlines()[: 10 * _MAX_NODES]:
        found = _NODE.match(line.expandtabs(8))
        if found is None:
            detail = _DETAIL.match(line.expandtabs(8))
            if detail and open_nodes:
                open_nodes[-1][1].setdefault(detail["name"], _detail(detail))
            continue
        node = _node(found)
        indent = len(found["indent"])
        while open_nodes and open_nodes[-1][0] >= indent:
            open_nodes.pop()
        if root is None:
            root = node
        elif open_nodes:
            below = open_nodes[-1][1].setdefault("Plans", [])
            if isinstance(below, list):
                below.append(node)
        open_nodes.append((indent, node))
    return root


def _detail(found: re.Match[str]) -> object:
    value = found["value"]
    is_number = found["name"].startswith("Rows") and value.isdecimal() and len(value) <= 18  # noqa: PLR2004 - of 64 bits
    return int(value) if is_number else value


def _node(found: re.Match[str]) -> dict[str, object]:
    names = {
        "Node Type": "type",
        "Relation Name": "table",
        "Alias": "alias",
        "Total Cost": "cost",
        "Plan Rows": "estimated",
        "Actual Total Time": "time",
        "Actual Rows": "rows",
        "Actual Loops": "loops",
    }
    return {name: found[group] for name, group in names.items() if found[group] is not None}


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
