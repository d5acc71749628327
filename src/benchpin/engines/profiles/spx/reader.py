"""Read a whole profile: text and metadata, each as far as it can be read."""

from collections import Counter
from dataclasses import dataclass
from typing import BinaryIO, Literal

import msgspec

from benchpin.core import Job

from ..model import Fault, Profile, Request
from ..packed import Packed
from .assembly import costs_of, edges_of, nodes_of
from .budget import Budget
from .call_tree import CallTree, totals
from .events04 import Decoder04
from .events05 import Decoder05
from .faults import FaultLog
from .folding import fold, worth_keeping
from .ledger import Ledger
from .metadata import Metadata, read_metadata
from .names import Names
from .rows import EventDecoder
from .sections import Block, blocks

_LINES_LOOKED_AT = 100
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
    return _Reading(budget or Budget(), job or Job()).read(metadata, text)


class _Reading:
    """One profile while it is read."""

    def __init__(self, budget: Budget, job: Job) -> None:
        self._budget = budget
        self._job = job
        self._faults = FaultLog(budget.faults)
        self._events = 0

    def read(self, metadata: bytes | None, text: BinaryIO) -> Profile:
        told = self._metadata(metadata)
        packed = Packed(text, self._budget.text_bytes)
        lines = blocks(packed.chunks(), self._faults)
        first = next(lines, None)
        form = _form_of(first, len(told.metrics) if told else None)
        self._tree = CallTree(form.metrics)
        self._ledger = Ledger(form.metrics, self._budget.edges)
        self._decoder = form.decoder(self._faults)
        names = Names(have_place=form.version == "spx-text-v0.5")
        self._is_full = False
        block = first
        while block is not None:
            if block.section == "functions":
                names.read(block, self._tree.seen)
            elif not self._is_full:
                self._take(block)
            self._job.report(packed.read_bytes, None, "bytes of profile")
            block = None if self._is_over(block) else next(lines, None)
        self._faults.extend(packed.faults)
        if first is None:
            self._faults.add("byte 0", "the text is empty: the process ended before it wrote any")
        names.note_missing(self._tree.seen, self._faults)
        return self._profile(form, told, names)

    def _metadata(self, written: bytes | None) -> Metadata | None:
        if written is None:
            self._faults.add("metadata", "missing: metrics are named by their order")
            return None
        told = read_metadata(written)
        if isinstance(told, Fault):
            self._faults.extend([told])
            return None
        return told

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

    def _is_over(self, block: Block) -> bool:
        self._job.check()
        if not self._job.is_expired:
            return False
        self._faults.add(f"line {block.line}", "the time was up; the rest is not read")
        self._job.leave_out("the rest of a profile")
        return True

    def _profile(self, form: _Form, told: Metadata | None, names: Names) -> Profile:
        inclusive = totals(self._tree)
        self._ledger.settle(self._tree, inclusive)
        functions, places = costs_of(self._ledger, names.known)
        self._note_gaps(told, calls=sum(cost.calls for cost in functions))
        limit = self._budget.kept_nodes
        if len(self._tree) - 1 > limit:
            self._tree.open = self._tree.open[:1]
            self._tree = fold(self._tree, worth_keeping(self._tree, inclusive[0], limit))
        return Profile(
            version=form.version,
            metrics=_metric_names(told, form.metrics),
            request=told and _request(told.request, form.version),
            events=self._events,
            functions=functions,
            edges=edges_of(self._ledger, places),
            tree=nodes_of(self._tree, places),
            is_complete=len(self._faults) == 0,
            faults=self._faults.listed(),
        )

    def _note_gaps(self, told: Metadata | None, calls: int) -> None:
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


def _form_of(block: Block | None, told_metrics: int | None) -> _Form:
    """Tell the format from the first lines, by what most of them look like."""
    lines = block.text.split(b"\n", _LINES_LOOKED_AT)[:-1] if block else []
    piped = sum(b"|" in line for line in lines)
    if 2 * piped > len(lines):
        widths = Counter(line.count(b"|") - (not line.startswith(b"-")) for line in lines)
    else:
        widths = Counter(line.count(b" ") - 1 for line in lines)
    [(metrics, _)] = widths.most_common(1) or [(told_metrics or 1, 0)]
    return _Form("spx-text-v0.5" if 2 * piped > len(lines) else "spx-text-v0.4", max(1, metrics))


def _metric_names(told: Metadata | None, count: int) -> tuple[str, ...]:
    names = told.metrics if told else _ALWAYS_ON if count <= len(_ALWAYS_ON) else _ALWAYS_ON[:1]
    return (*names[:count], *(f"metric_{place + 1}" for place in range(len(names), count)))


def _request(request: Request, version: Version) -> Request:
    """Drop what 0.4 calls the peak of memory: it is what was in use at the end."""
    is_right = version != "spx-text-v0.4"
    return request if is_right else msgspec.structs.replace(request, peak_memory_bytes=None)
