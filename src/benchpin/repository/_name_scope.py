"""Which definition a name in a file refers to: that of an import, of its package, or none here."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.facts import FileFacts, languages
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import Resolution

# An import leads to the definition, or none is needed.
_RESOLVED = 10.0
# A member, whose type is not known; or a name of an imported file that is not imported itself.
_POSSIBLE = 1.0
# Nothing leads there, but a path in the code may: `crate::task::spawn`.
_UNRESOLVED = 0.3
_STANDARD_MEMBER = 0.1


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
