"""Say whether a change is done: proven, not proven, or broken."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection
from benchpin.present import FindingFormat
from benchpin.project.proof import Proof, prove, require_settled, summary_of, verdict_of
from benchpin.project.review import ReviewState, review

from ._certificate import Certificate
from ._changes import ChangeParams, read_change, size_of_change

_MAX_GAPS = 200


class ProveParams(ChangeParams):
    """Which change, and how long it may take."""

    format: Rare[FindingFormat] = "summary"
    """How to show it; full adds what was checked and the rest of the review."""
    budget: Rare[Annotated[int, Field(ge=5, le=7_200)]] = 120
    """Time limit in seconds; the most important checks run first. A server may stop earlier."""


@tool(
    title="Prove a change",
    effect=Effect.READ,
    further_effect=Effect.EXECUTE,
    needs_sandbox=True,
    is_heavy=True,
    also=(
        "is it done, am I done, certificate, verify my change, run affected tests, mutation "
        "testing, does the test fail without the fix, before I stop, ready to merge, done"
    ),
)
def prove_change(params: ProveParams, bench: Bench) -> Certificate:
    """Check whether a change is done: proven, not proven, broken.

    Reviews it, runs the affected tests, runs new tests without the change too, and checks whether
    tests notice mistakes in it. Changes nothing in the workspace.
    """
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    require_settled(selection, params.diff)
    read = read_change(
        params, bench, ("outline", "links", "comments", "tokens"), or_last_commit=False
    )
    state = ReviewState(selection, read.files, read.symbols, bench.now())
    findings = review(state) if read.files else []
    proof = Proof()
    if read.files:
        proof.of_review(findings, state.what_was_checked())
        prove(state, read.deltas, bench, bench.cache_dir, params.budget, proof)
    compared = size_of_change(read.deltas.title, read.file_rows(), read.symbol_rows())
    gaps = proof.in_order()
    verdict = verdict_of(gaps) if read.files else None
    return Certificate(
        compared=compared,
        verdict=verdict,
        checks=proof.checks,
        gaps=gaps[:_MAX_GAPS],
        total=len(gaps),
        mistakes=proof.mistakes,
        findings=[it for it in (*findings, *proof.findings) if it not in gaps],
        not_read=dict(read.deltas.unreadable),
        summary=summary_of(compared, verdict, proof),
        comments=read.comments(bench),
        format=params.format,
    )
