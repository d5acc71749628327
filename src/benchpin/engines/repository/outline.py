"""The most important symbols as an outline that fits a number of tokens."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .ranking import Symbol
from .tokens import count_tokens

_LONGEST = 160


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
    low, high = 0, min(len(symbols), token_budget)
    best = _rendered(symbols[:0])
    while low < high:
        middle = (low + high + 1) // 2
        drawn = _rendered(symbols[:middle])
        if drawn.tokens <= token_budget:
            low, best = middle, drawn
        else:
            high = middle - 1
    return best


def _rendered(symbols: Sequence[Symbol]) -> Outline:
    by_file: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        by_file[symbol.file].append(symbol)
    lines: list[str] = []
    for path, chosen in by_file.items():
        lines.append(f"{path}:")
        for it in sorted(chosen, key=lambda it: (it.line, it.name)):
            indent = "  " * (1 + it.name.count("."))
            text = it.text if len(it.text) <= _LONGEST else it.text[: _LONGEST - 1] + "…"
            lines.append(f"{indent}{it.line}: {text}")
    text = "\n".join(lines)
    return Outline(text, count_tokens(text), len(by_file), len(symbols))
