"""Read a whole profile: text and metadata, each as far as it can be read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Literal

import msgspec

from benchpin.core import Job
from benchpin.engines.profiles.model import Fault, Profile, Request
from benchpin.engines.profiles.packed import Packed

from .assembly import costs_of, edges_of, nodes_of
from .budget import Budget
from .call_tree import CallTree, totals
from .events04 import Decoder04
from .events05 import Decoder05
from .faults import FaultLog
from .folding import depths, fold, worth_keeping
from .ledger import Ledger
from .metadata import Metadata, read_metadata
from .names import Names
from .rows import EventDecoder
from .sections import Block, blocks

_LINES_LOOKED_AT = 100
_MOST_METRICS = 64
"""SPX has 22."""
_ALWAYS_ON = ("wt", "zm")
"""SPX turns them on in every full report, and writes them in this order."""

Version = Literal["spx-text-v0.4", "spx-text-v0.5"]


@dataclass(frozen=True, slots=True)
class _Form:
    """How the events of a text are written."""

    version: Version
    metrics: int

    def decoder(self, faults: FaultLog) -> EventDecoder:
        is_old = self.version == "spx-text-v0.4"
        return (Decoder04 if is_old else Decoder05)(self.metrics, faults)


def read_profile(
    metadata: bytes | None, text: BinaryIO, budget: Budget | None = None, job: Job | None = None
) -> Profile:
    """Read a profile; what is damaged, missing or too much is told in its faults.

    Raises:
        Cancelled: when the job was cancelled.
    """
    budget = budget or Budget()
    faults = FaultLog(budget.faults)
    told = _told(metadata, faults)
    packed = Packed(text, budget.text_bytes)
    rest = blocks(packed.chunks(), faults)
    first = next(rest, None)
    if first is None:
        faults.add("byte 0", "no text: the process ended before it wrote any")
    reading = _Reading(_form_of(first, told), budget, job or Job(), faults)
    reading.read(chain([first] if first else [], rest), packed)
    return reading.profile(told)


class _Reading:
    """One profile while it is read."""

    def __init__(self, form: _Form, budget: Budget, job: Job, faults: FaultLog) -> None:
        self._form = form
        self._budget = budget
        self._job = job
        self._faults = faults
        self._decoder = form.decoder(faults)
        self._tree = CallTree(form.metrics)
        self._ledger = Ledger(form.metrics, budget.edges)
        self._names = Names(have_place=form.version == "spx-text-v0.5")
        self._events = 0
        self._is_full = False

    def read(self, text: Iterable[Block], packed: Packed) -> None:
        """Take in events and names; past the limit of events names only."""
        for block in text:
            if block.section == "functions":
                self._names.read(block, self._tree.seen)
            elif not self._is_full:
                self._take(block)
            self._job.check()
            self._job.report(packed.read_bytes, None, "bytes of profile")
            if self._job.is_expired:
                self._faults.add(f"line {block.line}", "the time was up; the rest is not read")
                self._job.leave_out("the rest of a profile")
                break
        self._faults.extend(packed.faults)
        self._names.note_missing(self._tree.seen, self._faults)

    def profile(self, told: Metadata | None) -> Profile:
        """Add up what was read."""
        inclusive = totals(self._tree)
        self._ledger.settle(self._tree, inclusive)
        functions, places = costs_of(self._ledger, self._names.known)
        self._note_gaps(told, calls=sum(cost.calls for cost in functions))
        limit, deepest = self._budget.kept_nodes, self._budget.kept_depth
        if len(self._tree) - 1 > limit or max(depths(self._tree)) > deepest:
            self._tree.open = self._tree.open[:1]
            kept = worth_keeping(self._tree, inclusive[0], limit, deepest)
            self._tree = fold(self._tree, kept)
        return Profile(
            version=self._form.version,
            metrics=_metric_names(told, self._form.metrics),
            request=_request(told.request, self._form.version) if told else None,
            events=self._events,
            functions=functions,
            edges=edges_of(self._ledger, places),
            tree=nodes_of(self._tree, places),
            is_complete=len(self._faults) == 0,
            faults=self._faults.listed(),
        )

    def _take(self, block: Block) -> None:
        rows = self._decoder.decode(block)
        left = self._budget.events - self._events
        if len(rows.enters) > left:
            rows = rows.first(left)
            self._stop_at(block, f"more than {self._budget.events} events")
        self._events += len(rows.enters)
        self._tree.feed(rows, lambda line, problem: self._faults.add(f"line {line}", problem))
        if len(self._tree.seen) > self._budget.functions:
            self._stop_at(block, f"more than {self._budget.functions} functions")
        if len(self._tree) > self._budget.nodes_with(len(self._tree.costs)):
            self._fold(block)

    def _fold(self, block: Block) -> None:
        """Make room in the tree; what is folded is settled first."""
        limit = self._budget.nodes_with(len(self._tree.costs))
        inclusive = totals(self._tree)
        kept = worth_keeping(self._tree, inclusive[0], limit // 2)
        self._ledger.settle(self._tree, inclusive, kept)
        self._tree = fold(self._tree, kept)
        if len(self._tree) > limit:
            self._stop_at(block, f"calls nested more than {len(self._tree.open)} deep")

    def _stop_at(self, block: Block, reason: str) -> None:
        self._is_full = True
        self._faults.add(f"line {block.line}", f"{reason}; the events after that are not read")

    def _note_gaps(self, told: Metadata | None, calls: int) -> None:
        if self._events == 0:
            self._faults.add("text", "no event could be read")
        unfinished = len(self._tree.open) - 1
        if unfinished:
            self._faults.add("end of text", f"{unfinished} calls were not left again")
        if self._ledger.pairs_left_out:
            self._faults.add("callers", f"more than {self._budget.edges} pairs; some are left out")
        if told and told.metrics and len(told.metrics) != len(self._tree.costs):
            problem = f"{len(told.metrics)} metrics, but {len(self._tree.costs)} in the text"
            self._faults.add("metadata", problem)
        expected = told and told.request.recorded_calls
        if expected is not None and expected != calls:
            self._faults.add("metadata", f"{expected} calls were recorded, {calls} were read")


def _told(metadata: bytes | None, faults: FaultLog) -> Metadata | None:
    if metadata is None:
        faults.add("metadata", "missing: metrics are named by their order")
        return None
    told = read_metadata(metadata)
    if isinstance(told, Fault):
        faults.extend([told])
        return None
    return told


def _form_of(block: Block | None, told: Metadata | None) -> _Form:
    """Tell the format from the first lines, by what most of them look like."""
    is_told = block is not None and block.section == "events"
    lines = block.text.split(b"\n", _LINES_LOOKED_AT)[:-1] if block and is_told else []
    is_new = 2 * sum(b"|" in line for line in lines) > len(lines)
    if is_new:
        widths = Counter(line.count(b"|") - (not line.startswith(b"-")) for line in lines)
    else:
        widths = Counter(line.count(b" ") - 1 for line in lines)
    [(metrics, _)] = widths.most_common(1) or [(0, 0)]
    if not 1 <= metrics <= _MOST_METRICS:
        metrics = len(told.metrics) if told and told.metrics else 1
    return _Form("spx-text-v0.5" if is_new else "spx-text-v0.4", min(metrics, _MOST_METRICS))


def _metric_names(told: Metadata | None, count: int) -> tuple[str, ...]:
    names = told.metrics if told else ()
    if not names:
        names = _ALWAYS_ON if count <= len(_ALWAYS_ON) else _ALWAYS_ON[:1]
    return tuple(
        names[place] if place < len(names) else f"metric_{place + 1}" for place in range(count)
    )


def _request(request: Request, version: Version) -> Request:
    """Drop what 0.4 calls the peak of memory: it is what was in use at the end."""
    is_right = version != "spx-text-v0.4"
    return request if is_right else msgspec.structs.replace(request, peak_memory_bytes=None)
