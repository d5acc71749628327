"""SARIF 2.1.0 documents, for editors and code-scanning services.

Written by hand: the format's object models for Python are bigger than what is used of it here.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from benchpin.core.view import Finding, Level
from benchpin.core.view import FindingRule as Rule

__all__ = ["Finding", "Level", "Rule", "document"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/benchpin/benchpin"


def document(
    version: str,
    rules: Sequence[Rule],
    findings: Iterable[Finding],
    warnings: Sequence[str] = (),
) -> dict[str, object]:
    """Return one run of Benchpin as a SARIF log; `warnings` say what it could not do."""
    places = {rule.id: index for index, rule in enumerate(rules)}
    driver = {
        "name": "Benchpin",
        "semanticVersion": version,
        "informationUri": _HOME,
        "rules": [_rule(rule) for rule in rules],
    }
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the workspace."}}},
        "results": [_result(finding, places[finding.rule]) for finding in findings],
    }
    if warnings:
        notes = [{"level": "warning", "message": {"text": it}} for it in warnings]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.description},
        "helpUri": f"{_HOME}/blob/main/docs/toolsets/{rule.toolset}.md",
    }


def _result(finding: Finding, rule_index: int) -> dict[str, object]:
    location = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(finding.path), "uriBaseId": "SRCROOT"},
            "region": {"startLine": finding.line, "endLine": max(finding.line, finding.end_line)},
        }
    }
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [location],
    }
    if finding.properties:
        result["properties"] = finding.properties
    return result
