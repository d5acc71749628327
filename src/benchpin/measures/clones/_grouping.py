"""Groups of clones as they are published."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import ConfigDict

from benchpin.present import Finding, FindingRule
from benchpin.workspace.walking import is_product_path

from ._corpus import Corpus
from ._repeats import Repeat, Repeats

CloneType = Literal["exact", "renamed", "gapped", "semantic"]
RULES = (
    FindingRule("exact-clone", "ExactClone", "Code is duplicated."),
    FindingRule("renamed-clone", "RenamedClone", "Code is duplicated with other names."),
    FindingRule("gapped-clone", "GappedClone", "Functions are the same except for some lines."),
    FindingRule("semantic-clone", "SemanticClone", "Functions are made of the same ingredients."),
)


_DESCRIBED = ConfigDict(use_attribute_docstrings=True, extra="forbid")


# Plain classes with slots rather than models: a large project has hundreds of thousands of them,
# and a model takes ten times the memory and the time.
@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines from one to another, both included."""

    __pydantic_config__: ClassVar[ConfigDict] = _DESCRIBED
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """One place of duplicated code."""

    __pydantic_config__: ClassVar[ConfigDict] = _DESCRIBED
    file: str
    line: int
    end_line: int
    function: str | None
    """The function, if it is a clone as a whole."""
    similarity: float
    """To the first fragment of its group."""
    gaps: tuple[LineSpan, ...]
    """Lines without a counterpart in the first fragment; for that one, in the second."""


@dataclass(frozen=True, slots=True)
class CloneGroup:
    """Places with the same or similar code, in the order of files and lines."""

    __pydantic_config__: ClassVar[ConfigDict] = _DESCRIBED
    type: CloneType
    tokens: int
    """Of the first fragment, without comments and imports."""
    lines: int
    """Of the first fragment."""
    similarity: float
    """The lowest similarity of two fragments that were compared."""
    is_test_code: bool
    """Whether at most one of its places is outside tests and samples."""
    removable_tokens: int
    """The tokens of all places but one: the measure of its size."""
    fragments: list[Fragment]


def findings(group: CloneGroup, number: int) -> Iterator[Finding]:
    """Return the fragments of a group as SARIF and JUnit show them."""
    for fragment in group.fragments:
        other = next(other for other in group.fragments if other is not fragment)
        yield Finding(
            rule=f"{group.type}-clone",
            level="note" if group.type == "semantic" else "warning",
            message=f"{group.type.capitalize()} clone of "
            f"{other.file}:{other.line}-{other.end_line}, {len(group.fragments)} places in total",
            path=fragment.file,
            line=fragment.line,
            end_line=fragment.end_line,
            properties={"group": number, "tokens": group.tokens, "similarity": fragment.similarity},
        )


def groups_of_repeats(
    corpus: Corpus, repeats: Sequence[Repeat], kind: CloneType, functions: Sequence[str | None] = ()
) -> Iterator[CloneGroup]:
    """Make a group of each repeat; `functions` are the names of its places if they are some."""
    import numpy as np

    places = Repeats.of(repeats)
    ends = places.places + np.repeat(places.sizes, places.counts)
    files = (corpus.starts.searchsorted(places.places, side="right") - 1).tolist()
    spans = zip(
        files,
        corpus.lines.of(places.places).tolist(),
        corpus.lines.ends_of(ends - 1).tolist(),
        strict=True,
    )
    for repeat in repeats:
        fragments = [
            Fragment(
                file=corpus.paths[file],
                line=line,
                end_line=end_line,
                function=function,
                similarity=1.0,
                gaps=(),
            )
            for function, (file, line, end_line) in zip(
                functions or [None] * len(repeat.places), spans, strict=False
            )
        ]
        yield group_of(kind, repeat.size, 1.0, fragments)


def group_of(
    kind: CloneType, tokens: int, similarity: float, fragments: list[Fragment]
) -> CloneGroup:
    """Return places as a group."""
    return CloneGroup(
        type=kind,
        tokens=tokens,
        lines=fragments[0].end_line - fragments[0].line + 1,
        similarity=similarity,
        is_test_code=sum(is_product_path(it.file) for it in fragments) <= 1,
        removable_tokens=tokens * (len(fragments) - 1),
        fragments=fragments,
    )


# Lines of a file that share a list of the places that reach into them, as a power of two.
_NEAR_BITS = 6


class ClonePlaces:
    """The places of groups, found by a line that they contain.

    A file may have thousands of places. Lists for 64 lines each have few of them: without them
    the overview of 18,000 files took longer than the search after an edit.
    """

    def __init__(self, groups: Iterable[CloneGroup] = ()) -> None:
        self._near = defaultdict[tuple[str, int], list[tuple[int, int, CloneGroup]]](list)
        self.add(groups)

    def add(self, groups: Iterable[CloneGroup]) -> None:
        for group in groups:
            for fragment in group.fragments:
                first, last = fragment.line, fragment.end_line
                for near in range(first >> _NEAR_BITS, (last >> _NEAR_BITS) + 1):
                    self._near[fragment.file, near].append((first, last, group))

    def cover(self, group: CloneGroup) -> bool:
        """Whether each place of a group is inside another place of one of these groups."""
        near = [
            (self._near.get((it.file, it.line >> _NEAR_BITS), ()), it) for it in group.fragments
        ]
        # Where there are the fewest places first: mostly none is around the place there.
        near.sort(key=lambda it: len(it[0]))
        outer: dict[int, set[tuple[str, int]]] | None = None
        for places, fragment in near:
            first, last = fragment.line, fragment.end_line
            inside = defaultdict[int, set[tuple[str, int]]](set)
            for line, end_line, other in places:
                if line <= first and last <= end_line:
                    inside[id(other)].add((fragment.file, line))
            if outer is None:
                outer = dict(inside)
            else:
                outer = {at: outer[at] | inner for at, inner in inside.items() if at in outer}
            if not outer:
                return False
        return any(len(it) >= len(group.fragments) for it in (outer or {}).values())
