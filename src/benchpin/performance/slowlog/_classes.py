"""Find the class of a statement, with a cache: real logs repeat the same statements."""

from typing import Final

from ._events import statement
from ._fingerprint import generalise, special_class
from ._lexing import cut_skeleton, skeleton
from ._totals import ClassTotals

OTHER: Final = b"(other)"
_MAX_CACHED_ENTRIES = 10_000
# Longer statements rarely repeat, and would fill the memory.
_MAX_CACHED_BYTES = 1_000


class Classes:
    """The classes of a log, found by statement."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[bytes, ClassTotals] = {}
        self._by_text: dict[bytes, ClassTotals] = {}
        self._by_skeleton: dict[bytes, ClassTotals] = {}
        self.is_overfull = False

    def find(self, raw: bytes) -> ClassTotals | None:
        """Return the class of a statement; None if one of its literals has no end."""
        found = self._by_text.get(raw)
        if found is not None:
            return found
        sql = statement(raw)
        bare = None if b"/*" in sql else skeleton(sql)
        found = None if bare is None else self._by_skeleton.get(bare)
        if found is None:
            found = self._classify(sql, bare)
        return found and self._cached(self._by_text, raw, found)

    def _classify(self, sql: bytes, bare: bytes | None) -> ClassTotals | None:
        special = special_class(sql)
        if special is not None:
            return self._of(special)
        bare = skeleton(sql) if bare is None else bare
        if bare is None:
            return None
        return self._cached(self._by_skeleton, bare, self._of(generalise(sql, bare)))

    def find_cut(self, raw: bytes) -> ClassTotals:
        """Return the class of a truncated statement."""
        sql = statement(raw)
        special = special_class(sql)
        return self._of(generalise(sql, cut_skeleton(sql)) if special is None else special)

    def settle(self) -> None:
        """Add the pending times of every class to its sums."""
        for totals in self._found.values():
            totals.settle()

    def settled(self) -> list[ClassTotals]:
        """Return all classes, by first appearance, with nothing pending."""
        self.settle()
        return list(self._found.values())

    def _of(self, fingerprint: bytes) -> ClassTotals:
        found = self._found.get(fingerprint)
        if found is not None:
            return found
        if len(self._found) >= self._most and fingerprint != OTHER:
            self.is_overfull = True
            return self._of(OTHER)
        found = ClassTotals(fingerprint, len(self._found))
        self._found[fingerprint] = found
        return found

    def _cached(
        self, cache: dict[bytes, ClassTotals], key: bytes, totals: ClassTotals
    ) -> ClassTotals:
        if len(key) <= _MAX_CACHED_BYTES:
            if len(cache) >= _MAX_CACHED_ENTRIES:
                cache.clear()
            cache[key] = totals
        return totals
