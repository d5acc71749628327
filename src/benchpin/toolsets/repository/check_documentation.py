"""Find what documents promise and the repository lacks, and which documents are missing."""

from collections.abc import Iterator

from benchpin.core import (
    Bench,
    Column,
    Effect,
    Finding,
    Report,
    Table,
    View,
    counted,
    location,
    tool,
)
from benchpin.engines.repository import documentation_check
from benchpin.engines.repository.documentation import (
    ApiCoverage,
    DocumentationProblem,
    KindOfDocument,
    ReadmeFacts,
)

from ._opening import CheckParams, open_tree

_MOST_SECTIONS = 20


def _headline(report: "DocumentationReport") -> Iterator[str]:
    problems = counted(report.total, "problem")
    if report.kinds is None or report.documents is None:
        yield f"{problems} in what there was time for"
    else:
        yield f"{problems}; {counted(report.documents, 'document')}"
        yield ", ".join(f"{it.kind} {it.total:,}" for it in report.kinds)
    api = report.api
    if api is not None and api.share is not None:
        documented = f"{api.documented:,} of {api.public_symbols:,}"
        yield f"{documented} public symbols have a doc comment ({api.share:.0%})"


class DocumentationReport(Report):
    """How well a repository is documented."""

    problems: list[DocumentationProblem]
    total: int
    next_cursor: str | None
    readme: ReadmeFacts | None
    documents: int | None
    """Null, like the kinds, when there was no time to find all of them."""
    kinds: list[KindOfDocument] | None
    """Documents of the four kinds of Diátaxis, by path and title."""
    api: ApiCoverage | None
    """Public functions and types with a doc comment; null when there was no time for it."""

    view = View["DocumentationReport"](
        title="Documentation",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.problems,
                columns=(Column("level"), Column("rule"), location(), Column("message")),
                title="Problems",
                findings=lambda it: [
                    Finding(it.rule, it.level, it.message, it.file, it.line, it.line)
                ],
            ),
        ),
        rules=documentation_check.RULES,
    )


@tool(title="Check documentation", effect=Effect.READ)
def check_documentation(params: CheckParams, bench: Bench) -> DocumentationReport:
    """Check what documents promise: links, anchors, files and commands in README code blocks.

    Also reports missing sections and kinds of documents, and how much of the public API has a doc
    comment. Runs nothing and fetches nothing.
    """
    found = documentation_check.check_documentation(open_tree(params.path, bench), bench.job)
    page = params.page(found.problems)
    return DocumentationReport(
        problems=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        readme=found.readme and found.readme.with_sections(_MOST_SECTIONS),
        documents=found.documents,
        kinds=found.kinds,
        api=found.api,
        format=params.format,
    )
