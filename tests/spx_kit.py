"""Real profiles with what SPX itself computes of them, and profiles written by the tests."""

import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypedDict

from benchpin.core.calls import Job
from benchpin.performance.formats._spx import read_profile
from benchpin.performance.reading import ArtifactSource, Budget, ReadRequest
from benchpin.performance.values import Profile

PROFILES = Path(__file__).parent / "fixtures" / "performance" / "spx"
BUFFER_EVENTS = 8192
MIN_REFERRED = 100
FARTHEST_WRITTEN = 4


class ExpectedFunction(TypedDict):
    name: str
    called: int
    max_cycle_depth: int
    exc: dict[str, float]
    inc: dict[str, float]


class Expected(TypedDict):
    metrics: list[str]
    function_count: int
    sum_called: int
    sum_exclusive: dict[str, float]
    metadata_wall_time_ms_field: int
    functions: list[ExpectedFunction]


def expected() -> dict[str, Expected]:
    found: dict[str, Expected] = json.loads((PROFILES / "expected.json").read_text("utf-8"))
    return found


def text_of(name: str) -> bytes:
    [place] = PROFILES.glob(f"{name}.txt.*")
    return place.read_bytes()


def metadata_of(name: str) -> bytes:
    return (PROFILES / f"{name}.json").read_bytes()


def read_spx(
    metadata: bytes | None, text: BinaryIO, budget: Budget | None = None, job: Job | None = None
) -> Profile:
    request = ReadRequest("spx-text-v2", budget or Budget(), metadata=metadata)
    return read_profile(ArtifactSource(text, request, job or Job()))


def read_named(name: str, budget: Budget | None = None) -> Profile:
    return read_spx(metadata_of(name), BytesIO(text_of(name)), budget)


def read_text(text: str | bytes, budget: Budget | None = None) -> Profile:
    raw = text.encode() if isinstance(text, str) else text
    return read_spx(None, BytesIO(raw), budget)


@dataclass(frozen=True)
class Event:
    is_enter: bool
    function: int
    values: tuple[int, ...]


@dataclass
class Sums:
    """Sum the naive way: walk the events with a stack of open calls."""

    calls: Counter[int] = field(default_factory=Counter)
    own: dict[int, list[int]] = field(default_factory=dict)
    inclusive: dict[int, list[int]] = field(default_factory=dict)
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)
    depth: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def random_events(
    seed: int, *, calls: int, functions: int, metrics: int, deepest: int = 30
) -> list[Event]:
    """Make calls and returns at random, several roots among them."""
    chance = random.Random(seed)  # noqa: S311 - no secret is made of it
    now = [0] * metrics
    stack: list[int] = []
    events: list[Event] = []
    entered = 0
    while entered < calls or stack:
        now = [value + chance.choice((0, 0, 1, 7, 1000, 123_456)) for value in now]
        if metrics > 1:
            now[-1] -= chance.choice((0, 3, 5000))
        can_enter = entered < calls and len(stack) < deepest
        is_enter = can_enter and (not stack or chance.random() < 0.55)
        if is_enter:
            stack.append(chance.randrange(functions))
            entered += 1
            events.append(Event(True, stack[-1], tuple(now)))
        else:
            events.append(Event(False, stack.pop(), tuple(now)))
    return events


def add_up(events: list[Event], metrics: int) -> Sums:
    sums = Sums()
    stack: list[tuple[Event, list[int]]] = []
    for event in events:
        if event.is_enter:
            sums.calls[event.function] += 1
            if stack:
                sums.pairs[stack[-1][0].function, event.function] += 1
            depth = sum(entered.function == event.function for entered, _ in stack)
            sums.depth[event.function] = max(sums.depth[event.function], depth)
            stack.append((event, [0] * metrics))
            continue
        entered, inner = stack.pop()
        spent = [end - start for end, start in zip(event.values, entered.values, strict=True)]
        own = sums.own.setdefault(event.function, [0] * metrics)
        inclusive = sums.inclusive.setdefault(event.function, [0] * metrics)
        is_outermost = all(other.function != event.function for other, _ in stack)
        for place in range(metrics):
            own[place] += spent[place] - inner[place]
            inclusive[place] += spent[place] if is_outermost else 0
            if stack:
                stack[-1][1][place] += spent[place]
    return sums


def written_04(events: list[Event], functions: int) -> str:
    lines = [
        f"{event.function} {int(event.is_enter)} {' '.join(map(_decimal, event.values))}\n"
        for event in events
    ]
    names = [f"f{number}\n" for number in range(functions)]
    return "".join(["[events]\n", *lines, "[functions]\n", *names])


def written_05(events: list[Event], functions: int) -> str:
    lines: list[str] = []
    for place, event in enumerate(events):
        in_buffer = place % BUFFER_EVENTS
        before = events[place - 1].values if in_buffer else None
        values = [
            f"a{value}" if before is None else str(value - before[it] or "")
            for it, value in enumerate(event.values)
        ]
        name = _reference(events, place, in_buffer)
        head = f"{place % 4096:x}|{name}" if event.is_enter else f"-{name}"
        lines.append("|".join([head, *values]) + "\n")
    names = [f"/srv/app.php:{number + 1}:f{number}\n" for number in range(functions)]
    return "".join(["[events]\n", *lines, "[functions]\n", *names])


def _decimal(value: int) -> str:
    """Write a number as 0.4 does: times 10,000, a half added, cut towards zero, zeros dropped."""
    if value >= 0:
        return str(value)
    whole = f"{-value - 1}.9999"
    return "-" + (whole if value < -1 else ".9999")


def _reference(events: list[Event], place: int, in_buffer: int) -> str:
    function = events[place].function
    for distance in range(1, min(FARTHEST_WRITTEN, in_buffer) + 1):
        if function >= MIN_REFERRED and events[place - distance].function == function:
            return f"r{distance}"
    return str(function)
