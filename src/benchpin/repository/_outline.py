"""Outline the most important symbols within a token budget."""

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass

import msgspec

from benchpin.core.text import plain
from benchpin.facts import FileFacts, Function, Type
from benchpin.repository.packing import count_tokens, redact

_PARAMETERS_FIRST = re.compile(r"(?:async\s*)?(?:<[^(]*>\s*)?\(|(?:async\s+)?\w+\s*=>")
_MAX_CHARS = 100
# The minimum of a line in an outline, which starts with a line number and a colon.
_MIN_TOKENS = 2


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


@dataclass(frozen=True, slots=True)
class RepositoryOutline:
    """A map of a repository."""

    text: str
    tokens: int
    files: int
    symbols: int


def draw(symbols: Sequence[RankedSymbol], token_budget: int) -> RepositoryOutline:
    """Outline as many symbols as the budget allows; `symbols` are sorted by rank.

    Files come in the order of their best symbol, the symbols of a file in the order of their lines.
    """
    # Binary search: tokens grow with the number of symbols, and only whole outlines can be counted.
    low, high = 0, min(len(symbols), token_budget // _MIN_TOKENS)
    lines = [_line(it) for it in symbols[:high]]
    best = _rendered(symbols[:0], lines)
    while low < high:
        middle = (low + high + 1) // 2
        drawn = _rendered(symbols[:middle], lines)
        if drawn.tokens <= token_budget:
            low, best = middle, drawn
        else:
            high = middle - 1
    return best


def _rendered(symbols: Sequence[RankedSymbol], lines: Sequence[str]) -> RepositoryOutline:
    by_file: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for symbol, line in zip(symbols, lines, strict=False):
        by_file[symbol.file].append((symbol.line, symbol.name, line))
    parts: list[str] = []
    for path, chosen in by_file.items():
        parts.append(f"{plain(path)}:")
        parts += [line for _, _, line in sorted(chosen)]
    text = "\n".join(parts)
    return RepositoryOutline(text, count_tokens(text), len(by_file), len(symbols))


def _line(symbol: RankedSymbol) -> str:
    indent = "  " * (1 + symbol.name.count("."))
    text = plain(symbol.text())
    text = text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 1] + "…"
    return f"{indent}{symbol.line}: {text}"
