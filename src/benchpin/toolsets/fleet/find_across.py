"""Find something by its name in all repositories of a fleet."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool
from benchpin.fleet import FleetAnswer, TextSearch

from ._place import QuestionParams, tables_of

Kind = Literal["symbol", "users", "dependency", "clone", "pattern"]
_QUESTIONS: Mapping[Kind, str] = {
    "symbol": "symbol",
    "users": "users",
    "dependency": "dependents",
    "clone": "copies",
}
_BY_TEXT = "kind pattern finds it in the text of the code."
# What to try when nothing is found.
_HINTS: Mapping[Kind, str] = {
    "symbol": f"No function or type has exactly this name; {_BY_TEXT}",
    "users": f"Nobody imports a module or name that is written like this; {_BY_TEXT}",
    "dependency": "No manifest declares it; query_fleet dependencies lists the packages.",
    "clone": f"No function of this name has 50 tokens or more; {_BY_TEXT}",
    "pattern": "No line of code matches; (?i) at the beginning ignores case.",
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
    measured, job = tables.measurements, bench.job
    if params.kind == "pattern":
        search = TextSearch(bench.workspace.root, bench.permissions, job)
        answer = search.search(measured, params.name, params.limit)
    else:
        answer = tables.ask(_QUESTIONS[params.kind], params.name, params.limit, job)
    asked, hint = f"{params.kind} {params.name}", _HINTS[params.kind]
    return FleetAnswer.of(asked, answer, len(measured), params.format, hint)
