"""Values that a server remembers by what they were made of."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """The values that were used last, as many as are worth their room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def recall(self, key: Hashable) -> T | None:
        """Return a value, if it is still known."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def take(self, key: Hashable) -> T | None:
        """Return a value, if it is still known, and know it no longer."""
        with self._lock:
            return self._values.pop(key, None)

    def keep(self, key: Hashable, value: T) -> None:
        """Remember a value; the one that was not used for longest may go."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)
