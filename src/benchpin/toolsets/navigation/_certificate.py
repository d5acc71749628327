"""The result of proving a change: the verdict, what was checked, what is missing."""

from collections.abc import Iterator

from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown
from benchpin.core.text import counted
from benchpin.present import Column, Report, Table, View, location
from benchpin.project.proof import PROOF_RULES, ProofCheck, TriedMistake, Verdict
from benchpin.project.review import RULES, ReviewFinding, as_finding

from ._changes import REMARK_COLUMNS, not_compared

# Exit codes, beside 2 for a call that fails.
_CODES: dict[Verdict, int] = {"proven": 0, "broken": 1, "not proven": 3}


class Certificate(Report):
    """Whether a change is done, what was checked, what is missing."""

    compared: str
    """What was compared."""
    verdict: Verdict | None
    """Null where nothing changed."""
    checks: list[ProofCheck]
    gaps: list[ReviewFinding]
    """What is broken or missing, the worst first."""
    total: int
    mistakes: list[TriedMistake]
    findings: list[ReviewFinding]
    """What else the review found."""
    not_read: dict[str, str]
    """Files that could not be compared, and why."""
    summary: str
    """Markdown to paste into a pull request."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on what changed."""

    view = View["Certificate"](
        title="Certificate",
        headline=lambda it: it.headline(),
        tables=(
            Table(
                rows=lambda it: it.gaps,
                columns=REMARK_COLUMNS,
                title="Broken or missing",
                findings=lambda it: [as_finding(it)],
            ),
            Table(
                rows=lambda it: it.checks,
                columns=(Column("name"), Column("state"), Column("detail")),
                title="What was checked",
            ),
            Table(
                rows=lambda it: it.mistakes,
                columns=(
                    location(),
                    Column("function"),
                    Column("mistake", is_code=True),
                    Column("noticed_by", lambda it: it.noticed_by or None),
                ),
                title="Mistakes that were tried",
                is_detail=True,
            ),
            Table(
                rows=lambda it: it.findings,
                columns=(Column("level", is_severity=True), location(), Column("message")),
                title="Other findings of the review",
                findings=lambda it: [as_finding(it)],
                is_detail=True,
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: it.notes(),
        rules=(*RULES, *PROOF_RULES),
    )

    def headline(self) -> Iterator[str]:
        """Return the verdict; there is none where nothing changed."""
        if self.verdict is None:
            yield self.text_style.hint(self.compared)
            return
        left = counted(self.total, "thing")
        said = {"proven": "", "not proven": f": {left} missing", "broken": f": {left} to fix"}
        yield f"{self.verdict}{said[self.verdict]}".capitalize()
        yield self.text_style.hint(self.compared)

    def notes(self) -> list[str]:
        """Return how many gaps are not listed."""
        more = self.total - len(self.gaps)
        return [f"{more:,} more are broken or missing"] if more else []

    def exit_status(self) -> int:
        """Return 0 for proven or where nothing changed, 1 for broken, 3 for not proven."""
        return 0 if self.verdict is None else _CODES[self.verdict]

    def lacks(self) -> list[str]:
        """Return which files could not be compared."""
        return not_compared(self.not_read)
