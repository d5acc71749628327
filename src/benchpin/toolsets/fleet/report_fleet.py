"""Report on all repositories of a fleet: one page with the answers to every question."""

from typing import Literal

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.fleet import REPORT_QUESTIONS, FleetReport
from benchpin.present import Format, Image

from ._place import QuestionParams, tables_of


class ReportFleetParams(QuestionParams):
    """How to show it."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; html is a page with pictures."""
    picture: Rare[Literal["repositories", "hotspots"] | None] = None
    """The picture of svg and png."""


@tool(
    title="Report on a fleet",
    effect=Effect.READ,
    also=(
        "overview of all repositories, organisation, page to send, dashboard, health of all our "
        "repositories, HTML"
    ),
)
def report_fleet(params: ReportFleetParams, bench: Bench) -> FleetReport:
    """Summarise a fleet.

    Size, health, hot spots, defect risk, clones, dependencies, licences, owners and trend of all
    repositories that measure_fleet measured; html is a page to send.
    """
    found = tables_of(params, bench).ask_all(REPORT_QUESTIONS, params.limit, bench.job)
    return FleetReport.of(found, params.format, params.picture or "")
