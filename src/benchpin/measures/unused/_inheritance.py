"""Which types of the workspace inherit from which."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

_BASE = re.compile(r"[\w.:\\$]+")
_SEPARATOR = re.compile(r"[.:\\]+")


@cache
def base_name(base: str) -> str:
    """Return a base without its type arguments: `models.Model` for `models.Model[T]`."""
    found = _BASE.search(base)
    return ".".join(_SEPARATOR.split(found[0].strip(".:\\"))) if found else ""


def first_part(base: str) -> str:
    """Return the name by which a file knows a base: `models` for `models.Model[T]`."""
    return base_name(base).partition(".")[0]


def origin_of(base: str, module: str | None) -> str:
    """Return the full name of a base: `io.StringIO`, however it is imported."""
    name = base_name(base)
    is_known = module is None or module == first_part(base)
    return name if is_known else f"{module}.{name}"


class Inheritance:
    """The types of a workspace and their bases, by id; implements `TypeHierarchy`."""

    def __init__(
        self,
        parents: dict[int, list[int]],
        foreign: dict[int, list[str]],
        methods_of: Callable[[int], Mapping[str, int]],
    ) -> None:
        """Know the bases of each type, in the workspace and outside it.

        `methods_of` returns the methods of a type by name. Ids are in the order of places.
        """
        self.parents = parents
        self.foreign = foreign
        self._methods_of = methods_of
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        for heir, its_parents in parents.items():
            for parent in its_parents:
                self._children[parent].append(heir)
        self.ancestors = cache(self._find_ancestors)
        self.foreign_bases = cache(self._find_foreign_bases)
        self.foreign_relatives = cache(self._find_foreign_relatives)

    def _find_ancestors(self, type_id: int) -> frozenset[int]:
        """Return all that a type inherits from, itself included."""
        return _reach(type_id, self.parents)

    def _find_foreign_bases(self, type_id: int) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its ancestors."""
        ancestors = sorted(self.ancestors(type_id), reverse=True)
        found = (self.foreign.get(it, ()) for it in ancestors)
        return tuple(dict.fromkeys(name for names in found for name in names))

    def _find_foreign_relatives(self, type_id: int) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its descendants.

        A mix-in has no such base itself, but the classes that inherit from it may have one.
        """
        own = self.foreign_bases(type_id)
        descendants = sorted(self.descendants(type_id) - {type_id})
        found = (name for it in descendants for name in self.foreign_bases(it))
        return tuple(dict.fromkeys((*own, *found)))

    def children(self, type_id: int) -> Sequence[int]:
        """Return what inherits from a type directly."""
        return self._children.get(type_id, ())

    def descendants(self, type_id: int) -> frozenset[int]:
        """Return all that inherits from a type, itself included."""
        return _reach(type_id, self._children)

    def relatives(self, type_id: int) -> frozenset[int]:
        """Return the ancestors and descendants of a type, itself included."""
        return self.ancestors(type_id) | self.descendants(type_id)

    def inherited(self, name: str, owner: int) -> list[int]:
        """Return the methods that a method of a type overrides, given its name."""
        if owner not in self.parents:
            return []
        found = (self._methods_of(it).get(name) for it in self.ancestors(owner) - {owner})
        return [it for it in found if it is not None]

    def inherits_method(self, type_id: int, name: str) -> bool:
        """Whether an ancestor of a type has a method of that name."""
        above = self.ancestors(type_id) - {type_id}
        return any(name in self._methods_of(it) for it in above)


def _reach(start: int, after: Mapping[int, Sequence[int]]) -> frozenset[int]:
    seen = {start}
    waiting = [start]
    while waiting:
        for found in after.get(waiting.pop(), ()):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return frozenset(seen)
