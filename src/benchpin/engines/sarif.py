"""SARIF 2.1.0 documents, for editors and code-scanning services.

Written by hand: the format's object models for Python are bigger than what is used of it here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

Level = Literal["error", "warning", "note"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/benchpin/benchpin"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a kind of finding means."""

    id: str
    name: str
    description: str
    toolset: str = "analysis"
    """Whose page in the documentation explains it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result, at a place."""

    rule: str
    level: Level
    message: str
    path: str
    line: int
    end_line: int
    properties: dict[str, object] = field(default_factory=dict)


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
