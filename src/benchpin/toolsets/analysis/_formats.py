"""Formats that analyses share, and the report that is shown in them."""

import json
from collections.abc import Sequence
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

from benchpin.core import Bench, Page, Result, paginate
from benchpin.engines import sarif

T = TypeVar("T")


class PagedParams(Protocol):
    """Arguments of a tool that returns a list in pages."""

    @property
    def cursor(self) -> str | None:
        """Where to go on."""

    @property
    def limit(self) -> int:
        """How many items to return."""

    def model_dump(self, *, exclude: set[str]) -> dict[str, object]:
        """Return the arguments."""


class Report(Result):
    """Base of every analysis: structured, and shown in the format that was asked for."""

    shown: Annotated[str, Field(exclude=True)] = ""

    def to_text(self) -> str:
        """Return the report in the format that was asked for, JSON if in no other."""
        return self.shown or as_json(self)


_SHOWING = {"cursor", "format", "graphml", "limit"}


def page_of(items: Sequence[T], name: str, params: PagedParams) -> Page[T]:
    """Return a page of a list, which is the same list however it is shown."""
    listing = f"{name} {params.model_dump(exclude=_SHOWING)}"
    return paginate(items, listing=listing, cursor=params.cursor, limit=params.limit)


def as_json(result: Result) -> str:
    """Return the structured result as text."""
    return json.dumps(result.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False)


def as_sarif(
    bench: Bench,
    rules: Sequence[sarif.Rule],
    findings: Sequence[sarif.Finding],
    warnings: Sequence[str] = (),
) -> str:
    """Return findings as a SARIF log, with warnings of what was not looked at."""
    log = sarif.document(bench.installation.version, rules, findings, warnings)
    return json.dumps(log, indent=2, ensure_ascii=False)
