"""Who inherits from whom, as far as the workspace knows."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from .definitions import Definition

_BASE = re.compile(r"[\w.:\\$]+")
_LAST_PART = re.compile(r"[.:\\]+")


def base_name(base: str) -> str:
    """Return a base as written, without its type arguments: `models.Model` for `models.Model[T]`."""
    found = _BASE.search(base)
    return ".".join(_LAST_PART.split(found[0].strip(".:\\"))) if found else ""


def short_name(base: str) -> str:
    """Return the last part of a base as written: `Model` for `models.Model[T]`."""
    return base_name(base).rpartition(".")[2]


class Inheritance:
    """The types of a workspace, and what they inherit from."""

    def __init__(
        self,
        types: Sequence[Definition],
        is_foreign: Callable[[Definition, str], bool],
        may_be_base: Callable[[Definition, Definition], bool],
        methods: Mapping[int, Mapping[str, int]],
    ) -> None:
        """Resolve bases by name; `methods` are those of each type, by name."""
        self._methods = methods
        self._types = {it.id: it for it in types}
        self._parents: dict[int, list[int]] = {}
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        self._foreign: dict[int, tuple[str, ...]] = {}
        named: defaultdict[str, list[Definition]] = defaultdict(list)
        for it in types:
            named[it.name].append(it)
        for it in types:
            candidates = {
                base: [
                    parent.id
                    for parent in named[short_name(base)]
                    if parent.id != it.id and may_be_base(parent, it)
                ]
                for base in it.bases
            }
            self._link(it, candidates, {base for base in it.bases if is_foreign(it, base)})
        self._ancestors: dict[int, frozenset[int]] = {}

    def _link(
        self, it: Definition, candidates: Mapping[str, Sequence[int]], outside: Collection[str]
    ) -> None:
        foreign: list[str] = []
        parents: list[int] = []
        for base, known in candidates.items():
            if base in outside or not known:
                foreign.append(short_name(base))
            else:
                parents += known
        self._parents[it.id] = parents
        self._foreign[it.id] = tuple(foreign)
        for parent in parents:
            self._children[parent].append(it.id)

    def ancestors(self, type_id: int) -> frozenset[int]:
        """Return all that a type inherits from, itself included."""
        if type_id not in self._ancestors:
            self._ancestors[type_id] = _reach(type_id, self._parents.get)
        return self._ancestors[type_id]

    def foreign_bases(self, type_id: int) -> list[str]:
        """Return the bases that are not in the workspace, of a type and of all it inherits from."""
        return [
            name for ancestor in sorted(self.ancestors(type_id)) for name in self._foreign[ancestor]
        ]

    def foreign_relatives(self, type_id: int) -> list[str]:
        """Return the bases outside the workspace of a type and of those that mix it in."""
        heirs = _reach(type_id, self._children.get)
        return [name for heir in sorted(heirs) for name in self.foreign_bases(heir)]

    def inherited(self, method: Definition, owner: int) -> list[int]:
        """Return the methods that a method overrides."""
        found = (
            self._methods.get(ancestor, {}).get(method.name)
            for ancestor in sorted(self.ancestors(owner) - {owner})
        )
        return [it for it in found if it is not None]

    def names(self, type_id: int) -> list[str]:
        """Return the names of a type and of all that it inherits from in the workspace."""
        return [self._types[it].name for it in sorted(self.ancestors(type_id))]

    def has_method(self, type_id: int, name: str) -> bool:
        """Whether a type or one that it inherits from has a method of that name."""
        return any(name in self._methods.get(it, {}) for it in self.ancestors(type_id))


def _reach(start: int, after: Callable[[int], Sequence[int] | None]) -> frozenset[int]:
    seen = {start}
    waiting = [start]
    while waiting:
        for found in after(waiting.pop()) or ():
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return frozenset(seen)
