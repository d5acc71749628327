"""Find links in documents that lead nowhere."""

from benchpin.core import Bench, Effect, tool
from benchpin.engines.repository.links import LinkProblem, LinkReport
from benchpin.engines.repository.links import check_links as judge_links
from benchpin.engines.repository.tokens import prepare
from benchpin.engines.sarif import Finding

from ._brevity import shortened
from ._formats import CheckParams, Report, page_of, rule, show
from ._tree import open_tree

RULES = (
    rule("broken-link", "BrokenLink", "A relative link leads to a file that does not exist."),
    rule("broken-anchor", "BrokenAnchor", "A link leads to a heading that does not exist."),
    rule("wrong-case", "WrongCase", "A link is spelled unlike the file that it leads to."),
)


class LinksReport(Report):
    """Links that lead nowhere, by file and line."""

    problems: list[LinkProblem]
    total: int
    next_cursor: str | None
    files: int
    """Markdown files that were read."""
    links: int
    checked: int
    unchecked: dict[str, int]
    """Links that were not judged, by reason; nothing is fetched."""


@tool(title="Check links", effect=Effect.READ)
def check_links(params: CheckParams, bench: Bench) -> LinksReport:
    """Check the relative links and anchors in all Markdown files of a repository.

    Anchors follow GitHub's rules. Links to other sites are counted, not followed.
    """
    prepare()
    tree = open_tree(params.path, bench)
    found = judge_links(tree, bench.job)
    problems = [as_finding(it) for it in found.problems]
    page = page_of([shortened(it) for it in found.problems], "links", params)
    return LinksReport(
        problems=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        files=found.files,
        links=found.links,
        checked=found.checked,
        unchecked=dict(sorted(found.unchecked.items())),
        shown=show(
            params,
            bench,
            _head(found),
            RULES,
            problems,
            [as_finding(it) for it in page.items],
            page.footer(),
        ),
    )


def as_finding(it: LinkProblem) -> Finding:
    """Return a problem as checks show it."""
    return Finding(it.rule, "warning", it.message, it.file, it.line, it.line)


def _head(found: LinkReport) -> list[str]:
    broken = f"{len(found.problems):,} broken of {found.checked:,} checked links"
    lines = [f"{broken} in {found.files:,} Markdown files"]
    if found.unchecked:
        reasons = ", ".join(
            f"{count:,} {reason}" for reason, count in sorted(found.unchecked.items())
        )
        lines.append(f"not checked: {reasons}")
    return lines
