"""What a server has done and does, for Prometheus: requests, latencies, queue, recalled results.

Written by hand, because the client library of Prometheus keeps its numbers in modules and starts
threads; the text format has four kinds of lines.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping

from benchpin._version import __version__

from ._unsent import Unsent

_BOUNDS_S = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60)
# Replaces names of unknown tools: clients choose them, and every label is kept.
OTHER = "other"
_FINE = "ok"


class Traffic:
    """Counts the requests of a server."""

    def __init__(
        self, is_known: Callable[[str], bool], waiting: Callable[[], int], unsent: Unsent
    ) -> None:
        """Take what says whether a name is one of ours, and how many calls wait for a thread."""
        self._is_known = is_known
        self._waiting = waiting
        self._unsent = unsent
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS_S) + 1))
        self._seconds: Counter[str] = Counter()
        self._measures: Counter[str] = Counter()
        self._in_flight = 0

    def begin(self) -> None:
        """Count a request that has come."""
        self._in_flight += 1

    def end(self, name: object, seconds: float, error_code: object) -> None:
        """Count a request that is answered; the error code is None where all went well."""
        self._in_flight -= 1
        label = name if isinstance(name, str) and self._is_known(name) else OTHER
        self._outcomes[label, _FINE if error_code is None else str(error_code)] += 1
        self._buckets[label][bisect_left(_BOUNDS_S, seconds)] += 1
        self._seconds[label] += seconds  # type: ignore[assignment]  # a sum, not a count

    def note_measures(self, measures: Mapping[str, object]) -> None:
        """Count how the measures of a result came about: recalled, updated or computed."""
        self._measures.update(str(how) for how in measures.values())

    def text(self) -> str:
        """Return everything in the format of Prometheus."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _heading("benchpin_info", "gauge", "The version that runs.")
        yield f'benchpin_info{{version="{__version__}"}} 1'
        yield from _heading("benchpin_requests_in_flight", "gauge", "Requests without an answer.")
        yield f"benchpin_requests_in_flight {self._in_flight}"
        yield from _heading("benchpin_calls_waiting", "gauge", "Calls that wait for a thread.")
        yield f"benchpin_calls_waiting {self._waiting()}"
        yield from _heading("benchpin_unsent_bytes", "gauge", "Answers that clients have not read.")
        yield f"benchpin_unsent_bytes {self._unsent.total_bytes}"
        yield from _heading("benchpin_unsent_peak_bytes", "gauge", "The most since the start.")
        yield f"benchpin_unsent_peak_bytes {self._unsent.peak_bytes}"
        yield from _heading("benchpin_requests_total", "counter", "Requests that were answered.")
        for (name, outcome), count in sorted(self._outcomes.items()):
            yield f'benchpin_requests_total{{name="{name}",outcome="{outcome}"}} {count}'
        yield from _heading("benchpin_measures_total", "counter", "How measures came about.")
        for how, count in sorted(self._measures.items()):
            yield f'benchpin_measures_total{{how="{how}"}} {count}'
        yield from _heading("benchpin_request_seconds", "histogram", "Time to the answer.")
        for name, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*_BOUNDS_S, "+Inf"), counts, strict=True):
                total += count
                yield f'benchpin_request_seconds_bucket{{name="{name}",le="{bound}"}} {total}'
            yield f'benchpin_request_seconds_sum{{name="{name}"}} {self._seconds[name]:.6f}'
            yield f'benchpin_request_seconds_count{{name="{name}"}} {total}'


def _heading(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
