"""Search a workspace for dead code."""

from collections.abc import Collection, Iterable, Sequence

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileFacts
from benchpin.facts.liveness import ForeignUse, NamesOutsideCode

from ._file_uses import FileUses, JoinedUses
from ._program import LiveProgram
from ._report import DeadCode, Liveness, liveness_of, report_dead_code
from ._scoring import score_definitions
from ._uses import FILE_USES

_HALF_STEP = 0.005


def require_time(job: Job, *, lacks_files: bool = False) -> None:
    """Stop unless the whole workspace was read and there is time left: else live code looks dead.

    What another measure left out does not matter here.

    Raises:
        TimeLimitExceeded: when the time is up, or files were left out.
    """
    job.check()
    if job.is_expired or lacks_files:
        raise TimeLimitExceeded(
            "Time ran out before all files were read; without them, used code would look dead",
            suggestion="Call again: the files measured so far are kept. Or allow more time with "
            "tool_timeouts.analyze_dead_code.",
        )


def find_liveness(
    files: Sequence[FileFacts],
    uses: Sequence[FileUses],
    words: list[str],
    outside: NamesOutsideCode,
    foreign_uses: Iterable[ForeignUse] = (),
    *,
    include_public: bool = False,
    min_confidence: float = 0.0,
    job: Job | None = None,
) -> Liveness:
    """Find how alive everything is; with `min_confidence` only what is dead so surely.

    `files` must be the whole workspace: a use anywhere counts. Their facts may be loaded when
    they are asked for; `uses` are theirs, joined with these `words`. With `include_public`, the
    interface of a library counts as dead when nothing here uses it.

    Raises:
        TimeLimitExceeded: when the time is up.
    """
    job = job or Job()
    require_time(job)
    program = LiveProgram(files, uses, words, outside, foreign_uses, is_closed=include_public)
    try:
        # The scores between are few constants: half of their smallest step is no matter.
        scores = score_definitions(program, 1 - min_confidence + _HALF_STEP)
        require_time(job)
        return liveness_of(program, scores, min_confidence)
    finally:
        program.close()


def find_dead_code(
    files: Sequence[FileFacts],
    outside: NamesOutsideCode,
    *,
    min_confidence: float = 0.0,
    chosen: Collection[str] | None = None,
    include_public: bool = False,
    is_folded: bool = True,
    foreign_uses: Iterable[ForeignUse] = (),
    job: Job | None = None,
) -> DeadCode:
    """Find what nothing uses, given files with outline, links and tokens; see `find_liveness`.

    Raises:
        TimeLimitExceeded: when the time is up.
    """
    joined, given = JoinedUses(), job or Job()
    for file in files:
        require_time(given)
        joined.add(file, FILE_USES.compute(file, None))
    found = find_liveness(
        files,
        joined.of(files),
        joined.words,
        outside,
        foreign_uses,
        include_public=include_public,
        job=given,
    )
    return report_dead_code(
        found, min_confidence=min_confidence, chosen=chosen, is_folded=is_folded
    )
