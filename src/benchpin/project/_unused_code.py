"""Find the code that nothing uses: neither code of its own language nor of another one."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchpin.core.calls import HowMade
from benchpin.facts import LATE, FactsOnDemand, FileFacts, FileSelection, Sources, open_index
from benchpin.facts.liveness import ForeignUse, NamesOutsideCode
from benchpin.facts.store import stamps_digest
from benchpin.measures import unused as dead_code
from benchpin.memory import Reduction, key_digest, open_reductions, remember
from benchpin.project.bridges import REFERENCED, find_bridges
from benchpin.project.side_process import SideMeasures
from benchpin.workspace.walking import SourceFile

_OUTSIDE = Reduction[dead_code.WordsOutsideCode]("words outside code", dead_code.WordsOutsideCode)
_LIVENESS = Reduction[dead_code.LivenessState]("liveness", dead_code.LivenessState)
# What another process finds while this one finds those of the other half.
HALF_OF_USES = "name uses of half the files"
_HALF = Reduction[dict[str, dead_code.KnownUses]](HALF_OF_USES, dict[str, dead_code.KnownUses])
_FEW = 64
# If more than a few files changed, and this part of all, a search of everything costs less.
_MAX_SHARE = 16


@dataclass(frozen=True, slots=True)
class UnusedCodeSearch:
    """A search for what nothing in a workspace uses."""

    selection: FileSelection
    users: Sources
    """Every file that could use the selected ones, without facts."""
    others: Sequence[SourceFile]
    """The files that are not source code, and those that could not be measured."""
    aside: SideMeasures
    """May find half of the uses where nothing is known of them."""
    include_public: bool

    def run(
        self, selected: Sequence[FileFacts], *, include_tests: bool
    ) -> tuple[dead_code.DeadCode, HowMade]:
        """Find what is dead in the selected files, and say how that came about.

        Raises:
            TimeLimitExceeded: when there is no time to read everything.
        """
        selection = self.selection
        dead_code.require_time(selection.job, lacks_files=LATE in self.users.unmeasured.values())
        how: HowMade = "recalled"
        known = {file.path for file in self.users.files}
        is_inside = all(file.path in known for file in selected)
        users = self.users if is_inside else read_program(selection)
        stamps = stamps_digest(self.others)

        def make() -> dead_code.LivenessState:
            nonlocal how
            how = "computed"
            program = read_program(selection)
            return self._search(program.files, None, self._uses_beside(program))

        def update(before: dead_code.LivenessState) -> dead_code.LivenessState | None:
            nonlocal how
            if not is_inside or _has_changed_much(before, users.files):
                return None
            how = "updated"
            files = FactsOnDemand(users.files, open_index(selection.session).section)
            return self._search(files, before, before.uses)

        found = remember(
            selection.session,
            selection.job,
            _LIVENESS,
            (users.digest, stamps, self.include_public),
            make,
            update=update,
            slot=self.include_public,
            is_fresh=selection.is_fresh,
        )
        has_generated = selection.query.options.include_vendored
        chosen = {
            file.path
            for file in selected
            if has_generated or not found.sizes[file.path].is_generated
        }
        dead = dead_code.dead_code_of_state(found, chosen=chosen, include_tests=include_tests)
        return dead, how

    def _search(
        self,
        files: Sequence[FileFacts],
        before: dead_code.LivenessState | None,
        known: dead_code.WorkspaceUses | None,
    ) -> dead_code.LivenessState:
        job, lacking = self.selection.job, open_index(self.selection.session).keys_lacking
        uses = dead_code.find_name_uses(
            files,
            lambda: dead_code.require_time(job),
            known,
            lambda names: lacking(names, ("tokens", "links")),
        )
        return dead_code.find_liveness(
            files,
            uses,
            self._names_outside(frozenset(uses.names)),
            self._foreign_uses(files),
            include_public=self.include_public,
            before=before,
            job=job,
        )

    def _names_outside(self, names: frozenset[str]) -> NamesOutsideCode:
        """Return the names in files that are not source code; read again when one changes."""
        selection, unmeasured = self.selection, self.users.unmeasured

        def read() -> dead_code.WordsOutsideCode:
            paths = selection.job.each([file.path for file in self.others], "text files")
            reader = dead_code.reader_of(selection.root)
            return dead_code.read_words_outside_code(paths, names, reader, unmeasured)

        return remember(
            selection.session,
            selection.job,
            _OUTSIDE,
            (stamps_digest(self.others), tuple(sorted(unmeasured))),
            read,
            is_current=lambda found: found.is_complete,
            is_fresh=selection.is_fresh,
        ).only(names)

    def _foreign_uses(self, files: Sequence[FileFacts]) -> Iterator[ForeignUse]:
        """Yield the definitions that code in another language references."""
        if REFERENCED.isdisjoint({file.language for file in files}):
            return
        selection = self.selection
        facts = read_program(selection).files
        found = find_bridges(facts, selection.read_manifest, selection.job, most=sys.maxsize)
        for use in found.references:
            if use.to_file is not None and use.to_line is not None:
                yield ForeignUse(use.to_file, use.to_line, use.symbol)

    def _uses_beside(self, program: Sources) -> dead_code.WorkspaceUses | None:
        """Find the uses of names in half of the files, and take the others from another process."""
        selection, files = self.selection, program.files
        if not self.aside.may_take(HALF_OF_USES):
            return None
        own = dead_code.define_all(files)
        names, numbers = dead_code.names_of(own.values()), range(1, len(files), 2)
        found = dead_code.uses_by_file(
            files, own, names, numbers, lambda: dead_code.require_time(selection.job)
        )
        self.aside.wait_for(HALF_OF_USES)
        place = key_digest((HALF_OF_USES, program.digest))
        handed_over = _HALF.decode(open_reductions(selection.session).load(place))
        return dead_code.WorkspaceUses(
            names, found if handed_over is None else found | handed_over[0]
        )


def read_program(selection: FileSelection) -> Sources:
    """Return the whole workspace with what a search needs to know of it."""
    return selection.read_with_users(on_demand=("links", "tokens"))


def find_half_of_uses(selection: FileSelection) -> None:
    """Find the uses of names in half of the files, and put them into the cache."""
    program = read_program(selection)
    files = program.files
    own = dead_code.define_all(files)
    names, numbers = dead_code.names_of(own.values()), range(0, len(files), 2)
    found = dead_code.uses_by_file(files, own, names, numbers, selection.job.check)
    data = None if selection.job.missing else _HALF.encode(found)
    if data is not None:
        place = key_digest((HALF_OF_USES, program.digest))
        open_reductions(selection.session).save(place, place, data)


def _has_changed_much(before: dead_code.LivenessState, files: Sequence[FileFacts]) -> bool:
    """Whether a search of everything costs less than an update."""
    known = before.uses.files
    changed = sum(file.path not in known or known[file.path][0] != file.key for file in files)
    return changed > max(_FEW, len(files) // _MAX_SHARE)
