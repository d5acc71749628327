"""Search again only what an edit may have made more or less alive.

Every definition that is alive has a source: code that uses it, a method that it overrides, or a
rule. As long as its source gives as much, and its owner too, a definition is as alive as before.
What lost its source, with all that has its source in it, is searched again. So is what may be more
alive than before: a definition that is not surely alive, and that is used where it was not, or that
a rule may judge differently, with all such definitions that it uses. No other score can change.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from benchpin.facts.liveness import SURE, rules_of

from ._changed_files import ChangedFiles, has_same_parts, has_same_types
from ._columns import NONE, match
from ._file_uses import uses_among
from ._inheritance import Inheritance
from ._name_index import ComposedNames
from ._program_uses import ProgramUses
from ._scoring import LivenessScores, value_of
from ._state import LivenessState

_ALL = range(1 << 62)


class Changes:
    """What is different in a program since a search."""

    def __init__(
        self,
        before: LivenessState,
        program: ProgramUses,
        changed: ChangedFiles,
        known: LivenessScores,
    ) -> None:
        """Compare; `known` has the scores of the search before, and is brought up to date."""
        self._before = before
        self._program = program
        self._columns = program.columns
        self._known = known
        self._files = [at for at, file in enumerate(program.files) if file.path in changed.new]
        self._old = changed.old
        at = {program.files[file].path: file for file in self._files}
        self._moved: dict[int, int] = {}
        for path, uses in changed.old.items():
            file = at.get(path)
            new = (None, 0) if file is None else (program.uses[file], self._columns.first[file])
            self._moved |= match(uses, before.columns.first[path], *new)
        self._carry_over()
        self._recall(changed)
        self._different = self._find_different()
        self._suspects = self._different | self._find_suspects()
        self._different |= self._judge_again()

    def _carry_over(self) -> None:
        """Give what is matched its old score."""
        known, moved = self._known, self._moved
        known.extend_to(len(self._columns.kinds))
        reasons = {it: reason for it in moved if (reason := known.reasons.pop(it, None))}
        for old, new in moved.items():
            if new != NONE:
                known.scores[new], known.sources[new] = known.scores[old], known.sources[old]
                if old in reasons:
                    known.reasons[new] = reasons[old]
        for file in self._files:
            known.scores[self._columns.first[file]] = SURE
        sources = known.sources
        for at, source in enumerate(sources):
            if source in moved:
                sources[at] = moved[source]

    def _recall(self, changed: ChangedFiles) -> None:
        """Let the program know what cannot have changed, as that takes time to find."""
        before, program = self._before, self._program
        now = {
            file.path: program.uses[at]
            for at, file in enumerate(program.files)
            if file.path in changed.new
        }
        if now.keys() != changed.old.keys():
            return
        pairs = [(changed.old[path], uses) for path, uses in now.items()]
        if any(old.language != new.language for old, new in pairs):
            return
        moved = self._moved
        if all(has_same_types(old, new) for old, new in pairs):
            program.recall_inheritance(
                {
                    moved.get(heir, heir): [moved.get(it, it) for it in parents]
                    for heir, parents in before.parents.items()
                },
                {moved.get(heir, heir): names for heir, names in before.foreign.items()},
            )
        if (
            all(old.shared == new.shared for old, new in pairs)
            and before.outside == program.outside
        ):
            for language, shared in before.shared.items():
                for names, marks in zip(rules_of(language).shared, shared, strict=True):
                    program.recall_shared(names, marks)
        if all(has_same_parts(old, new) for old, new in pairs):
            for language, parts in before.composed.items():
                program.recall_composed(rules_of(language), parts)

    def to_search(self) -> set[int]:
        """Return the definitions whose scores may have changed."""
        return self._less_alive() | self._more_alive()

    def to_describe(self) -> set[int]:
        """Return the definitions of which something else than the score may have changed."""
        return self._different | {
            it for name in self._changed_uses for it in self._unsure.get(name, ())
        }

    def kept_items(self) -> Iterator[int]:
        """Yield what was not surely alive before, in files that did not change."""
        return (it for it in self._before.items if it not in self._moved)

    def _less_alive(self) -> set[int]:
        """Return what lost its source or the score of its owner, and what depends on it."""
        known, columns = self._known, self._columns
        first_new = len(self._before.columns.kinds)
        doubtful = {it for it in columns.all_ids() if not NONE < known.sources[it] < first_new}
        doubtful |= self._suspects
        waiting = [it for it in doubtful if known.scores[it] > 0 and not self._holds(it)]
        lost = set(waiting)
        if lost:
            depending: defaultdict[int, list[int]] = defaultdict(list)
            for number in columns.all_ids():
                if known.scores[number] > 0:
                    depending[known.sources[number]].append(number)
                    depending[columns.owners[number]].append(number)
            while waiting:
                for dependent in depending.get(waiting.pop(), ()):
                    if dependent not in lost:
                        lost.add(dependent)
                        waiting.append(dependent)
        return lost

    def _holds(self, number: int) -> bool:
        """Whether the source of a definition and its owner still give it its score."""
        known, columns, program = self._known, self._columns, self._program
        score, source, owner = known.scores[number], known.sources[number], columns.owners[number]
        if source == NONE or (owner != NONE and known.scores[owner] < score):
            return False
        if source == number:
            return known.reason(number, program).score >= score
        name = columns.names[number]
        is_member = owner != NONE and columns.is_method(number)
        if is_member and source in program.inheritance.inherited(program.names[name], owner):
            return known.scores[source] >= score
        return any(
            value_of(program, known, number, source, kind) >= score
            for _, kind in program.uses_in(source, (name,))
        )

    @cached_property
    def _unsure(self) -> dict[int, list[int]]:
        """What is not surely alive, by the number of its name."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        scores, names = self._known.scores, self._columns.names
        for number in self._columns.all_ids():
            if scores[number] < SURE:
                found[names[number]].append(number)
        return found

    def _more_alive(self) -> set[int]:
        """Return what is not surely alive and may be used more, with all of these that it uses."""
        scores, program = self._known.scores, self._program
        waiting = [it for name in self._changed_uses for it in self._unsure.get(name, ())]
        waiting += [it for it in self._different if scores[it] < SURE]
        found = set(waiting)
        while waiting:
            number = waiting.pop()
            after = [*program.members.get(number, ()), *self._overriding(number)]
            for name, _ in program.uses_in(number, self._unsure):
                after += self._unsure[name]
            for other in after:
                if other not in found and scores[other] < SURE:
                    found.add(other)
                    waiting.append(other)
        return found

    def _overriding(self, number: int) -> Iterator[int]:
        """Yield methods that are not surely alive and override another."""
        columns, ancestors = self._columns, self._program.inheritance.ancestors
        owner = columns.owners[number]
        if owner != NONE and columns.is_method(number):
            for override in self._unsure.get(columns.names[number], ()):
                if columns.owners[override] != NONE and owner in ancestors(
                    columns.owners[override]
                ):
                    yield override

    @cached_property
    def _changed_uses(self) -> set[int]:
        """The names that changed files use elsewhere or otherwise than before."""
        moved, program = self._moved, self._program
        old: set[tuple[int, int]] = set()
        for path, uses in self._old.items():
            first = self._before.columns.first[path] + 1
            for code, names in uses.by_context().items():
                at = moved[first + code]
                old |= {(at if at != NONE else -2, it) for it in names}
        new = {
            (code, it)
            for file in self._files
            for code, names in program.uses_of(file).items()
            for it in names
        }
        return {name for name, _ in uses_among((it for _, it in old ^ new), _ALL)}

    # What rules may judge differently.

    def _judge_again(self) -> set[int]:
        """Ask the rules again if they were asked before; return what they judge differently."""
        found: set[int] = set()
        for suspect in self._suspects:
            old = self._known.reasons.pop(suspect, None)
            if old is not None and self._known.reason(suspect, self._program) != old:
                found.add(suspect)
        return found

    def _find_different(self) -> set[int]:
        """Return what is defined, owned or derived differently, or reached from other files."""
        found = {it for file in self._files for it in self._columns.ids_of(file)}
        found |= set(self._differently_owned())
        self._add_inner(found)
        heirs, _ = self._inheriting
        found |= heirs
        for heir in heirs:
            found.update(self._program.members.get(heir, ()))
        found |= set(self._by_path(self._shared_keys))
        return found

    def _find_suspects(self) -> set[int]:
        """Return what a rule may judge differently because of other files."""
        before, program = self._before, self._program
        if program.outside.documented_modules != before.outside.documented_modules or (
            program.outside.entry_files != before.outside.entry_files
        ):
            return set(self._columns.all_ids())
        lookups = {self._moved.get(it, it) for it in before.lookups}
        _, relatives = self._inheriting
        found = set(self._named(self._names_in_question()))
        for relative in relatives | (lookups ^ program.self_lookup_types):
            found.update(program.members.get(relative, ()))
        return found

    def _add_inner(self, found: set[int]) -> None:
        """Add what is inside of some definitions, in whatever file."""
        waiting = list(found)
        while waiting:
            for member in self._program.members.get(waiting.pop(), ()):
                if member not in found:
                    found.add(member)
                    waiting.append(member)

    def _differently_owned(self) -> Iterator[int]:
        """Yield methods outside their types that belong to another type now."""
        owners, columns = array("i", self._before.columns.owners), self._columns
        for file, uses in enumerate(self._program.uses):
            for at in uses.qualifiers:
                number = columns.first[file] + 1 + at
                old = owners[number] if number < len(owners) else NONE
                now = columns.owners[number]
                if self._moved.get(old, old) != now or (old in self._moved and now == NONE):
                    yield number

    @cached_property
    def _inheriting(self) -> tuple[set[int], set[int]]:
        """The types that inherit differently, and all from which they did or do."""
        before, moved, now = self._before, self._moved, self._program.inheritance
        old = {
            moved.get(heir, heir): (
                [moved.get(it, it) for it in parents],
                before.foreign[heir],
            )
            for heir, parents in before.parents.items()
        }
        changed = {
            it
            for it in old.keys() | now.parents.keys()
            if it != NONE and old.get(it) != (now.parents.get(it), now.foreign.get(it))
        }
        changed |= self._different_heritage()
        heirs = {it for start in changed for it in now.descendants(start)}
        relatives = {above for it in heirs for above in now.ancestors(it)}
        known = Inheritance(before.parents, before.foreign, lambda _: {}, sorted)
        back = {new: old for old, new in moved.items()}
        gone = [it for it in before.parents if moved.get(it) == NONE]
        for inheriting in (*(back.get(it, it) for it in heirs), *gone):
            relatives |= {moved.get(above, above) for above in known.ancestors(inheriting)}
        return heirs, relatives

    def _different_heritage(self) -> set[int]:
        moved, program, columns = self._moved, self._program, self._columns
        old: dict[int, str] = {}
        for path, uses in self._old.items():
            first = self._before.columns.first[path] + 1
            old |= {moved[first + at]: sign for at, sign in uses.heritage.items()}
        new = {
            columns.first[file] + 1 + at: sign
            for file in self._files
            for at, sign in program.uses[file].heritage.items()
        }
        return {it for it in old.keys() | new.keys() if it != NONE and old.get(it) != new.get(it)}

    def _names_in_question(self) -> set[int]:
        """Return names of which it matters whether something uses, composes or mentions them."""
        program, before = self._program, self._before
        old, new = array("I", before.index.counts), array("I", program.index.counts)
        old.extend([0] * (len(new) - len(old)))
        pairs = enumerate(zip(old, new, strict=True))
        found = {at for at, (was, now) in pairs if (was > 0) != (now > 0)}
        words = before.outside.configured ^ program.outside.configured
        words |= before.outside.documented ^ program.outside.documented
        words |= self._shared_keys
        found |= {number for it in words if (number := program.numbers.get(it)) is not None}
        prefixes, suffixes = self._parts()
        if prefixes or suffixes:
            found |= {
                at
                for at, name in enumerate(program.names)
                if name.startswith(prefixes) or name.endswith(suffixes)
            }
        return found

    def _parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the parts of names that are composed in other files than before."""
        program, before = self._program, self._before
        prefixes: set[str] = set()
        suffixes: set[str] = set()
        languages = {rules: name for name in before.composed for rules in [rules_of(name)]}
        for rules in dict.fromkeys((*languages, *program.rules)):
            is_known = rules in languages
            old = before.composed[languages[rules]] if is_known else ComposedNames({}, {}, {})
            new = program.composed_names(rules)
            prefixes |= _different(old.prefixes, new.prefixes)
            prefixes |= _different(old.looked_up, new.looked_up)
            suffixes |= _different(old.suffixes, new.suffixes)
        return tuple(prefixes), tuple(suffixes)

    @cached_property
    def _shared_keys(self) -> set[str]:
        """The names that rules share, and of which they know something else than before."""
        program, before = self._program, self._before
        found: set[str] = set()
        languages = {rules: name for name in before.shared for rules in [rules_of(name)]}
        for rules in dict.fromkeys((*languages, *program.rules)):
            for at, names in enumerate(rules.shared):
                old = before.shared[languages[rules]][at] if rules in languages else {}
                found |= _different(old, program.shared(names))
        return found

    def _named(self, names: Collection[int]) -> Iterator[int]:
        """Yield the definitions of some names, with what is beside and inside of them."""
        columns, members = self._columns, self._program.members
        if not names:
            return
        for number in columns.all_ids():
            if columns.names[number] in names:
                yield number
                yield from members.get(number, ())
                yield from members.get(columns.owners[number], ())

    def _by_path(self, keys: set[str]) -> Iterator[int]:
        """Yield the definitions in files with one of some paths or parts of them.

        Also those that code of another language uses now, or no longer.
        """
        program, old = self._program, self._before.foreign_uses
        uses = {it for its in program.foreign_uses.values() for it in its}
        paths = {it.path for it in uses.symmetric_difference(old)}
        for file, facts in enumerate(program.files):
            if facts.path in paths or (keys and not keys.isdisjoint(_path_keys(facts.path))):
                yield from self._columns.ids_of(file)


def _different(old: Mapping[str, object], new: Mapping[str, object]) -> set[str]:
    """Return the keys whose values are different."""
    if old == new:
        return set()
    return {it for it in old.keys() | new.keys() if old.get(it) != new.get(it)}


def _path_keys(path: str) -> set[str]:
    """Return what rules may ask of shared names about a path."""
    parts = path.split("/")
    stem = path.rpartition(".")[0]
    above = {"/".join(parts[:at]) for at in range(1, len(parts))}
    return {".", path, stem, stem.rpartition("/")[2], *parts} | above
