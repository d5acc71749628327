"""The lists of findings: which tools have one, and what they are called."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FindingList:
    """A tool whose view is shown as a list of findings."""

    tool: str
    label: str
    path: str = "project_path"
    """The argument for a file or folder; empty if there is none."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    is_in_reports: bool = True


LISTS = (
    FindingList("analyze_defect_probability", "Defect risk"),
    FindingList("analyze_complexity", "Complexity"),
    FindingList("analyze_code_churn", "Churn"),
    FindingList("analyze_duplicates", "Duplicates"),
    FindingList("analyze_dead_code", "Dead code"),
    FindingList("analyze_debt_comments", "Debt comments"),
    FindingList("analyze_graph_metrics", "Dependencies"),
    FindingList("quality_gate", "Quality gate"),
    FindingList(
        "search_comments", "Comments", path="", arguments={"query": "."}, is_in_reports=False
    ),
    FindingList("check_documentation", "Documentation", path="path"),
    FindingList("check_links", "Links", path="path"),
)
