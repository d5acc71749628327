"""Judge the definitions of a file by all rules that need no other file.

A worker asks each rule. One that wants to know something of other files says so by an exception,
and is asked again where all files are known: see `_program`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn, TypeVar, cast

from benchpin.facts import FileFacts
from benchpin.facts.liveness import (
    NO_REASON,
    SURE,
    Definition,
    LivenessRules,
    Reason,
    SharedNames,
    TokenView,
)
from benchpin.workspace.walking import is_test_path

from ._file_uses import FileVerdict
from ._general_rules import EXPOSED_LATER, deprecations, is_deprecated, rules_in_files

__all__ = ["FileView", "NeedsOtherFiles", "deprecations", "is_deprecated", "judge"]

T = TypeVar("T")


class NeedsOtherFiles(Exception):
    """A rule asked about other files."""


class FileView:
    """The `ProgramView` of one file: raises `NeedsOtherFiles` for everything else."""

    def __init__(
        self,
        file: FileFacts,
        view: TokenView,
        definitions: Sequence[Definition],
        rules: LivenessRules,
    ) -> None:
        self.files = [file]
        self.views = [view]
        self.is_test = [is_test_path(file.path)]
        self.definitions: Mapping[int, Definition] = dict(enumerate(definitions))
        self.rules = rules
        self.asked = rules_in_files(rules)
        self.qualifiers = _qualifiers(definitions)
        """The type of a method that is written outside of it, as in Go, Rust and C++."""
        self._types: dict[str, Definition] = {}
        self._methods: dict[int, dict[str, int]] = {}
        for part in definitions:
            if part.kind == "type":
                self._types.setdefault(part.name, part)
            elif part.kind == "method" and part.owner is not None:
                self._methods.setdefault(part.owner, {})[part.name] = part.id
        self._spans = rules.contract_spans(view)
        self._once: dict[object, object] = {}

    @property
    def outside(self) -> NoReturn:
        """Refuse: what is not source code is not known here."""
        raise NeedsOtherFiles

    @property
    def inheritance(self) -> NoReturn:
        """Refuse: bases may be in other files."""
        raise NeedsOtherFiles

    def shared(self, _names: SharedNames, /) -> NoReturn:
        """Refuse: it is what all files add."""
        raise NeedsOtherFiles

    def heritage(self, _type_id: int, /) -> NoReturn:
        """Refuse: it is asked of ancestors."""
        raise NeedsOtherFiles

    def names_in(self, _file: int, names: SharedNames, /) -> frozenset[str]:
        """Return what the file adds to some names."""
        return self.once_in_file(0, lambda view: frozenset(names.of_file(view)), names)

    def owner(self, definition: Definition, /) -> Definition | None:
        """Return the definition that encloses another; for a method, its type."""
        if definition.owner is not None:
            return self.definitions[definition.owner]
        qualifier = self.qualifiers.get(definition.id)
        if qualifier is None:
            return None
        # A type of that name in the same file comes before those of others.
        if qualifier not in self._types:
            raise NeedsOtherFiles
        return self._types[qualifier]

    def methods_of(self, type_id: int, /) -> Mapping[str, int]:
        """Return the methods of a type, by name; those inside of it."""
        return self._methods.get(type_id, {})

    def implements(self, definition: Definition, /) -> bool:
        """Whether a definition implements an interface."""
        return any(first <= definition.first_token < last for first, last in self._spans)

    def once_in_file(
        self, _file: int, compute: Callable[[TokenView], T], key: object = None, /
    ) -> T:
        """Return what a function computes from the tokens of the file, computed only once."""
        place = key or compute
        if place not in self._once:
            self._once[place] = compute(self.views[0])
        return cast("T", self._once[place])


def _qualifiers(definitions: Sequence[Definition]) -> dict[int, str]:
    return {
        at: qualifier
        for at, it in enumerate(definitions)
        if it.kind == "method" and it.owner is None
        for qualifier in [it.qualified.rpartition(".")[0].rpartition(".")[2]]
        if qualifier
    }


def judge(definition: Definition, seen: FileView) -> FileVerdict:
    """Return the strongest reason that the file itself gives to believe that something is used."""
    best, order, open_rules = NO_REASON, EXPOSED_LATER, 0
    for at, rule in seen.asked:
        try:
            found = rule(definition, seen)
        except NeedsOtherFiles:
            open_rules |= 1 << at
            continue
        if found is not None and found.score > best.score:
            best, order = found, at
            if best.score >= SURE:  # nothing is stronger: the rest need not be asked
                return FileVerdict(order, best.score, best.why, open_rules, 0.0, "")
    exposure = Reason(-1.0, "")
    with suppress(NeedsOtherFiles):
        exposure = seen.rules.exposure(definition, seen)
    return FileVerdict(order, best.score, best.why, open_rules, exposure.score, exposure.why)
