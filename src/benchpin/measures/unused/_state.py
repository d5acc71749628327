"""What is kept of a search for dead code, so that the next one costs what changed since."""

from array import array

import msgspec

from benchpin.facts.liveness import ForeignUse, NamesOutsideCode, Reason, SharedByName, rules_of

from ._columns import StoredColumns
from ._name_index import ComposedNames, UseIndex
from ._name_uses import WorkspaceUses
from ._program_uses import ProgramUses
from ._report import DeadItem
from ._scoring import LivenessScores


class FileSize(msgspec.Struct, frozen=True, gc=False):
    """How long a file is."""

    lines: int
    is_generated: bool


class LivenessState(msgspec.Struct, frozen=True, gc=False):
    """All that a search found, and what it depends on."""

    uses: WorkspaceUses
    columns: StoredColumns
    index: UseIndex
    scores: bytes
    sources: bytes
    reasons: dict[int, Reason]
    parents: dict[int, list[int]]
    foreign: dict[int, list[str]]
    lookups: list[int]
    """Types whose objects look up their own members by name."""
    shared: dict[str, list[SharedByName]]
    """By a language that has the rules."""
    composed: dict[str, ComposedNames]
    """By a language that has the rules."""
    outside: NamesOutsideCode
    foreign_uses: list[ForeignUse]
    items: dict[int, DeadItem]
    """Everything that is not surely alive, by id."""
    sizes: dict[str, FileSize]

    def known_scores(self) -> LivenessScores:
        """Return a copy of the scores."""
        return LivenessScores(array("d", self.scores), array("i", self.sources), dict(self.reasons))


def state_of(
    program: ProgramUses,
    uses: WorkspaceUses,
    known: LivenessScores,
    items: dict[int, DeadItem],
    sizes: dict[str, FileSize],
) -> LivenessState:
    """Return what is to be kept of a program and its scores."""
    languages: dict[object, str] = {}
    for file, rules in zip(program.files, program.rules, strict=True):
        languages.setdefault(rules, file.language)
    rules_by_language = [(name, rules_of(name)) for name in languages.values()]
    return LivenessState(
        uses=uses,
        columns=program.columns.stored(),
        index=program.index,
        scores=known.scores.tobytes(),
        sources=known.sources.tobytes(),
        reasons=known.reasons,
        parents=program.inheritance.parents,
        foreign=program.inheritance.foreign,
        lookups=sorted(program.self_lookup_types),
        shared={
            name: [program.shared(it) for it in rules.shared] for name, rules in rules_by_language
        },
        composed={name: program.composed_names(rules) for name, rules in rules_by_language},
        outside=program.outside,
        foreign_uses=[it for uses in program.foreign_uses.values() for it in uses],
        items=items,
        sizes=sizes,
    )
