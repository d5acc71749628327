"""Search a workspace for dead code: all of it, or what may have changed since the last search."""

from array import array
from collections.abc import Collection, Iterable, Sequence

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.liveness import SURE, ForeignUse, NamesOutsideCode
from benchpin.workspace.walking import is_product_path

from ._changed_files import changed_files
from ._changes import Changes
from ._columns import NONE, Columns
from ._name_index import UseIndex
from ._name_uses import WorkspaceUses, find_name_uses, require_time
from ._program_uses import ProgramUses
from ._report import DeadCode, describe, report_dead_code
from ._scoring import LivenessScores, score_definitions
from ._state import FileSize, LivenessState, state_of


def find_liveness(
    files: Sequence[FileFacts],
    uses: WorkspaceUses,
    outside: NamesOutsideCode,
    foreign_uses: Iterable[ForeignUse] = (),
    *,
    include_public: bool = False,
    before: LivenessState | None = None,
    job: Job | None = None,
) -> LivenessState:
    """Find how alive everything is; `before` is what a search of the same workspace found.

    `files` must be the whole workspace, with outline, links and tokens: a use anywhere counts. With
    `include_public`, the interface of a library counts as dead when nothing here uses it; `before`
    must have been made with the same.

    Raises:
        TimeLimitExceeded: when the time is up, or files were left out before: then what looks
            dead may be used by one of them.
    """
    job = job or Job()
    paths = [file.path for file in files]
    if before is not None and not _has_same_names(before.uses, uses):
        before = None
    changed = changed_files(before.uses if before else WorkspaceUses([], {}), uses)
    columns = Columns(
        paths,
        [uses.files[path][1] for path in paths],
        before.columns if before else None,
        changed.new,
    )
    added = {
        first: uses.files[path][1]
        for path, first in zip(paths, columns.first, strict=True)
        if path in changed.new
    }
    index = (before.index if before else UseIndex([], b"")).updated(
        len(uses.names), changed.old.values(), added
    )
    program = ProgramUses(
        files, uses, columns, index, outside, foreign_uses, is_closed=include_public
    )
    require_time(job)
    if before is None:
        return _search_all(program, uses, job)
    known = before.known_scores()
    changes = Changes(before, program, changed, known)
    wanted = changes.to_search()
    names = {columns.names[it] for it in wanted}
    users = {code for code, _, _ in program.users_in(index.files_with(names, columns), names)}
    score_definitions(program, known, wanted, users)
    require_time(job)
    described = wanted | changes.to_describe()
    names = {columns.names[it] for it in described if known.scores[it] < SURE}
    items = {it: before.items[it] for it in changes.kept_items() if it not in described}
    items |= describe(program.in_order(described), program, known, index.files_with(names, columns))
    sizes = {path: it for path, it in before.sizes.items() if path not in changed.old}
    sizes |= {path: _size(files[at]) for at, path in enumerate(paths) if path in changed.new}
    return state_of(program, uses, known, items, sizes)


def _size(file: FileFacts) -> FileSize:
    return FileSize(file.outline.lines, file.outline.is_generated)


def _search_all(program: ProgramUses, uses: WorkspaceUses, job: Job) -> LivenessState:
    columns = program.columns
    count = len(columns.kinds)
    known = LivenessScores(array("d", bytes(8 * count)), array("i", (NONE,)) * count, {})
    for first in columns.first:
        known.scores[first] = SURE
    ids = list(columns.all_ids())
    score_definitions(program, known, ids, columns.first)
    require_time(job)
    items = describe(ids, program, known, range(len(columns.first)))
    sizes = {path: _size(program.files[at]) for at, path in enumerate(columns.paths)}
    return state_of(program, uses, known, items, sizes)


def _has_same_names(before: WorkspaceUses, now: WorkspaceUses) -> bool:
    """Whether names have the same numbers as before."""
    return now.names[: len(before.names)] == before.names


def dead_code_of_state(
    state: LivenessState,
    *,
    min_confidence: float = 0.0,
    chosen: Collection[str] | None = None,
    include_tests: bool = False,
    is_folded: bool = True,
) -> DeadCode:
    """Return what is dead in some files; `chosen` has the paths to report on, all by default.

    What is inside a dead definition is left out, unless `is_folded` is false.
    """
    lengths = {
        path: size.lines
        for path, size in state.sizes.items()
        if (chosen is None or path in chosen) and (include_tests or is_product_path(path))
    }
    counts = {path: len(state.uses.files[path][1].kinds) for path in lengths}
    owners = array("i", state.columns.owners)
    return report_dead_code(
        state.items,
        owners,
        lengths,
        counts,
        min_confidence=min_confidence,
        is_folded=is_folded,
    )


def find_dead_code(
    files: Sequence[FileFacts],
    outside: NamesOutsideCode,
    *,
    min_confidence: float = 0.0,
    chosen: Collection[str] | None = None,
    include_tests: bool = False,
    include_public: bool = False,
    is_folded: bool = True,
    foreign_uses: Iterable[ForeignUse] = (),
    job: Job | None = None,
) -> DeadCode:
    """Find what nothing uses, without anything known from before; see `find_liveness`.

    Raises:
        TimeLimitExceeded: when the time is up, or files were left out before.
    """
    given = job or Job()
    uses = find_name_uses(files, lambda: require_time(given))
    state = find_liveness(
        files, uses, outside, foreign_uses, include_public=include_public, job=given
    )
    return dead_code_of_state(
        state,
        min_confidence=min_confidence,
        chosen=chosen,
        include_tests=include_tests,
        is_folded=is_folded,
    )
