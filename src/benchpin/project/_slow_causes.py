"""Why the hot functions of a snapshot are slow: its profiles and their source together."""

from benchpin.performance.causes import (
    Cause,
    FunctionKey,
    HotCode,
    ProfileGraph,
    busiest,
    find_causes,
)
from benchpin.performance.findings import HotSpan
from benchpin.performance.snapshots import Snapshot
from benchpin.workspace.files import Unreadable, read_regular

from ._profiled_functions import ProfileCall, ProfiledFunctions

# Functions of a profile to look up in the workspace.
_MAX_FUNCTIONS = 400
_MAX_BYTES = 1 << 20


def causes_of(snapshot: Snapshot, call: ProfileCall) -> list[Cause]:
    """Return why functions of the workspace are slow, the largest saving first."""
    graph = ProfileGraph(each.profile for each in snapshot.profiles)
    functions, texts = ProfiledFunctions(call), dict[str, str]()
    code: dict[FunctionKey, HotCode] = {}
    for key in call.job.timed(busiest(graph, _MAX_FUNCTIONS)):
        place = functions.place(HotSpan(key.function, key.file, key.line, 0))
        if place is None:
            continue
        if place.file not in texts:
            texts[place.file] = _text(place.file, call)
        function = place.function
        code[key] = HotCode(
            function.name, place.file, function.line, function.end_line, texts[place.file]
        )
    return find_causes(graph, code)


def _text(path: str, call: ProfileCall) -> str:
    try:
        content = read_regular(str(call.workspace.root).encode(), path, _MAX_BYTES)[0]
    except Unreadable:
        return ""
    return content.decode("utf-8", "replace")
