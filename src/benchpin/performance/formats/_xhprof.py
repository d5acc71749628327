"""Profiles of XHProf and Tideways: pairs of caller and callee, as JSON or serialised by PHP."""

import re
from collections.abc import Iterator, Mapping

from benchpin.core.errors import InvalidParams
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import NS_PER_US, Profile

from ._source import CallGraphBuilder, decoded, profile_format, whole

NAME = "xhprof"
# XHProf's name, ours, and the factor to the smallest unit.
_METRICS = (("wt", "wt", NS_PER_US), ("cpu", "ct", NS_PER_US), ("mu", "mu_bytes", 1), ("pmu", "pmu_bytes", 1))  # fmt: skip  # noqa: E501
_ARROW = "==>"
_JSON = re.compile(rb'\s*+\{\s*+"([^"]{1,4000}+)"\s*+:\s*+\{\s*+"(?:ct|wt)"')
_SERIALISED = re.compile(rb'a:[0-9]++:\{s:[0-9]++:"([^"]{1,4000}+)";a:')
_ENTRY = re.compile(
    rb's:([0-9]{1,5}):"([^"]{1,4000}+)";a:([0-9]{1,2}):\{((?:s:[0-9]{1,2}:"\w{1,10}";i:-?[0-9]{1,18};){1,10}+)\}'
)
_COST = re.compile(rb':"(\w{1,10})";i:(-?[0-9]{1,18});')
_NUMBER = re.compile(rb"-?[0-9]{1,18}")

_Pairs = Mapping[str, Mapping[str, float]]


def fits(head: bytes) -> bool:
    """Whether it begins with the costs of main() or of a pair."""
    first = _JSON.match(head) or _SERIALISED.match(head)
    return first is not None and (_ARROW.encode() in first[1] or first[1] == b"main()")


def read(source: ArtifactSource) -> Profile:
    """Read inclusive costs of pairs; a function's own cost is what its callees do not have."""
    document = source.document()
    pairs: _Pairs = (
        dict(source.job.timed(_unserialised(bytes(document))))
        if document.startswith(b"a:")
        else decoded(document, dict[str, dict[str, float]])
    )
    present = {name for costs in pairs.values() for name in costs}
    metrics = [it for it in _METRICS if it[0] in present]
    if not metrics:
        raise InvalidParams(
            "the XHProf data has no time and no memory",
            suggestion="Record it with XHPROF_FLAGS_CPU or XHPROF_FLAGS_MEMORY, or without flags.",
        )
    graph = CallGraphBuilder(len(metrics), source)
    nothing = [0] * len(metrics)
    for pair, costs in source.job.timed(pairs.items()):
        caller, _, callee = pair.rpartition(_ARROW)
        inclusive = [whole(costs.get(name, 0), factor) for name, _, factor in metrics]
        calls = whole(costs.get("ct", 0))
        function = graph.table.number(callee)
        graph.add(function, calls, inclusive, inclusive)
        if caller:
            parent = graph.table.number(caller)
            graph.add_pair((parent, function), calls, inclusive)
            graph.add(parent, 0, [-cost for cost in inclusive], nothing)
    return graph.profile(NAME, [ours for _, ours, _ in metrics])


def _unserialised(text: bytes) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Read PHP's form of a map of maps of numbers, and nothing else: no objects."""
    reader = _Php(text)
    for _ in range(reader.opened_array()):
        usual = reader.usual_entry()
        if usual is not None:
            yield usual
            continue
        key = reader.string()
        yield key, {reader.string(): reader.number() for _ in range(reader.opened_array())}
        reader.expect(b"}")
    reader.expect(b"}")


class _Php:
    """A reader of arrays, strings and numbers that PHP serialised."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0

    def usual_entry(self) -> tuple[str, Mapping[str, float]] | None:
        """Return an entry at once where its name has no quotation mark, as in nearly all."""
        found = _ENTRY.match(self._text, self._at)
        if found is None or len(found[2]) != int(found[1]):
            return None
        costs = {name.decode(): int(cost) for name, cost in _COST.findall(found[4])}
        if len(costs) != int(found[3]):
            return None
        self._at = found.end()
        return found[2].decode("utf-8", "replace"), costs

    def opened_array(self) -> int:
        self.expect(b"a:")
        size = self._digits()
        self.expect(b":{")
        return size

    def string(self) -> str:
        self.expect(b"s:")
        size = self._digits()
        self.expect(b':"')
        text = self._text[self._at : self._at + size]
        self._at += size
        self.expect(b'";')
        return text.decode("utf-8", "replace")

    def number(self) -> float:
        end = self._text.find(b";", self._at, self._at + 40)
        kind, _, digits = self._text[self._at : max(end, 0)].partition(b":")
        try:
            value = float(digits) if kind == b"d" else int(digits) if kind == b"i" else None
        except ValueError:
            value = None
        if value is None:
            raise self._damaged()
        self._at = end + 1
        return value

    def expect(self, mark: bytes) -> None:
        if not self._text.startswith(mark, self._at):
            raise self._damaged()
        self._at += len(mark)

    def _digits(self) -> int:
        found = _NUMBER.match(self._text, self._at)
        if found is None or found[0].startswith(b"-"):
            raise self._damaged()
        self._at = found.end()
        return int(found[0])

    def _damaged(self) -> InvalidParams:
        return InvalidParams(
            f"the serialised XHProf data is cut short or damaged at byte {self._at}",
            suggestion="Save it again with serialize() or json_encode().",
        )


FORMAT = profile_format(NAME, fits, read)
