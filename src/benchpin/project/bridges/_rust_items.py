"""Items of Rust with attributes, whose arguments no fact contains."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.facts import FileFacts

from ._bridge import CodeLine
from ._scan import Scan

_ITEM = re.compile(
    r"((?:\#\[(?:[^\[\]]|\[[^\[\]]{0,1000}\]){0,4000}\]\s*){1,20})"
    r"(?:pub(?:\([^)]{0,100}\))?\s+)?"
    r'(?:(?:async|unsafe|const(?=\s+(?:unsafe|extern|fn)\b)|default|extern(?:\s+"[^"]*")?)\s+)*'
    r"(const|enum|fn|mod|struct)\s+(\w+)"
)
_NOT_IN_OUTLINE = frozenset({"const", "mod"})


@dataclass(frozen=True, slots=True)
class RustItem:
    """A function, type or module, and the attributes before it."""

    attributes: str
    kind: str
    name: str
    at: CodeLine

    def argument(self, name: str) -> str | None:
        """Return the value of an argument of one of the attributes."""
        found = re.search(rf'\b{name}\s*=\s*"([\w.$]+)"', self.attributes)
        return found[1] if found else None

    @property
    def js_name(self) -> str | None:
        """Its name in JavaScript, if an attribute gives one, with or without quotes."""
        found = re.search(r"\bjs_name\s*=\s*[\"']?([\w$]+)", self.attributes)
        return found[1] if found else None


def rust_items(scan: Scan, *markers: str) -> Iterator[RustItem]:
    """Yield the functions, types and modules that have one of some attributes.

    Declarations in an `extern` block are not items of this crate, and no fact names them.
    """
    marked = re.compile(rf"\b(?:{'|'.join(markers)})\b")
    for file in scan.naming(markers, "rust"):
        names = _names(file)
        if not names and file.links.references.keys().isdisjoint({"napi", "pymodule"}):
            continue
        text = scan.text(file)
        for found in _ITEM.finditer(text.code):
            if marked.search(found[1]) and (found[2] in _NOT_IN_OUTLINE or found[3] in names):
                yield RustItem(found[1], found[2], found[3], text.at(found.start(3)))


def _names(file: FileFacts) -> set[str]:
    """Return the last names of the functions and types that have attributes; no methods."""
    functions = [it for it in file.outline.functions if it.kind == "function"]
    names = [it.name for it in functions if it.decorators]
    names += [it.name for it in file.outline.types if it.decorators]
    return {it.rpartition(".")[2].rpartition(":")[2] for it in names}
