"""The findings of a report in its page: what, why, what to do, with links to the evidence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from benchpin.performance.findings import METRIC_NAMES, Analysis, PerformanceFinding, readable_time
from benchpin.performance.values import Evidence
from benchpin.present.page import text

from ._tables import SHORT_HASH

_QUERIES = frozenset({"query", "n_plus_one", "repetition"})


@dataclass(frozen=True, slots=True)
class Places:
    """What files and profiles are called in the page."""

    files: Mapping[str, str]
    """Names of files by their SHA-256."""
    profiles: Mapping[str, str]
    """Titles of the profiles that have a flame graph, by the SHA-256 of their file."""

    def file(self, source: str) -> str:
        """Return the name of a file, without its folder, which the table of sources has."""
        path = self.files.get(source)
        return PurePath(path).name if path else source[:SHORT_HASH]


def findings_of(analysis: Analysis, places: Places) -> Iterator[str]:
    """Yield the findings, worst first; the first is open."""
    yield '<h2 id="findings">Findings</h2>'
    if not analysis.findings:
        yield "<p>Nothing exceeds its limit, and nothing stands out.</p>"
    for number, finding in enumerate(analysis.findings):
        yield from _finding(finding, places, is_open=number == 0)
    for notice in analysis.notices:
        yield f'<p class="faint">{text(notice)}</p>'


def _finding(finding: PerformanceFinding, places: Places, *, is_open: bool) -> Iterator[str]:
    yield f'<details class="finding {finding.severity}"{" open" if is_open else ""}>'
    yield f"<summary><b>{finding.severity}</b> {text(finding.title)}</summary>"
    yield f"<p><b>Do first:</b> {text(finding.first_step)}</p>"
    yield f"<p>{text(finding.why)}</p>"
    for limit in finding.exceeded:
        yield f"<p>{METRIC_NAMES[limit.metric]} {text(limit.verdict)}.</p>"
    index = finding.index
    if index is not None:
        yield f"<p>{text(index.why)}</p>"
    for title, statement in (
        ("The query", finding.example),
        ("To see its plan", finding.explain),
        ("An index to try", None if index is None else index.statement),
    ):
        if statement is not None:
            yield f"<details><summary>{title}</summary><pre>{text(statement)}</pre></details>"
    links = [*_links(finding, places), *_evidence(finding, places)]
    if links:
        yield f"<ul>{''.join(f'<li>{it}</li>' for it in links)}</ul>"
    yield "</details>"


def _links(finding: PerformanceFinding, places: Places) -> Iterator[str]:
    """Yield links to the table row and the flame graph of what was found."""
    if finding.kind in _QUERIES:
        yield f'<a href="#query-{text(finding.subject)}">All numbers of this query</a>'
    if finding.kind == "endpoint":
        for source, title in places.profiles.items():
            if finding.subject in title:
                yield _to_flames(source, title)


def _evidence(finding: PerformanceFinding, places: Places) -> Iterator[str]:
    for found in finding.evidence:
        if finding.kind == "span" and found.source in places.profiles:
            yield _to_flames(found.source, places.profiles[found.source])
        yield text(", ".join(_parts(found, places)))


def _to_flames(source: str, title: str) -> str:
    return f'<a href="#flame-{text(source)}">Flame graph of {text(title)}</a>'


def _parts(found: Evidence, places: Places) -> Iterator[str]:
    """Yield where it was seen, in words."""
    line = "" if found.line is None else f", line {found.line:,}"
    if found.file is not None:
        yield f"defined in {found.file}{line}"
    else:
        yield f"{places.file(found.source)}{line}"
    if found.time_us is not None:
        yield readable_time(found.time_us)
