"""Find the code that nothing uses: neither code of its own language nor of another one."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchpin.engines.metrics import dead_code
from benchpin.engines.source.basis import content_digest, stamps_digest
from benchpin.engines.source.index import FileFacts, Sources, open_index
from benchpin.engines.source.program import Definition, ForeignUse, NamesOutsideCode
from benchpin.engines.source.reductions import (
    Reduction,
    key_digest,
    newest_result,
    open_reductions,
    remember,
)
from benchpin.engines.source.selection import FileSelection
from benchpin.engines.source.walk import SourceFile

from .bridges import REFERENCED, find_bridges
from .side_measures import SideMeasures

_OUTSIDE = Reduction[dead_code.WordsOutsideCode]("words outside code", dead_code.WordsOutsideCode)
_MOST_CHANGED = 64
"""With more changed files, everything is searched: one of them concerns others."""
_NAME_USES = Reduction[dead_code.NameUses]("name uses", dead_code.NameUses)
HALF_OF_USES = "name uses of half the files"
"""What another process finds while this one finds those of the other half."""
_HALF = Reduction[dict[str, dead_code.KnownUses]](HALF_OF_USES, dict[str, dead_code.KnownUses])
_USES_OF_PROOF = replace(_NAME_USES, saves_updates=True)
"""Those that a search for unused code starts from: its proof is good only with them."""


@dataclass(frozen=True, slots=True)
class UnusedCode:
    """What nothing uses, and what that depends on besides code."""

    proven: dead_code.ProvenDeadCode
    texts: bytes
    """A digest of the other files."""


def find_unused_code(
    selection: FileSelection,
    sources: Sources,
    others: Sequence[SourceFile],
    chosen: frozenset[str],
    aside: SideMeasures,
    *,
    include_tests: bool,
    include_public: bool,
) -> UnusedCode:
    """Find what nothing in the workspace uses, in the chosen files.

    `sources` is the whole workspace with links and tokens, `others` are its other files and those
    that could not be measured. `aside` may find half of the uses.

    Raises:
        TimeLimitExceeded: when there is no time to read everything.
    """
    job = selection.job
    found = dead_code.find_dead_code(
        sources.files,
        _names_outside(selection, sources, others),
        chosen=chosen,
        include_tests=include_tests,
        include_public=include_public,
        foreign_uses=_foreign_uses(selection, sources.files),
        find_uses=_uses_before(selection, aside),
        job=job,
    )
    return UnusedCode(found, stamps_digest(others))


def update_unused_code(
    selection: FileSelection, users: Sources, others: Sequence[SourceFile], before: UnusedCode
) -> UnusedCode | None:
    """Return what nothing uses after few files changed, if that follows from what they contain.

    None where the whole workspace has to be searched.
    """
    it, known = selection, before.proven.proof.keys
    files = users.files
    is_same = len(files) == len(known) and all(file.path in known for file in files)
    if not is_same or before.texts != stamps_digest(others) or it.job.missing:
        return None
    changed = [file.path for file in files if known[file.path] != file.key]
    uses = newest_result(it.session, _NAME_USES)
    if uses is None or len(changed) > _MOST_CHANGED or _has_referenced(files):
        return None
    facts = it.read_users(changed, "links", "tokens")
    found = dead_code.still_proven(before.proven, uses[0], facts)
    if found is None or len(facts) < len(changed):
        return None
    proven, now = found
    digest = content_digest(files)
    remember(it.session, it.job, _NAME_USES, (digest,), lambda: now, how_made=lambda: "updated")
    return UnusedCode(proven, before.texts)


def _names_outside(
    selection: FileSelection, sources: Sources, others: Sequence[SourceFile]
) -> NamesOutsideCode:
    """Return the names in files that are not source code; read again when one of them changes."""
    it, names = selection, dead_code.names_in(sources.files)

    def read() -> dead_code.WordsOutsideCode:
        paths = it.job.each([file.path for file in others], "text files")
        reader = dead_code.reader_of(it.root)
        return dead_code.read_words_outside_code(paths, names, reader, sources.unmeasured)

    return remember(
        it.session,
        it.job,
        _OUTSIDE,
        (stamps_digest(others), tuple(sorted(sources.unmeasured))),
        read,
        is_current=lambda found: found.is_complete,
        is_fresh=it.is_fresh,
    ).only(names)


def find_half_of_uses(selection: FileSelection) -> None:
    """Find the uses of names in half of the files, and put them into the cache."""
    it, files = selection, read_program(selection).files
    own = dead_code.define_all(files)
    names, numbers = dead_code.names_of(own), range(0, len(files), 2)
    found = dead_code.uses_by_file(files, own, names, numbers, it.job.check)
    data = None if it.job.missing else _HALF.encode(found)
    if data is not None:
        place = key_digest((HALF_OF_USES, content_digest(files)))
        open_reductions(it.session).save(place, place, data)


def read_program(selection: FileSelection) -> Sources:
    """Return the whole workspace with what `find_unused_code` needs to know of it."""
    return selection.read_with_users(on_demand=("links", "tokens"))


def _uses_beside(
    selection: FileSelection,
    aside: SideMeasures,
    files: Sequence[FileFacts],
    own: Sequence[Sequence[Definition]],
    require_time: Callable[[], None],
) -> dead_code.NameUses | None:
    """Find the uses of names in half of the files, and take the others from another process."""
    if not aside.may_take(HALF_OF_USES):
        return None
    names, numbers = dead_code.names_of(own), range(1, len(files), 2)
    found = dead_code.uses_by_file(files, own, names, numbers, require_time)
    aside.wait_for(HALF_OF_USES)
    place = key_digest((HALF_OF_USES, content_digest(files)))
    handed_over = _HALF.decode(open_reductions(selection.session).load(place))
    return dead_code.NameUses(names, found if handed_over is None else found | handed_over[0])


def _uses_before(selection: FileSelection, aside: SideMeasures) -> dead_code.FindUses:
    """Return a function that finds the uses of names, starting from those found before."""
    it = selection

    def find(
        files: Sequence[FileFacts],
        own: Sequence[Sequence[Definition]],
        require_time: Callable[[], None],
    ) -> dead_code.NameUses:
        def update(before: dead_code.NameUses | None) -> dead_code.NameUses:
            lacking = open_index(it.session).keys_lacking
            return dead_code.find_name_uses(
                files, own, require_time, before, lambda names: lacking(names, ("tokens",))
            )

        return remember(
            it.session,
            it.job,
            _USES_OF_PROOF,
            (content_digest(files),),
            lambda: update(_uses_beside(it, aside, files, own, require_time)),
            update=update,
            is_fresh=it.is_fresh,
        )

    return find


def _foreign_uses(selection: FileSelection, files: Sequence[FileFacts]) -> Iterator[ForeignUse]:
    """Yield the definitions that code in another language references."""
    if not _has_referenced(files):
        return
    found = find_bridges(files, selection.read_manifest, selection.job, most=sys.maxsize)
    for it in found.references:
        if it.to_file is not None and it.to_line is not None:
            yield ForeignUse(it.to_file, it.to_line, it.symbol)


def _has_referenced(files: Sequence[FileFacts]) -> bool:
    """Whether there is code that other languages can reference."""
    return not REFERENCED.isdisjoint({file.language for file in files})
