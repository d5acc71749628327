"""Ask a question about all repositories of a fleet."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool
from benchpin.fleet import FleetAnswer

from ._place import QuestionParams, tables_of

QuestionName = Literal[
    "repositories",
    "hotspots",
    "risk",
    "failing",
    "clones",
    "licences",
    "owners",
    "dependencies",
    "trend",
]


class QueryFleetParams(QuestionParams):
    """What to ask."""

    question: QuestionName = "repositories"
    """What to ask; each has an answer for the whole fleet."""
    sql: Annotated[str, Field(max_length=10_000)] | None = None
    """Instead of a question, one SELECT on repositories, files, symbols, imports, findings or
    dependencies."""


@tool(
    title="Query a fleet",
    effect=Effect.READ,
    also=(
        "across repositories, all our repositories, organisation, SQL, which teams, licences, "
        "clones between repositories, riskiest repository, trend"
    ),
)
def query_fleet(params: QueryFleetParams, bench: Bench) -> FleetAnswer:
    """Ask about all repositories of a fleet.

    Covers the repositories that measure_fleet measured. Takes a question or SQL.
    """
    tables = tables_of(params, bench)
    if params.sql is not None:
        answer = tables.query(params.sql, params.limit, bench.job)
    else:
        answer = tables.ask(params.question, None, params.limit, bench.job)
    asked = params.question if params.sql is None else "sql"
    return FleetAnswer.of(asked, answer, len(tables.measurements), params.format)
