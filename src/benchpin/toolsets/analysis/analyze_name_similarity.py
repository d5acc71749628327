"""Find the names that are like another one."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, tool
from benchpin.engines.metrics import names

from . import _names_text as text
from ._formats import Report, page_of
from ._selection import FilesSeen, SelectionParams, files_seen, select

Scope = Literal["functions", "types", "variables", "all"]

_KINDS: dict[Scope, tuple[names.NameKind, ...]] = {
    "functions": ("function",),
    "types": ("type",),
    "variables": ("variable",),
    "all": names.KINDS,
}


class NameSimilarityParams(SelectionParams):
    """Which name to look for and how to show what is like it."""

    query: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]
    """The name to search for, such as calculateTotal; in any case style."""
    top_k: Annotated[int, Field(ge=1, le=1000)] = 10
    """How many names to return."""
    phonetic: bool = False
    """Also count names that sound alike, such as colour and color: they score 0.8 at least."""
    scope: Scope = "all"
    """Only names of functions (with methods), types, or variables (with fields and constants)."""
    min_score: Annotated[float, Field(ge=0, le=1)] = 0.3
    """Leave out names that score less."""
    toolchain: str | None = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    format: Literal["summary", "full", "detailed", "json", "csv", "markdown"] = "summary"
    """How to show it; full and detailed say what each score is made of."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""

    @property
    def limit(self) -> int:
        """How many names to return."""
        return self.top_k


class SimilarName(Item):
    """A name like the query, and why."""

    name: str
    kind: names.NameKind
    score: float
    """From 0 to 1: the mean of meaning and spelling, less half the contrast."""
    meaning: float | None
    """From 0 to 1, by the company that the words keep; None when no word is known."""
    spelling: float
    """From 0 to 1: one less the share of letters to change; 1 for the same words in any style."""
    contrast: float
    """From 0 to 1: how often programmers tell the opposed words apart by name."""
    opposed_words: list[str] | None
    """Such as min and max, which are near and never mean the same; None when there are none."""
    sounds_alike: bool
    shared_words: list[str]
    file: str
    """Where it is first defined; a variable, where it occurs most."""
    line: int | None
    definitions: int | None
    """How many functions or types are called so; None for a variable."""
    occurrences: int


class NameSimilarityReport(Report):
    """Names like the query, the most alike first."""

    query: str
    words: list[str]
    """What the query was taken apart into."""
    items: list[SimilarName]
    total: int
    """How many names score at least min_score."""
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Similar names", effect=Effect.READ)
def analyze_name_similarity(params: NameSimilarityParams, bench: Bench) -> NameSimilarityReport:
    """Find functions, types and variables whose names mean, read or sound like a given one.

    Use it before you name something new, or to find code when you only know what it might be
    called. The most alike stand first.
    """
    sources = select(params, bench, params.toolchain).read("links")
    found = names.find_similar(
        params.query,
        sources.files,
        _KINDS[params.scope],
        bench.job,
        min_score=params.min_score,
        phonetic=params.phonetic,
    )
    page = page_of(found, "names", params)
    items = [_similar(params, hit) for hit in page.items]
    seen = files_seen(sources)
    shown = ""
    match params.format:
        case "summary":
            shown = seen.below(text.summary_text(params.query, items, page.total), page.footer())
        case "full" | "detailed":
            shown = seen.below(text.full_text(params.query, items, page.total), page.footer())
        case "csv":
            shown = text.csv_text(items)
        case "markdown":
            shown = text.markdown_text(params.query, items, page.total)
            shown = seen.below(shown, page.footer())
    return NameSimilarityReport(
        query=params.query,
        words=list(names.split_identifier(params.query)),
        items=items,
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=seen,
        shown=shown,
    )


def _similar(params: NameSimilarityParams, hit: names.Hit) -> SimilarName:
    why = names.explain(params.query, hit, phonetic=params.phonetic)
    entry = hit.entry
    return SimilarName(
        name=entry.name,
        kind=entry.kind,
        score=hit.score,
        meaning=None if why.meaning is None else round(why.meaning, 3),
        spelling=round(why.spelling, 3),
        contrast=round(why.contrast, 3),
        opposed_words=None if why.opposed_words is None else list(why.opposed_words),
        sounds_alike=why.sounds_alike,
        shared_words=list(why.shared_words),
        file=entry.file,
        line=entry.line,
        definitions=entry.definitions,
        occurrences=entry.occurrences,
    )
