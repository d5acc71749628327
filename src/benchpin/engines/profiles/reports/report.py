"""A report in all of its formats."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from benchpin.engines.profiles.analysis import Analysis
from benchpin.engines.profiles.snapshot import Snapshot

from .html import write_html
from .markdown import write_markdown
from .tables import sources_table

_ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """An analysis as files."""

    report_id: str
    payload: dict[str, object]
    markdown: str
    html: str

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
    sources = sources_table(snapshot.sources, names or {})
    return SnapshotReport(
        report_id=report_id,
        payload=payload,
        markdown=write_markdown(analysis, sources),
        html=write_html(snapshot, analysis, report_id, sources),
    )
