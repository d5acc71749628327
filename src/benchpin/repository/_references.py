"""Which files use which names of which other files.

Work that there was no time for is continued by a later call; only complete references are ranked.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, languages
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import ReadFile, Resolution, resolve_imports
from benchpin.facts.store import Basis

from ._outline import last_name, names_of

# An import leads to the definition, or none is needed.
_RESOLVED = 10.0
# A member, whose type is not known; or a name of an imported file that is not imported itself.
_POSSIBLE = 1.0
# Nothing leads there, but a path in the code may: `crate::task::spawn`.
_UNRESOLVED = 0.3
_STANDARD_MEMBER = 0.1
# How much more names and files in focus weigh than others.
FOCUSED = 10.0
# A name that more files define says nothing about any of them.
_MAX_DEFINING_FILES = 8
_MIN_CHARS = 3
_VAGUE = 0.3
_WORD = 8
# The rank of each name of each file.
Ranks = dict[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class NameScope:
    """What a file imports."""

    language: str
    path: str
    files: frozenset[str]
    """The files that its imports lead to."""
    names: frozenset[str] | None
    """The names that it imports; None when an import may bring any name."""
    foreign: frozenset[str]
    """The names that come from packages outside the repository."""

    def certainty(self, name: str, target: str, *, is_member: bool) -> float:
        """Return how much a use of a name counts for its definition in another file."""
        rules = navigation_of(self.language)
        if is_member:
            is_known = target in self.files or self._sees(target)
            weight = _RESOLVED if is_known else _POSSIBLE
            return weight * (_STANDARD_MEMBER if name in rules.standard_members else 1.0)
        is_named = self.names is not None and name in self.names
        if name in self.foreign or (name in rules.predeclared and not is_named):
            return 0.0
        if self._sees(target) or (target in self.files and (is_named or self.names is None)):
            return _RESOLVED
        return _POSSIBLE if target in self.files else _UNRESOLVED

    def _sees(self, target: str) -> bool:
        """Whether the file sees the names of another one without an import."""
        scope = languages.name_scope_of(self.language)
        if scope == "package":
            return self.path.rpartition("/")[0] == target.rpartition("/")[0]
        return scope == "project"


def scope_of(file: FileFacts, resolved: Sequence[Resolution]) -> NameScope:
    """Return what a file imports, given where its imports lead."""
    imports = file.links.imports
    files: set[str] = set()
    names: set[str] = set()
    foreign: set[str] = set()
    for imported, found in zip(imports, resolved, strict=False):
        files.update(found.files)
        own = {*imported.names, *imported.aliases, *imported.uses}
        if found.status == "external":
            foreign |= own
        else:
            names |= own
    is_open = any(
        "*" in it.names or not (it.names or it.uses)
        for it, found in zip(imports, resolved, strict=False)
        if found.status != "external"
    )
    return NameScope(
        file.language,
        file.path,
        frozenset(files),
        None if is_open else frozenset(names),
        frozenset(foreign - names),
    )


class References:
    """How much the files of a repository depend on each other, given some names in focus."""

    def __init__(self, files: Sequence[FileFacts], focused: frozenset[str]) -> None:
        self.edges: dict[tuple[str, str], float] = defaultdict(float)
        """How much a file depends on another one."""
        self.shares: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
        """How much a file uses which name of which file."""
        self.definers: dict[str, dict[str, bool]] = {}
        """The files that define each name, and whether it is only that of members there."""
        self.ranks: Ranks | None = None
        """The result, once everything is done."""
        self._basis = Basis(files)
        self._focused = focused
        self._scopes: dict[str, NameScope] | None = None
        self._done = 0

    def are_of(self, files: Sequence[FileFacts], read: ReadFile) -> bool:
        """Whether they come from the same files and manifests."""
        return self._basis.holds(files, read)

    def complete(
        self, files: Sequence[FileFacts], read: ReadFile, job: Job, reserve_s: float
    ) -> bool:
        """Continue with the remaining files, and return whether all are done.

        Stops when only `reserve_s` is left.
        """
        if self._scopes is None:
            found = resolve_imports(files, self._basis.noting(read), job)
            if len(found) < len(files):
                return False
            self._scopes = {file.path: scope_of(file, found[file.path]) for file in files}
            self.definers = _definers(files)
        for file in files[self._done :]:
            job.check()
            if is_short(job, reserve_s):
                return False
            job.report(self._done, len(files), "names")
            self._add(file, self._scopes[file.path])
            self._done += 1
        return True

    def keep(self, ranks: Ranks) -> None:
        """Keep the ranks, and drop the much larger edges and shares they come from."""
        self.ranks = ranks
        self.edges.clear()
        self.shares.clear()

    def _add(self, file: FileFacts, scope: NameScope) -> None:
        for name, count in file.links.references.items():
            places = self.definers.get(name)
            if places is None:
                continue
            weight = math.sqrt(count) / len(places)
            weight *= FOCUSED if name in self._focused else 1.0
            weight *= _VAGUE if _is_vague(name) else 1.0
            for target, is_member in places.items():
                own = weight * scope.certainty(name, target, is_member=is_member)
                if target != file.path and own:
                    self.edges[file.path, target] += own
                    self.shares[file.path][target, name] = own
        for target in scope.files - {file.path}:
            self.edges[file.path, target] += 1.0


def is_short(job: Job, needed_s: float) -> bool:
    """Whether less time is left than needed."""
    left_s = job.time_left_s()
    return left_s is not None and left_s < needed_s


def _definers(files: Iterable[FileFacts]) -> dict[str, dict[str, bool]]:
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for file in files:
        for qualified in names_of(file):
            name = last_name(qualified)
            if len(name) >= _MIN_CHARS and "(" not in name:
                is_member = name != qualified
                found[name][file.path] = is_member and found[name].get(file.path, True)
    return {name: places for name, places in found.items() if len(places) <= _MAX_DEFINING_FILES}


def _is_vague(name: str) -> bool:
    """Whether a name may refer to anything: private, or one short word."""
    return name.startswith("_") or (len(name) <= _WORD and name.isalpha() and name.islower())
