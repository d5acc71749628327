"""Items of Rust with attributes, whose arguments no fact holds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .texts import Text

_ITEM = re.compile(
    r"((?:\#\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+)"
    r"(?:pub(?:\([^)]*\))?\s+)?"
    r'(?:(?:async|unsafe|const|default|extern(?:\s+"[^"]*")?)\s+)*'
    r"(fn|struct|enum|mod|impl|type)\b\s*(?:<[^>]*>\s*)?(\w+)"
)


@dataclass(frozen=True, slots=True)
class RustItem:
    """A function, type or module, and the attributes before it."""

    attributes: str
    kind: str
    name: str
    offset: int

    def argument(self, name: str) -> str | None:
        """Return the value of an argument of one of the attributes."""
        found = re.search(rf'\b{name}\s*=\s*"?([\w.]+)"?', self.attributes)
        return found[1] if found else None


def rust_items(text: Text, marker: str) -> Iterator[RustItem]:
    """Give the items with an attribute that a regular expression matches."""
    marked = re.compile(marker)
    for found in _ITEM.finditer(text.code):
        if marked.search(found[1]):
            yield RustItem(found[1], found[2], found[3], found.start(3))
