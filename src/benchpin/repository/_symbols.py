"""Functions and types in the form in which an outline shows them."""

import re
from collections.abc import Container

import msgspec

from benchpin.facts import FileFacts, Function, Type
from benchpin.repository.packing import redact

_PARAMETERS_FIRST = re.compile(r"(?:async\s*)?(?:<[^(]*>\s*)?\(|(?:async\s+)?\w+\s*=>")


class RankedSymbol(msgspec.Struct, frozen=True, gc=False):
    """A function or type and its rank."""

    file: str
    declared: Function | Type
    rank: float

    @property
    def name(self) -> str:
        """Its name, qualified by the enclosing types and functions."""
        return self.declared.name

    @property
    def line(self) -> int:
        """Its first line."""
        return self.declared.line

    def text(self) -> str:
        """Return its declaration on one line, without secrets."""
        declared, name = self.declared, last_name(self.declared.name)
        if isinstance(declared, Type):
            return f"{declared.kind} {name}" + (
                f"({', '.join(declared.bases)})" if declared.bases else ""
            )
        written = declared.shown_signature().rstrip(" {:")
        return redact(written if _is_named(name, written) else f"{name} {written}", self.file)


def names_of(file: FileFacts) -> list[str]:
    """Return the names of the functions and types that a file declares."""
    outline = file.outline
    return [*(it.name for it in outline.functions), *(it.name for it in outline.types)]


def last_name(name: str) -> str:
    """Return the unqualified name."""
    return name.rpartition(".")[2].rpartition("::")[2]


def is_shown(function: Function, closures: Container[str]) -> bool:
    """Whether other code can refer to a function: it is named, and not nested in another."""
    is_named = function.kind != "closure" and "(anonymous)" not in function.name
    return is_named and function.name.rpartition(".")[0] not in closures


def _is_named(name: str, signature: str) -> bool:
    """Whether a signature includes the name of the function, not only its parameters."""
    is_bare = _PARAMETERS_FIRST.match(signature) is not None
    return not is_bare and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", signature) is not None
