"""A report in all of its formats."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

import msgspec

from benchpin.performance.findings import Analysis
from benchpin.performance.snapshots import Snapshot

from ._html import write_html
from ._markdown import write_markdown
from ._tables import sources_table

_ID_LENGTH = 16


@dataclass(frozen=True)  # no slots: a cached property needs a place
class SnapshotReport:
    """An analysis as files."""

    report_id: str
    payload: dict[str, object]
    markdown: str
    write_page: Callable[[], str] = field(compare=False, repr=False)

    @cached_property
    def html(self) -> str:
        """The page; written when it is first asked for, because Vega is loaded for its pictures."""
        return self.write_page()

    def formats(self) -> dict[str, bytes]:
        """Return the content of each file by its suffix."""
        return {
            "md": self.markdown.encode(),
            "json": msgspec.json.format(msgspec.json.encode(self.payload, order="sorted")) + b"\n",
            "html": self.html.encode(),
        }


def make_report(
    snapshot: Snapshot, analysis: Analysis, names: Mapping[str, str] | None = None
) -> SnapshotReport:
    """Write a report; the same snapshot and analysis give the same id.

    `names` has the names of the files by their SHA-256.
    """
    payload: dict[str, object] = analysis.model_dump(mode="json")
    payload["snapshot_id"] = payload.pop("normalized_snapshot_id")
    content = msgspec.json.encode(payload, order="sorted")
    digest = hashlib.sha256(snapshot.id.encode() + content).hexdigest()
    report_id = digest[:_ID_LENGTH]
    named = names or {}
    sources = sources_table(snapshot.sources, named)
    return SnapshotReport(
        report_id=report_id,
        payload=payload,
        markdown=write_markdown(analysis, sources),
        write_page=partial(write_html, snapshot, analysis, named, sources),
    )
