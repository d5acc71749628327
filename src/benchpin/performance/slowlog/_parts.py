"""Split a log into parts for several processes, and merge their digests."""

import os
import re

from ._digest import INHERITED, Part
from ._splitting import MAX_FAULTS
from ._totals import ClassTotals

# Smaller parts take less time than starting a process.
_MIN_PART_BYTES = 8 << 20
# How far to look for an event from the ideal position of a cut.
_WINDOW_BYTES = 1 << 20
_CUT = re.compile(
    rb";\n(?=(?:# Time: [^\n]*\n)?# User@Host: [^\n]*\n"
    rb"(?:# (?:Thread_id|Schema): [^\n]*\n)?# Query_time: )"
)


def find_cuts(file: int, size: int, count: int) -> list[int]:
    """Return the positions that split a file before events, into about `count` parts.

    If a cut is inside a literal that looks like an event, the previous part will not be clean.
    """
    count = min(count, size // _MIN_PART_BYTES)
    cuts = [0]
    for number in range(1, count):
        target = size * number // count
        window = os.pread(file, _WINDOW_BYTES, target)
        found = _CUT.search(window)
        if found and target + found.end() > cuts[-1]:
            cuts.append(target + found.end())
    return [*cuts, size]


def merge(parts: list[Part], most_classes: int) -> Part | None:
    """Return what a single reading would have found; None where that is not certain."""
    is_sound = all(part.is_clean for part in parts[:-1])
    if not is_sound or any(part.is_overfull or part.is_timeless for part in parts):
        return None
    whole = parts[0]
    for part in parts[1:]:
        _append(whole, part)
    return whole if len(whole.classes) <= most_classes else None


def _append(whole: Part, part: Part) -> None:
    _resolve_databases(part, whole.database)
    known = {it.fingerprint: it for it in whole.classes}
    numbers = []
    for totals in part.classes:
        mine = known.get(totals.fingerprint)
        if mine is None:
            mine = ClassTotals(totals.fingerprint, len(whole.classes))
            whole.classes.append(mine)
        mine.add(totals, whole.lines)
        numbers.append(mine.number)
    part.connections.renumber(numbers)
    events = whole.events + part.events
    whole.connections.follow(part.connections, whole.events, events)
    later = [(line + whole.lines, byte, problem) for line, byte, problem in part.faults]
    whole.faults = (whole.faults + later)[:MAX_FAULTS]
    whole.fault_count += part.fault_count
    whole.events = events
    whole.lines += part.lines
    whole.server = part.server or whole.server
    whole.database = whole.database if part.database == INHERITED else part.database


def _resolve_databases(part: Part, database: str | None) -> None:
    for totals in part.classes:
        totals.contexts = {
            (user, database if name == INHERITED else name) for user, name in totals.contexts
        }
