"""Read candidates for an answer: which lines of each say how much of the question together."""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from benchpin.code import SourceText

from ._ranking import Asked, Candidate
from ._terms import stems

# So many lines are read together, how much counts what they say together, and the longest code
# that is read for it.
_WINDOW, _TOGETHER, _MAX_READ = 9, 1.2, 3_000
# A type decides less than its methods, and code with a condition more than other code.
_TYPE, _DECIDES = 0.7, 1.2
_DECIDING = re.compile(
    r"\b(?:if|elif|unless|switch|match|case|when|while|raise|throw|require|assert|guard)\b|\?\s"
)
# The lines of a type that count for it: its methods are candidates themselves.
_HEAD = 30
_MAX_COLUMNS = 160
# Lines that are shown above those that say it, and of the head of what is long.
_BEFORE, _HEAD_LINES = 3, 3
_TAB_COLUMNS = 4
_NAME = re.compile(r"\w+")


class QuestionReader:
    """The text of candidates, with the words of a question."""

    def __init__(self, text: SourceText, words: Sequence[Asked]) -> None:
        self._text = text
        self._words = words
        self._told: dict[str, list[tuple[int, float]]] = {}

    def ranked(
        self, candidates: Sequence[Candidate], is_type: Callable[[Candidate], bool]
    ) -> list[Candidate]:
        """Return candidates in the order that a few lines of each, taken together, give them."""
        whole = sum(it.weight for it in self._words) or 1.0
        found = []
        for candidate in candidates:
            lines = self._text.lines(candidate.path)
            is_head = is_type(candidate)
            last = min(
                candidate.end_line, len(lines), candidate.line + (_HEAD if is_head else _MAX_READ)
            )
            said, _ = self._said(lines, candidate.line, last)
            best = max(said, key=lambda it: said[it], default=0)
            together = said.get(best, 0.0) / whole
            score = candidate.score * (1 + _TOGETHER * together)
            score *= _TYPE if is_head else 1.0
            if any(
                _DECIDING.search(it) for it in lines[max(best, 1) - 1 : max(best, 1) + _WINDOW - 1]
            ):
                score *= _DECIDES
            found.append(replace(candidate, score=score))
        return sorted(found, key=lambda it: -it.score)

    def telling_lines(
        self, lines: Sequence[str], first: int, last: int, room: float, *, is_brief: bool = False
    ) -> list[int]:
        """Return the lines of a long definition with most words of the question.

        The head too, and what is around them; or only the one that says most, to be brief.
        """
        said, alone = self._said(lines, first, min(last, first + _MAX_READ))
        head = lines[first - 1].expandtabs(_TAB_COLUMNS)
        depth, width = len(head) - len(head.lstrip()), len(str(last))

        def size_of(chosen: AbstractSet[int]) -> int:
            """Return the most characters that lines take, with their numbers and a gap before."""
            written = (lines[it - 1].expandtabs(_TAB_COLUMNS).rstrip() for it in chosen)
            return sum(min(len(it) - depth, _MAX_COLUMNS) + width + 2 for it in written if it) + 4

        head_lines = 0 if is_brief else _HEAD_LINES
        chosen = set(range(first, min(first + head_lines, last + 1)))
        room -= size_of(chosen)
        # Of lines that say the same together the last one is the tightest: it begins with a word
        # that the others need.
        for at in sorted(said, key=lambda it: (-said[it], -it)):
            if at in chosen:
                continue
            around = range(max(first, at - _BEFORE), min(last, at + _WINDOW - _BEFORE) + 1)
            near = set(around) - chosen
            if is_brief or size_of(near) > room:
                best = max(range(at, at + _WINDOW), key=lambda it: (alone.get(it, 0.0), -it))
                if len(chosen) <= _HEAD_LINES:  # of the head, one line says enough
                    room += size_of(chosen - {first})
                    chosen &= {first}
                telling = {best - 1, best, best + 1} & set(range(first, last + 1)) - chosen
                if size_of(telling) <= room:
                    chosen |= telling
                elif len(chosen) <= 1:
                    return []  # a head without the lines that tell is no answer
                break
            room -= size_of(near)
            chosen |= near
        return sorted(chosen) or [first]

    def _said(
        self, lines: Sequence[str], first: int, last: int
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Return how much of the question the lines from each on say together, and each alone.

        A line with a condition counts more alone.
        """
        told = {
            at: said
            for at in range(first, last + 1)
            if (said := self._words_in(lines[at - 1][:_MAX_COLUMNS]))
        }
        together, alone = {}, {}
        for at, own in told.items():
            alone[at] = self._weight(own) * (_DECIDES if _DECIDING.search(lines[at - 1]) else 1.0)
            best: dict[int, float] = {}
            for near in range(at, at + _WINDOW):
                for word, factor in told.get(near, {}).items():
                    best[word] = max(best.get(word, 0.0), factor)
            together[at] = self._weight(best)
        return together, alone

    def _weight(self, said: Mapping[int, float]) -> float:
        return sum(self._words[it].weight * factor for it, factor in said.items())

    def _words_in(self, line: str) -> dict[int, float]:
        """Return the words of the question that a line has, by number."""
        found: dict[int, float] = {}
        for token in _NAME.findall(line):
            told = self._told.get(token)
            if told is None:
                own = set(stems(token))
                told = self._told[token] = [
                    (number, max(asked.alike[it] for it in own & asked.alike.keys()))
                    for number, asked in enumerate(self._words)
                    if not own.isdisjoint(asked.alike)
                ]
            for number, factor in told:
                found[number] = max(found.get(number, 0.0), factor)
        return found


def numbered(lines: Sequence[str], chosen: Sequence[int], last: int) -> str:
    """Return lines with their numbers, and a mark for each gap.

    Empty lines and the indentation that all have say nothing, and are left out.
    """
    width, shown, before = len(str(last)), list[str](), 0
    written = {at: lines[at - 1].expandtabs(_TAB_COLUMNS) for at in chosen}
    depths = (len(it) - len(it.lstrip()) for it in written.values() if it.strip())
    depth = min(depths, default=0)
    for at, line in written.items():
        if before and at != before + 1:
            shown.append(f"{'⋮':>{width}}")
        before = at
        text = line[depth:].encode(errors="surrogateescape").decode(errors="replace")
        if text.strip():
            shown.append(f"{at:>{width}} {text[:_MAX_COLUMNS]}".rstrip())
    if chosen and chosen[-1] < last:
        shown.append(f"{'⋮':>{width}}")
    return "\n".join(shown)
