"""SARIF 2.1.0, for editors and code-scanning services.

Written by hand: the format's object models for Python are bigger than what is used of it here.
"""

from typing import TYPE_CHECKING
from urllib.parse import quote

from benchpin._version import __version__
from benchpin.core.text import json_text, visible
from benchpin.present import Finding, FindingRule

if TYPE_CHECKING:
    from benchpin.present import Report


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/benchpin/benchpin"


def render(report: "Report") -> str:
    """Return the findings of the report as one run."""
    view = report.view
    rules = view.finding_rules(report)
    index = {rule.id: at for at, rule in enumerate(rules)}
    driver = {
        "name": "Benchpin",
        "semanticVersion": __version__,
        "informationUri": _HOME,
        "rules": [_rule(rule) for rule in rules],
    }
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the workspace."}}},
        "results": [_result(it, index[it.rule]) for it in view.findings(report)],
    }
    own = view.warnings(report) if view.warnings else [*report.lacks(), *view.notes(report)]
    warnings = [*report.missing, *own]
    if warnings:
        notes = [{"level": "warning", "message": {"text": it}} for it in warnings]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return visible(json_text(log, indent=2))


def _rule(rule: FindingRule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.description},
        "helpUri": f"{_HOME}/blob/main/docs/toolsets/{rule.toolset}.md",
    }


def _result(finding: Finding, rule_index: int) -> dict[str, object]:
    # SARIF 2.1.0 §3.30: a region's lines are 1-based, and its end is not before its start.
    region = {"startLine": finding.line, "endLine": max(finding.line, finding.end_line)}
    artifact = {"uri": quote(finding.path, errors="surrogateescape"), "uriBaseId": "SRCROOT"}
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if finding.properties:
        result["properties"] = dict(finding.properties)
    if finding.fix is not None:
        # §3.30.5: a region of whole lines ends at the first column of the line after it.
        first, last, text = finding.fix
        lines = {"startLine": first, "startColumn": 1, "endLine": last + 1, "endColumn": 1}
        replaced = {"deletedRegion": lines, "insertedContent": {"text": text}}
        changes = [{"artifactLocation": artifact, "replacements": [replaced]}]
        result["fixes"] = [{"artifactChanges": changes}]
    return result
