"""Find broken links in documents."""

from collections.abc import Iterator

from benchpin.core.calls import Bench
from benchpin.core.text import by_reason, counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, View
from benchpin.repository.documents import links as link_check
from benchpin.repository.documents.links import LinkProblem

from ._repository_tools import CheckParams, CheckReport, open_tree, problem_table


def _headline(report: "LinksReport") -> Iterator[str]:
    checked = f"{report.total:,} broken of {counted(report.checked, 'checked link')}"
    yield f"{checked} in {counted(report.files, 'Markdown file')}"
    if report.unchecked:
        yield f"not checked: {by_reason(report.unchecked)}"


class LinksReport(CheckReport[LinkProblem]):
    """Broken links, by file and line."""

    files: int
    """Markdown files that were read."""
    links: int
    checked: int
    unchecked: dict[str, int]
    """Links that were not checked, by reason; nothing is fetched."""

    view = View["LinksReport"](
        title="Broken links",
        headline=_headline,
        tables=(problem_table(Column("target", is_detail=True)),),
        rules=link_check.RULES,
    )


@tool(
    title="Check links",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "dead links, broken links, Markdown, 404, wrong anchors, links in the docs, URLs that "
        "lead nowhere, moved pages"
    ),
)
def check_links(params: CheckParams, bench: Bench) -> LinksReport:
    """Check the relative links and anchors in all Markdown files of a repository.

    Anchors follow GitHub's rules. Links to other sites are counted, not followed.
    """
    found = link_check.check_links(open_tree(params.path, bench), bench.job)
    page = params.page(found.problems)
    return LinksReport(
        problems=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        files=found.files,
        links=found.links,
        checked=found.checked,
        unchecked=dict(sorted(found.unchecked.items())),
        has_problems=bool(found.problems),
        format=params.format,
    )
