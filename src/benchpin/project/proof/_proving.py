"""Prove a change: run the tests that it affects, with it and without it, and with mistakes in it.

The most informative checks come first: the tests that certainly reach what changed, then
whether the new ones fail without it, then mistakes, and last the tests that may reach it.
"""

from pathlib import Path

from benchpin.code.changes import Deltas
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.core.tools import Effect
from benchpin.project.review import ReviewState

from ._certificate import UNCHECKED, Proof, first_of, gap
from ._changed import Changed
from ._filling import working_copy
from ._steps import Proving
from ._test_bed import TestBed, kept_builds

# What is kept to take things down and to answer.
_LAST_S = 1.0
_DOCUMENTS = (".md", ".rst", ".adoc", ".txt")


def prove(
    state: ReviewState, deltas: Deltas, bench: Bench, folder: Path, budget_s: float, proof: Proof
) -> None:
    """Run what shows whether a change is done, within some seconds, and add it to a proof.

    The copies in which tests run are made in `folder`. Only what was compiled is left there.
    """
    changed = Changed(state, deltas)
    if Effect.EXECUTE not in bench.effects | bench.typed_effects:
        why = "running programs is not allowed; start Benchpin with --allow execute"
        _not_checked(changed, why, proof)
        return
    if not changed.code and not changed.tests:
        _without_code(changed, proof)
        return
    job = _limited(bench.job, budget_s)
    try:
        with (
            bench.job.stopping(job.cancel),
            working_copy(state.selection, deltas, folder / "proofs", job) as copy,
            kept_builds(copy, folder / "builds") as builds,
        ):
            Proving(changed, copy, TestBed(copy, bench, job, builds), job, proof).run()
    except Cancelled:
        raise
    except TimeLimitExceeded:
        _not_checked(changed, f"the time of {budget_s:g} s was over before a test could run", proof)
    except BenchpinError as error:
        _not_checked(changed, f"{error} {error.suggestion}".strip(), proof)
    for missing in job.missing:
        bench.job.leave_out(missing)


def _limited(job: Job, budget_s: float) -> Job:
    left = job.time_left_s()
    limit = budget_s if left is None else min(budget_s, left)
    return Job(
        time_limit_s=max(0.0, limit - _LAST_S),
        on_progress=lambda it: job.report(it.done, it.total, it.message),
    )


def _not_checked(changed: Changed, why: str, proof: Proof) -> None:
    proof.check("tests", "not done", why)
    proof.gaps.append(gap(UNCHECKED, *changed.place, f"The tests did not run: {why}"))


def _without_code(changed: Changed, proof: Proof) -> None:
    """Check a change of documents, or of files that no test can be found for."""
    others = [it for it in changed.others if not it.endswith(_DOCUMENTS)]
    if others:
        named = first_of(others)
        proof.check("tests", "not done", f"no test is known for {named}")
        text = f"No test checks {named}: look at it yourself"
        proof.gaps.append(gap(UNCHECKED, others[0], 1, text))
    else:
        proof.check("tests", "nothing to do", "no code changed")
