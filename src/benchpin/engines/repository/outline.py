"""The most important symbols as an outline that fits a number of tokens."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core import plain

from .symbols import Symbol
from .tokens import count_tokens

_LONGEST = 160
_FEWEST_TOKENS = 2
"""No line of an outline has fewer: it begins with the number of a line and a colon."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A map of a repository."""

    text: str
    tokens: int
    files: int
    symbols: int


def draw(symbols: Sequence[Symbol], token_budget: int) -> Outline:
    """Return as many of the symbols, which stand in their order of rank, as a budget allows.

    Files stand in the order of their best symbol, symbols in that of their lines.
    """
    low, high = 0, min(len(symbols), token_budget // _FEWEST_TOKENS)
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


def _rendered(symbols: Sequence[Symbol], lines: Sequence[str]) -> Outline:
    by_file: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for symbol, line in zip(symbols, lines, strict=False):
        by_file[symbol.file].append((symbol.line, symbol.name, line))
    parts: list[str] = []
    for path, chosen in by_file.items():
        parts.append(f"{plain(path)}:")
        parts += [line for _, _, line in sorted(chosen)]
    text = "\n".join(parts)
    return Outline(text, count_tokens(text), len(by_file), len(symbols))


def _line(it: Symbol) -> str:
    indent = "  " * (1 + it.name.count("."))
    text = plain(it.text())
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{indent}{it.line}: {text}"
