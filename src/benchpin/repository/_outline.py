"""Outline the most important symbols within a token budget."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core.text import plain
from benchpin.repository.packing import count_tokens

from ._symbols import RankedSymbol

_MAX_CHARS = 100
# The minimum of a line in an outline, which starts with a line number and a colon.
_MIN_TOKENS = 2


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
