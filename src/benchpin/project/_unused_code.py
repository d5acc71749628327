"""Find the code that nothing uses: neither code of its own language nor of another one."""

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property

from benchpin.core.calls import job_lock
from benchpin.facts import LATE, FileFacts, FileSelection
from benchpin.facts.liveness import ForeignUse, NamesOutsideCode
from benchpin.facts.store import stamps_digest
from benchpin.measures import unused
from benchpin.memory import Inputs, Measure, key_digest
from benchpin.project.bridges import REFERENCED, find_bridges
from benchpin.workspace.walking import SourceFile

_TEXTS = "texts"


class UserInputs(Inputs):
    """Everything in a workspace that could use the selected files."""

    def __init__(self, selection: FileSelection) -> None:
        super().__init__(selection.with_users())
        self.offer(_TEXTS, lambda: self._texts_digest)

    @cached_property
    def texts(self) -> list[SourceFile]:
        """The files that are not source code, and those that could not be parsed."""
        unparsed = self.selection.stamps_of(self.listing.unmeasured)
        return [*self.selection.other_files(), *unparsed]

    @cached_property
    def _texts_digest(self) -> bytes:
        return stamps_digest(self.texts)

    @cached_property
    def workspace_digest(self) -> bytes:
        """The digest of everything that decides what is used."""
        return key_digest((self.digest, self._texts_digest))


def _find_liveness(inputs: UserInputs, options: tuple[bool, float]) -> unused.Liveness:
    """Find how alive everything is; what is known of files that did not change stays in memory.

    Raises:
        TimeLimitExceeded: when there is no time to read everything.
    """
    selection, job = inputs.selection, inputs.selection.job
    files = selection.list_files("outline", "links", "tokens").files
    joined = selection.session.service(unused.JoinedUses, unused.JoinedUses)
    with job_lock(joined.lock, job):
        lacking = joined.lacking(files)
        for file, found in unused.FILE_USES.each(selection, lacking, None):
            joined.add(file, found)
        # A file that no uses can be found of is not code that anything could be said of.
        files = [it for it in files if joined.has(it)]
        uses, words = joined.of(files), joined.words
    unused.require_time(job)
    outside = _names_outside(inputs, frozenset(words))
    foreign = list(_foreign_uses(inputs, files))
    include_public, min_confidence = options
    return unused.find_liveness(
        files,
        uses,
        words,
        outside,
        foreign,
        include_public=include_public,
        min_confidence=min_confidence,
        job=job,
    )


def _names_outside(inputs: UserInputs, names: frozenset[str]) -> NamesOutsideCode:
    found = inputs.get(_WORDS, None)
    if not found.is_complete:  # there are so many that only those are kept that are names
        found = _read_words(inputs, None, names)
    return found.words


def _read_words(
    inputs: UserInputs, _options: None, names: frozenset[str] = frozenset()
) -> unused.WordsOutsideCode:
    inputs.note(_TEXTS)
    selection = inputs.selection
    paths = selection.job.each([file.path for file in inputs.texts], "text files")
    unmeasured = inputs.listing.unmeasured
    return unused.read_words_outside_code(
        paths, names, unused.reader_of(selection.root), unmeasured
    )


def _foreign_uses(inputs: UserInputs, files: Sequence[FileFacts]) -> Iterator[ForeignUse]:
    """Yield the definitions that code in another language references."""
    if REFERENCED.isdisjoint({file.language for file in files}):
        return
    facts = inputs.selection.read_all(on_demand=("links",)).files
    found = find_bridges(facts, inputs.read_manifest, inputs.selection.job, most=sys.maxsize)
    for use in found.references:
        if use.to_file is not None and use.to_line is not None:
            yield ForeignUse(use.to_file, use.to_line, use.symbol)


_WORDS = Measure("words outside code", unused.WordsOutsideCode, _read_words, of_files=False)
LIVENESS = Measure(
    "liveness",
    unused.Liveness,
    _find_liveness,
    facts=lambda _options: (unused.FILE_USES.order(None),),
)


def find_unused(
    inputs: UserInputs, selected: Sequence[FileFacts], options: tuple[bool, float]
) -> unused.DeadCode:
    """Find what is dead in the selected files.

    The options are whether what is public can be unused, and the lowest confidence.

    Raises:
        TimeLimitExceeded: when there is no time to read everything.
    """
    is_late = LATE in inputs.listing.unmeasured.values()
    unused.require_time(inputs.selection.job, lacks_files=is_late)
    found = inputs.get(LIVENESS, options)
    has_generated = inputs.selection.query.options.include_vendored
    chosen = {
        file.path
        for file in selected
        if file.path in found.sizes
        if has_generated or not found.sizes[file.path].is_generated
    }
    return unused.report_dead_code(found, chosen=chosen)
