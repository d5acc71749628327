"""Formats that analyses share, and the report that is shown in them."""

import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Result
from benchpin.engines import sarif


class Report(Result):
    """Base of every analysis: structured, and shown in the format that was asked for."""

    shown: Annotated[str, Field(exclude=True)] = ""

    def to_text(self) -> str:
        """Return the report in the format that was asked for, JSON if in no other."""
        return self.shown or as_json(self)


def as_json(result: Result) -> str:
    """Return the structured result as text."""
    return json.dumps(result.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False)


def as_sarif(bench: Bench, rules: Sequence[sarif.Rule], findings: Sequence[sarif.Finding]) -> str:
    """Return findings as a SARIF log."""
    log = sarif.document(bench.installation.version, rules, findings)
    return json.dumps(log, indent=2, ensure_ascii=False)
