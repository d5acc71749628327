"""What a certificate says: the checks, what is missing, and the verdict."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from benchpin.core.results import Item
from benchpin.core.text import plain
from benchpin.present import FindingRule
from benchpin.project.review import NO_TYPES, ReviewFinding

Verdict = Literal["proven", "not proven", "broken"]
State = Literal["passed", "failed", "incomplete", "not done", "nothing to do"]

FAILING, UNTESTED = "failing-test", "untested-change"
PASSES, UNNOTICED, UNCHECKED = "passes-without-change", "unnoticed-mistake", "not-checked"
PROOF_RULES = tuple(
    FindingRule(id_, name, text, toolset="navigation")
    for id_, name, text in (
        (FAILING, "FailingTest", "A test that the change affects fails."),
        (UNTESTED, "UntestedChange", "No test runs what changed."),
        (PASSES, "PassesWithoutChange", "The new tests pass without the change too."),
        (UNNOTICED, "UnnoticedMistake", "No test notices a mistake in what changed."),
        (UNCHECKED, "NotChecked", "Something could not be checked."),
    )
)
# Findings of a review that leave something to do before a change is done, though nothing breaks.
_OPEN = frozenset({"weakened-test", "stale-documentation"})

_MAX_SHOWN = 5
_MAX_LISTED = 15


class ProofCheck(Item):
    """One thing that was looked at."""

    name: str
    state: State
    detail: str


class TriedMistake(Item):
    """A mistake that was put into changed code, to see whether a test notices."""

    file: str
    line: int
    function: str
    mistake: str
    noticed_by: str
    """The first test that failed; empty if none did."""


# How a row of the summary begins.
_MARKS: Mapping[State, str] = {
    "passed": "✅",
    "failed": "❌",
    "incomplete": "⚠️",
    "not done": "⚠️",
    "nothing to do": "⚪",
}


@dataclass
class Proof:
    """What was found out about a change so far."""

    checks: list[ProofCheck] = field(default_factory=list)
    gaps: list[ReviewFinding] = field(default_factory=list)
    """What is broken or missing, an error or a warning each."""
    findings: list[ReviewFinding] = field(default_factory=list)
    """What checkers of the project say that is no error."""
    mistakes: list[TriedMistake] = field(default_factory=list)

    def check(self, name: str, state: State, detail: str) -> None:
        self.checks.append(ProofCheck(name=name, state=state, detail=detail))

    def in_order(self) -> list[ReviewFinding]:
        """Return what is broken or missing, the worst first, each once."""
        once = {(it.rule, it.file, it.line, it.message): it for it in self.gaps}
        return sorted(once.values(), key=lambda it: (it.level != "error", it.file, it.line))

    def of_review(self, findings: Sequence[ReviewFinding], checked: str) -> None:
        """Take over what a review found that is broken, or that is left to do."""
        errors = [it for it in findings if it.level == "error"]
        left = [it for it in findings if it.level == "warning" and it.rule in _OPEN]
        self.gaps += [*errors, *left]
        state: State = "failed" if errors else "incomplete" if left else "passed"
        others = len(findings) - len(errors) - len(left)
        said = f"{len(errors)} errors, {len(left)} left to do, {others} other findings"
        # Checkers of types have a line of their own.
        checked = checked.removesuffix(NO_TYPES)
        self.check("review", state, f"{said if findings else 'no findings'}; checked: {checked}")
        stale = sum(it.rule == "stale-documentation" for it in findings)
        self.check(
            "documentation",
            "incomplete" if stale else "passed",
            f"{stale} texts no longer fit the code" if stale else "no text names what is gone",
        )


def verdict_of(gaps: Iterable[ReviewFinding]) -> Verdict:
    """Return *broken* with an error among the gaps, *proven* without any gap."""
    levels = {it.level for it in gaps}
    return "broken" if "error" in levels else "not proven" if levels else "proven"


def summary_of(compared: str, verdict: Verdict | None, proof: Proof) -> str:
    """Return a summary in Markdown, short enough for a pull request; no verdict for no change."""
    lines = [f"**Benchpin: {verdict or 'nothing to prove'}** ({_inline(compared)})", ""]
    lines += [f"- {_MARKS[it.state]} {it.name}: {_inline(it.detail)}" for it in proof.checks]
    gaps = proof.in_order()
    if gaps:
        lines += ["", "To fix:" if verdict == "broken" else "Missing:", ""]
        shown = (f"- `{it.file}:{it.line}` {_inline(it.message)}" for it in gaps[:_MAX_LISTED])
        lines += shown
    if len(gaps) > _MAX_LISTED:
        lines.append(f"- and {len(gaps) - _MAX_LISTED} more")
    return "\n".join(lines)


def _inline(text: str) -> str:
    """Return a text of a repository as Markdown that begins nothing and mentions nobody."""
    escaped = re.sub(r"([\\`*_\[\]<>|#!])", r"\\\1", " ".join(plain(text).split()))
    return escaped.replace("@", "@\u200b")


def gap(
    rule: str,
    file: str,
    line: int,
    message: str,
    symbol: str | None = None,
    *,
    is_error: bool = False,
) -> ReviewFinding:
    """Return something that is missing, or broken with `is_error`."""
    return ReviewFinding(
        rule=rule,
        level="error" if is_error else "warning",
        file=file,
        line=line,
        end_line=line,
        message=message,
        symbol=symbol,
        certainty="certain",
    )


def first_of(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return ", ".join(names[:_MAX_SHOWN]) + more
