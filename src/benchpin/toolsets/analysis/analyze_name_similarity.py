"""Find names that are similar to a given one."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import names
from benchpin.measures.names import NameKind, SimilarName
from benchpin.memory import Inputs
from benchpin.present import Column, ListParams, Report, Table, View, location

from ._selection import FilesSeen, ToolchainParams, files_seen, select

Scope = Literal["functions", "types", "variables", "all"]

_KINDS: Mapping[Scope, tuple[NameKind, ...]] = {
    "functions": ("function",),
    "types": ("type",),
    "variables": ("variable",),
    "all": names.KINDS,
}


class NameSimilarityParams(ListParams, ToolchainParams):
    """Which name to search for and how to show what is similar."""

    query: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]
    """The name to search for, such as calculateTotal; in any case style."""
    phonetic: Rare[bool] = False
    """Also find names that sound alike, such as colour and color: they score at least 0.8."""
    scope: Rare[Scope] = "all"
    """Only names of functions (with methods), types, or variables (with fields and constants)."""
    min_score: Rare[Annotated[float, Field(ge=0, le=1)]] = 0.3
    """Minimum score to return."""
    limit: Annotated[int, Field(ge=1, le=1000, alias="top_k")] = 10
    """How many names."""


class NameSimilarityReport(Report):
    """Names that are similar to the query, most similar first."""

    query: str
    words: list[str]
    """The words of the query."""
    items: list[SimilarName]
    total: int
    """How many names score at least min_score."""
    next_cursor: str | None
    looked_at: FilesSeen

    view = View["NameSimilarityReport"](
        title="Similar names",
        headline=lambda it: [
            f"{counted(it.total, 'name is', 'names are')} similar to {plain(it.query)}"
        ],
        tables=(
            Table(
                rows=lambda it: it.items,
                columns=(
                    Column("score", spec=".2f"),
                    Column("meaning", spec=".2f", is_detail=True),
                    Column("spelling", spec=".2f", is_detail=True),
                    Column("words", spec=".2f", is_detail=True),
                    Column("contrast", spec=".2f", is_detail=True),
                    Column(
                        "opposed_words",
                        lambda it: "/".join(it.opposed_words or ()) or None,
                        is_detail=True,
                    ),
                    Column(
                        "sounds_alike",
                        lambda it: "yes" if it.sounds_alike else "no",
                        is_detail=True,
                    ),
                    Column("shared_words", lambda it: " ".join(it.shared_words), is_detail=True),
                    Column("name"),
                    Column("kind"),
                    location(),
                    Column("definitions", is_detail=True),
                    Column("occurrences"),
                ),
            ),
        ),
        notes=lambda it: it.looked_at.to_lines(),
    )


@tool(
    title="Similar names",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "forgot the name, something like, fuzzy symbol search, similar identifier, does a "
        "function like this exist already, naming, synonyms, sounds like, cannot remember what "
        "it is called, misspelled names, confusingly similar names, typos"
    ),
)
def analyze_name_similarity(params: NameSimilarityParams, bench: Bench) -> NameSimilarityReport:
    """Find functions, types and variables whose names mean, read or sound like a given one.

    Helps to name something new, and to find code when you only know what it might be called.
    """
    inputs = Inputs(select(params, bench))
    found = names.find_similar(
        params.query,
        inputs.get(names.IDENTIFIERS, None),
        _KINDS[params.scope],
        min_score=params.min_score,
        phonetic=params.phonetic,
    )
    page = params.page(found)
    return NameSimilarityReport(
        query=params.query,
        words=list(names.split_identifier(params.query)),
        items=[names.explain(params.query, match) for match in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(inputs.sources),
        format=params.format,
    )
