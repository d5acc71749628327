"""Which types of the workspace inherit from which."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from benchpin.engines.source.program import Definition

_BASE = re.compile(r"[\w.:\\$]+")
_SEPARATOR = re.compile(r"[.:\\]+")

FindBases = Callable[[Definition, str], Sequence[int]]
"""Returns the types of the workspace that a base of a type, as written, may refer to."""


def base_name(base: str) -> str:
    """Return a base without its type arguments: `models.Model` for `models.Model[T]`."""
    found = _BASE.search(base)
    return ".".join(_SEPARATOR.split(found[0].strip(".:\\"))) if found else ""


class Inheritance:
    """The types of a workspace and their bases; implements `TypeHierarchy`."""

    def __init__(
        self,
        types: Sequence[Definition],
        find_bases: FindBases,
        origin_of: Callable[[Definition, str], str],
        methods: Mapping[int, Mapping[str, int]],
    ) -> None:
        """Find all bases; `methods` has the methods of each type, by name."""
        self._methods = methods
        self._parents: dict[int, list[int]] = {}
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        self._foreign: dict[int, list[str]] = {}
        for it in types:
            found = {base: find_bases(it, base) for base in it.bases}
            self._parents[it.id] = [parent for parents in found.values() for parent in parents]
            self._foreign[it.id] = [origin_of(it, base) for base in found if not found[base]]
            for parent in self._parents[it.id]:
                self._children[parent].append(it.id)
        self.ancestors = cache(self._find_ancestors)
        self.foreign_bases = cache(self._find_foreign_bases)
        self.foreign_relatives = cache(self._find_foreign_relatives)

    def _find_ancestors(self, type_id: int) -> frozenset[int]:
        """Return all that a type inherits from, itself included."""
        return _reach(type_id, self._parents)

    def _find_foreign_bases(self, type_id: int) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its ancestors."""
        found = (self._foreign[it] for it in sorted(self.ancestors(type_id), reverse=True))
        return tuple(dict.fromkeys(name for names in found for name in names))

    def _find_foreign_relatives(self, type_id: int) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its descendants.

        A mix-in has no such base itself, but the classes that inherit from it may have one.
        """
        own = self.foreign_bases(type_id)
        descendants = sorted(_reach(type_id, self._children) - {type_id})
        found = (name for it in descendants for name in self.foreign_bases(it))
        return tuple(dict.fromkeys((*own, *found)))

    def relatives(self, type_id: int) -> frozenset[int]:
        """Return the ancestors and descendants of a type, itself included."""
        return self.ancestors(type_id) | _reach(type_id, self._children)

    def inherited(self, method: Definition, owner: int) -> list[int]:
        """Return the methods that a method overrides."""
        found = (
            self._methods.get(ancestor, {}).get(method.name)
            for ancestor in sorted(self.ancestors(owner) - {owner})
        )
        return [it for it in found if it is not None]

    def inherits_method(self, type_id: int, name: str) -> bool:
        """Whether an ancestor of a type has a method of that name."""
        above = self.ancestors(type_id) - {type_id}
        return any(name in self._methods.get(it, {}) for it in above)


def _reach(start: int, after: Mapping[int, Sequence[int]]) -> frozenset[int]:
    seen = {start}
    waiting = [start]
    while waiting:
        for found in after.get(waiting.pop(), ()):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return frozenset(seen)
