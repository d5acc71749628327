"""What a reference from one language to another is."""

from dataclasses import dataclass
from typing import Literal

from benchpin.core.results import Item

BridgeKind = Literal[
    "c_abi",
    "cffi",
    "cgo",
    "ctypes",
    "jni",
    "node_api",
    "pyo3",
    "python_extension",
    "wasm_bindgen",
]


@dataclass(frozen=True, slots=True, order=True)
class CodeLine:
    """A line of a file, and its language."""

    path: str
    line: int
    language: str


class Bridge(Item):
    """A reference from one language to another; the first of its kind in a file."""

    kind: BridgeKind
    symbol: str
    """The name on the side that is referenced."""
    from_file: str
    from_line: int
    from_language: str
    to_file: str | None
    to_line: int | None
    to_language: str | None
    reason: str
    """Why the other side is not known; empty when it is."""
    evidence: str
    """The line that contains the reference, shortened."""


class BridgeCount(Item):
    """How many references of one kind there are."""

    kind: BridgeKind
    references: int
    resolved: int
    """How many of them lead to code of the project."""


class Bridges(Item):
    """All references, those with both sides in the project first."""

    references: tuple[Bridge, ...]
    total: int
    """How many there are, also when not all are listed."""
    by_kind: tuple[BridgeCount, ...]
