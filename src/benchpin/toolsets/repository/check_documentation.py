"""Find what documents promise and the repository lacks, and which documents are missing."""

from collections.abc import Iterator

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, View
from benchpin.repository.documents import DocumentationProblem, documentation_check
from benchpin.repository.documents.documentation_check import DocumentationFacts

from ._repository_tools import CheckParams, CheckReport, open_tree, problem_table


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


class DocumentationReport(DocumentationFacts, CheckReport[DocumentationProblem]):
    """How well a repository is documented."""

    view = View["DocumentationReport"](
        title="Documentation",
        headline=_headline,
        tables=(problem_table(before=(Column("level", is_severity=True),)),),
        rules=documentation_check.RULES,
    )


@tool(
    title="Check documentation",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "docs out of date, stale AGENTS.md, drift, README correct, missing docstrings, "
        "undocumented public functions, API documentation coverage, commands in the README work, "
        "does the README still match "
        "the code, install steps wrong, lacking docs"
    ),
)
def check_documentation(params: CheckParams, bench: Bench) -> DocumentationReport:
    """Check what documents promise: links, anchors, commands, and code they name that is gone now.

    Says since which commit, and the new path. Also missing sections and kinds of documents, and
    how much of the public API has a doc comment. Runs nothing.
    """
    tree = open_tree(params.path, bench)
    problems, facts = documentation_check.check_documentation(tree, bench.job)
    page = params.page(problems)
    return DocumentationReport(
        **dict(facts),
        problems=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        has_problems=any(it.level != "note" for it in problems),
        format=params.format,
    )
