"""Formats that analyses share: what a call may ask for, and how each is made."""

import json
from collections.abc import Sequence

from benchpin.core import Bench, Result
from benchpin.engines import sarif


def as_json(result: Result) -> str:
    """Return the structured result as text."""
    return json.dumps(result.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False)


def as_sarif(bench: Bench, rules: Sequence[sarif.Rule], findings: Sequence[sarif.Finding]) -> str:
    """Return findings as a SARIF log."""
    log = sarif.document(bench.installation.version, rules, findings)
    return json.dumps(log, indent=2, ensure_ascii=False)
