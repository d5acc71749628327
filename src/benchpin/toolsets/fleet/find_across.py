"""Find something by its name in all repositories of a fleet."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, tool

from ._answers import FleetAnswer
from ._place import QuestionParams, tables_of

Kind = Literal["symbol", "users", "dependency", "clone", "pattern"]
_QUESTIONS: Mapping[Kind, str] = {
    "symbol": "symbol",
    "users": "users",
    "dependency": "dependents",
    "clone": "copies",
    "pattern": "pattern",
}


class FindAcrossParams(QuestionParams):
    """What to find."""

    kind: Kind
    """What to find; users import it, a dependency is a package, a pattern is a regex of code."""
    name: Annotated[str, Field(min_length=1, max_length=500)]
    """Symbol, module, package or regex."""


@tool(
    title="Find across repositories",
    effect=Effect.READ,
    also=(
        "who else has this function, which repositories use this API, who depends on this "
        "package, same code elsewhere, all users in the organisation"
    ),
)
def find_across(params: FindAcrossParams, bench: Bench) -> FleetAnswer:
    """Find a name or pattern in all repositories.

    Where a symbol is defined, who uses it, who depends on a package, who has a copy of a function,
    which lines of code match; in the repositories that measure_fleet measured.
    """
    tables = tables_of(params, bench)
    question = _QUESTIONS[params.kind]
    answer = tables.ask(question, params.name, params.limit, bench.job)
    asked = f"{params.kind} {params.name}"
    return FleetAnswer.of(asked, answer, len(tables.measurements), params.format)
