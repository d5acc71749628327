"""Profiles of pyinstrument: what `pyinstrument -r json` writes."""

import re

import msgspec

from benchpin.performance.calls import ROOT, ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile, ProfiledRequest

from ._source import FunctionTable, decoded, profile_format, whole

NAME = "pyinstrument"
_NS_PER_S = 1_000_000_000
_US_PER_S = 1_000_000
# A frame for what its parent spends itself.
_SELF = "[self]"
_MARKS = re.compile(rb'"(?:root_frame|sample_count|start_time|duration|target_description)"\s*:')


class _Frame(msgspec.Struct):
    function: str
    time: float
    file_path: str | None = None
    line_no: int | None = None
    children: list["_Frame"] = msgspec.field(default_factory=list)


class _Document(msgspec.Struct):
    root_frame: _Frame | None
    start_time: float = 0
    duration: float = 0
    sample_count: int = 0
    target_description: str = ""


def fits(head: bytes) -> bool:
    """Whether it has at least three of the members of a session."""
    return head.lstrip().startswith(b"{") and len(set(_MARKS.findall(head[:4096]))) > 2  # noqa: PLR2004


def read(source: ArtifactSource) -> Profile:
    """Read the time of each stack: what a frame has beyond its children is its own."""
    document = decoded(source.document(), _Document)
    calls = ProfileBuilder(1, source)
    functions = FunctionTable(source)
    [own] = calls.tree.costs
    pending = [(document.root_frame, ROOT)] if document.root_frame else []
    while pending:
        source.spend()
        frame, parent = pending.pop()
        number = functions.number(frame.function, frame.file_path, frame.line_no)
        is_own = frame.function == _SELF
        node = parent if is_own else calls.tree.child(parent, number)
        time = whole(frame.time, _NS_PER_S)
        own[node] += time
        if parent != ROOT:
            own[parent] -= time
        pending += [(each, node) for each in frame.children]
    request = ProfiledRequest(
        key=document.target_description or "pyinstrument",
        started_at_us=whole(document.start_time, _US_PER_S) or None,
        command=document.target_description or None,
        wall_time_ns=whole(document.duration, _NS_PER_S) or None,
    )
    return calls.profile(
        NAME, ("wt",), functions.names, events=document.sample_count, request=request
    )


FORMAT = profile_format(NAME, fits, read)
