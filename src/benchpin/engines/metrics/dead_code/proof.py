"""Why the definitions of a workspace are as alive as they are, to see that an edit changes nothing.

The search settles definitions one after the other, and each that is surely alive was first reached
by a use in code that was settled before, or for a reason of its own. As long as these uses stay,
everything that was surely alive is so. A use that is new, or that was not needed, matters only to
definitions of its name: not if all of them are surely alive. So most edits leave all scores as
they are, and it takes the changed files alone to see it.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from benchpin.core import Job
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.liveness import SURE, rules_of
from benchpin.engines.source.program import ForeignUse, NamesOutsideCode, TokenView
from benchpin.engines.source.reductions import key_digest
from benchpin.engines.source.testing import is_product_path

from . import uses as file_uses
from .definitions import define
from .name_uses import NameUses, find_name_uses
from .program_uses import FindUses, ProgramUses, require_time
from .report import DeadCode, dead_code_of, report_dead_code
from .scoring import LivenessScores, score_definitions
from .uses import BARE, MEMBER, TOP_LEVEL, FileUses, NameFinder, kinds_of


class LivenessProof(msgspec.Struct, frozen=True, gc=False):
    """What must stay for the scores of all definitions to stay."""

    names: bytes
    """A digest of the names, by whose numbers uses are kept."""
    keys: dict[str, bytes]
    """The key of each file, by path."""
    needed: dict[str, dict[int, bytes]]
    """By path and code, the names whose use there made something surely alive, as numbers."""
    unsafe: bytes
    """The names with a definition that is not surely alive, or that no use keeps alive."""


@dataclass(frozen=True, slots=True)
class ProvenDeadCode:
    """The dead code of a workspace, and why the rest is alive."""

    found: DeadCode
    ordinals: list[int]
    """For each item, which definition of its file it is."""
    proof: LivenessProof


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
    find_uses: FindUses = find_name_uses,
    job: Job | None = None,
) -> ProvenDeadCode:
    """Find what nothing uses; `chosen` has the paths to report on, all by default.

    `files` must be the whole workspace, with outline, links and tokens: a use anywhere counts.
    What is inside a dead definition is left out, unless `is_folded` is false. With
    `include_public`, the interface of a library counts as dead when nothing here uses it.
    `find_uses` may know what the files use from before.

    Raises:
        TimeLimitExceeded: when the time is up, or files were left out before: then what looks
            dead may be used by one of them.
    """
    job = job or Job()
    program = ProgramUses(
        files, outside, job, foreign_uses, is_closed=include_public, find_uses=find_uses
    )
    require_time(job)
    liveness = score_definitions(program)
    require_time(job)
    is_reported = [
        (chosen is None or file.path in chosen) and (include_tests or is_product_path(file.path))
        for file in files
    ]
    found = report_dead_code(
        program, liveness, is_reported, min_confidence=min_confidence, is_folded=is_folded
    )
    return ProvenDeadCode(*found, _prove(program, liveness))


def _prove(program: ProgramUses, scores: LivenessScores) -> LivenessProof:
    """Return what the scores of a program rest on."""
    needed: defaultdict[str, dict[int, bytes]] = defaultdict(dict)
    for context, names in scores.needed.items():
        file = program.file_of(context)
        code = TOP_LEVEL if context < 0 else context - program.first[file]
        needed[program.files[file].path][code] = array("I", sorted(names)).tobytes()
    numbers = program.numbers
    kept = {name for names in scores.needed.values() for name in names}
    unsafe = {
        number
        for it in program.definitions
        for number in [numbers[it.name]]
        if scores.scores[it.id] < SURE or number not in kept
    }
    keys = {file.path: file.key for file in program.files}
    packed = array("I", sorted(unsafe)).tobytes()
    return LivenessProof(key_digest(tuple(program.names)), keys, dict(needed), packed)


def still_proven(
    before: ProvenDeadCode, uses: NameUses, changed: Sequence[FileFacts]
) -> tuple[ProvenDeadCode, NameUses] | None:
    """Return the dead code after some files changed, and what they use now.

    `uses` are those of the files before; the changed ones need `outline`, `links` and `tokens`.
    None where a change may make something alive or dead.
    """
    proof = before.proof
    if key_digest(tuple(uses.names)) != proof.names:
        return None
    unsafe = frozenset(array("I", proof.unsafe))
    finder = NameFinder(uses.names)
    found: dict[str, tuple[bytes, FileUses]] = {}
    lines: dict[str, list[tuple[int, int]]] = {}
    for file in changed:
        key, old = uses.files.get(file.path, (b"", None))
        if old is None or key != proof.keys.get(file.path):
            return None
        own = define(file, 0, 0)
        view, rules = TokenView.of(file, 0), rules_of(file.language)
        new = file_uses.find_uses(file, view, own, finder, rules)
        if not _is_alike(old, new, proof.needed.get(file.path, {}), unsafe):
            return None
        found[file.path] = file.key, new
        lines[file.path] = [(it.line, it.end_line) for it in own]
    moved = _moved(before, lines, {file.path: file.outline.lines for file in changed})
    keys = proof.keys | {path: key for path, (key, _) in found.items()}
    kept = ProvenDeadCode(*moved, msgspec.structs.replace(proof, keys=keys))
    return kept, NameUses(uses.names, uses.files | found)


def _is_alike(
    old: FileUses, new: FileUses, needed: Mapping[int, bytes], unsafe: frozenset[int]
) -> bool:
    """Whether all definitions are as alive with the new uses of a file as with the old ones."""
    if _others(old) != _others(new) or _of_unsafe(old, unsafe) != _of_unsafe(new, unsafe):
        return False
    for code, names in needed.items():
        was, now = (kinds_of(it.by_context.get(code, b"")) for it in (old, new))
        for name in array("I", names):
            if was.get(name, 0) & (BARE | MEMBER) & ~now.get(name, 0):
                return False
    return True


def _others(uses: FileUses) -> tuple[object, ...]:
    """Return everything but the names that code uses."""
    parts = (uses.prefixes, uses.suffixes, uses.looked_up)
    return *parts, uses.self_lookups, uses.implementing, uses.signs


def _of_unsafe(uses: FileUses, unsafe: frozenset[int]) -> list[tuple[int, int, int]]:
    """Return the uses of some names in their order, in which a finding names them."""
    return [
        (code, name, kind)
        for code, packed in uses.by_context.items()
        for name, kind in kinds_of(packed).items()
        if name in unsafe
    ]


def _moved(
    before: ProvenDeadCode,
    lines: Mapping[str, Sequence[tuple[int, int]]],
    lengths: Mapping[str, int],
) -> tuple[DeadCode, list[int]]:
    """Return the findings with the lines that definitions have now."""
    items = []
    for it, ordinal in zip(before.found.items, before.ordinals, strict=True):
        if it.file in lines:
            first, last = lines[it.file][ordinal]
            place = {"line": first, "end_line": last, "lines": last - first + 1}
            items.append((it.model_copy(update=place), ordinal))
        else:
            items.append((it, ordinal))
    items.sort(key=lambda it: it[0].order)
    known = before.found.lengths
    now = {path: lengths.get(path, length) for path, length in known.items()}
    definitions = before.found.summary.total_definitions
    return dead_code_of([it for it, _ in items], now, definitions), [at for _, at in items]
