"""PageRank by power iteration."""

from collections.abc import Sequence

from benchpin.core.calls import Job

# The sum of all changes below which it has converged, for the six digits that are shown.
_TOLERANCE = 1e-12
# A damping of 0.99, the highest allowed, needs about 2,800.
_MAX_ITERATIONS = 10_000


def page_rank(
    count: int,
    pairs: Sequence[tuple[int, int]],
    job: Job,
    *,
    damping: float,
    seeds: Sequence[int] = (),
) -> list[float] | None:
    """Return the PageRank of each node, which add up to 1; None when there was no time for it.

    With seeds it restarts only at these nodes. So does a walk at a node without edges.
    """
    import numpy as np

    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    degrees = np.bincount(sources, minlength=count)
    shares = damping / degrees[sources]
    is_end = degrees == 0
    restarts = np.zeros(count)
    restarts[list(dict.fromkeys(seeds)) or slice(None)] = 1.0
    restarts /= restarts.sum()
    ranks = restarts
    for done in range(_MAX_ITERATIONS):
        job.check()
        if job.is_expired:
            job.leave_out("PageRank")
            return None
        job.report(done, None, "iterations of PageRank")
        lost = damping * ranks[is_end].sum() + 1 - damping
        following = np.bincount(targets, ranks[sources] * shares, count) + lost * restarts
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < _TOLERANCE:
            break
    found: list[float] = ranks.tolist()
    return found
