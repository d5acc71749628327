"""Which definition a name in a file refers to: that of an import, of its package, or none here."""

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from benchpin.facts import FileFacts, languages
from benchpin.facts.imports import Resolution

# An import leads to the definition, or none is needed.
_RESOLVED = 10.0
# A member, whose type is not known; or a name of an imported file that is not imported itself.
_POSSIBLE = 1.0
# Nothing leads there, but a path in the code may: `crate::task::spawn`.
_UNRESOLVED = 0.3
_STANDARD_MEMBER = 0.1
# Names of the language and of the part of its library that every program uses.
_PREDECLARED = {
    "go": """
        Error String any append bool byte cap clear close comparable complex copy delete error
        float64 int int64 len make max min new nil panic print println real recover rune string
        """,
    "javascript": """
        Array Boolean Date Error Event Function JSON Map Math Number Object Promise Proxy Record
        RegExp Request Response Set String Symbol URL WeakMap
        """,
    "rust": """
        Box Clone Copy Debug Default Display Drop Eq Err Error Fn FnMut FnOnce From Future Hash Into
        Iterator None Ok Option Ord PartialEq PartialOrd Pending Poll Ready Result Self Send Sized
        Some String Sync ToString Unpin Vec
        """,
}
# Members that values of the language's library have too.
_STANDARD_MEMBERS = {
    "go": "Close Error Len Less Read String Swap Unwrap Write",
    "javascript": """
        catch concat every filter find finally forEach has includes indexOf join keys map match pop
        push reduce replace slice some sort splice split then toString trim values
        """,
    "rust": """
        all and any as_mut as_ref chain clone cloned cmp collect contains count default drop
        enumerate eq expect extend filter find flush fmt fold from get get_mut hash insert into
        is_empty iter iter_mut join kind len map map_err name new next ok poll pop ptr push read
        remove replace send skip sum take to_string trim try_from unwrap unwrap_or with wrap write
        zip
        """,
}


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
        family = languages.family_of(self.language)
        if is_member:
            is_known = target in self.files or self._sees(target)
            weight = _RESOLVED if is_known else _POSSIBLE
            return weight * (_STANDARD_MEMBER if name in _standard_members(family) else 1.0)
        is_named = self.names is not None and name in self.names
        if name in self.foreign or (name in _predeclared(family) and not is_named):
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


@cache
def _predeclared(family: str) -> frozenset[str]:
    own = dir(builtins) if family == "python" else ()
    return frozenset((*own, *_PREDECLARED.get(family, "").split()))


@cache
def _standard_members(family: str) -> frozenset[str]:
    own = {it for kind in (str, list, dict, set) for it in dir(kind)} if family == "python" else ()
    return frozenset((*own, *_STANDARD_MEMBERS.get(family, "").split()))
