"""How checks are shown: a few lines, JSON, Markdown or SARIF."""

import json
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from benchpin.core import Bench, Item, Page, Params, Result, paginate, plain
from benchpin.engines import sarif
from benchpin.engines.repository.tokens import count_tokens

Shown = TypeVar("Shown", bound=Item)

CheckFormat = Literal["summary", "json", "markdown", "sarif"]
_SHOWN = 20
_LONGEST = 200
_MOST_TOKENS = 5_000
"""What the problems of a page may have; with the lines that are shown an answer has under 8,000."""


class CheckParams(Params):
    """What to check, and how to show it."""

    path: str = "."
    """Folder of the repository, relative to the workspace."""
    format: CheckFormat = "summary"
    """How to show it; markdown and sarif have every problem."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many problems to return, as far as they fit an answer; next_cursor leads on."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class Report(Result):
    """Base of every check: structured, and shown in the format that was asked for."""

    shown: Annotated[str, Field(exclude=True)] = ""

    def to_text(self) -> str:
        """Return the report in the format that was asked for, JSON if in no other."""
        dumped = self.model_dump(mode="json")
        return self.shown or json.dumps(dumped, indent=2, ensure_ascii=False)


def rule(name: str, title: str, description: str) -> sarif.Rule:
    """Return a rule that this toolset's page explains."""
    return sarif.Rule(name, title, description, toolset="repository")


def page_of(problems: Sequence[Shown], name: str, params: CheckParams) -> Page[Shown]:
    """Return a page of problems that is short enough to be read, however many were asked for.

    The problems are the same however they are shown.
    """
    listing = f"{name} {params.path}"
    most_tokens = _MOST_TOKENS // 4 if params.format == "json" else _MOST_TOKENS
    limit = params.limit
    page = paginate(problems, listing=listing, cursor=params.cursor, limit=limit)
    while limit > 1 and _tokens(page.items) > most_tokens:
        limit = min(limit, len(page.items)) // 2
        page = paginate(problems, listing=listing, cursor=params.cursor, limit=limit)
    return page


def _tokens(items: Sequence[Item]) -> int:
    written = "".join(it.model_dump_json() for it in items)
    return 0 if len(written) <= _MOST_TOKENS // 4 else count_tokens(written)


def show(
    params: CheckParams,
    bench: Bench,
    head: Sequence[str],
    rules: Sequence[sarif.Rule],
    problems: Sequence[sarif.Finding],
    page: Sequence[sarif.Finding],
    footer: str,
) -> str:
    """Return problems in the format that was asked for; a summary has those of the page."""
    match params.format:
        case "summary":
            lines = [_line(it) for it in page[:_SHOWN]]
            left = len(problems) - len(lines)
            more = [f"{left} others; format=markdown has all"] if left else []
            return "\n".join([*head, *lines, *more, *filter(None, [footer])])
        case "markdown":
            rows = [_row(it) for it in problems]
            table = ["", "| level | rule | place | message |", "| --- | --- | --- | --- |", *rows]
            return "\n".join([*(f"- {it}" for it in head), *(table if rows else [])]) + "\n"
        case "sarif":
            log = sarif.document(bench.installation.version, rules, problems)
            return json.dumps(log, indent=2, ensure_ascii=False)
        case "json":
            return ""


def _row(it: sarif.Finding) -> str:
    return f"| {it.level} | {it.rule} | {_cell(it.path)}:{it.line} | {_cell(it.message)} |"


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|")


def _line(it: sarif.Finding) -> str:
    message = plain(it.message)
    shown = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
    return f"{plain(it.path)}:{it.line}: {it.level}: {shown} ({it.rule})"
