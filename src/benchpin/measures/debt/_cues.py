"""Cues: phrases that indicate debt, how strongly and why; the category and severity of debt.

A phrase is words with blanks between them. `a|b` is either word, `(a)` is optional, `_` is any
word, `^` is the start of the sentence. The strength of each phrase of `lexicon.json` was chosen by
hand, the weight of a strength was learned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Literal, get_args

import msgspec

ANY = "_"
# Phrases that only look like cues.
_INNOCENT = """
<todo>|<hack> list|lists|item|items|app|apps|entry|entries|panel|view|pane|tab
<todo> el|lo|la|los|las|esto|este|esta|que|bien
temporary file|files|variable|variables|table|tables|directory|dir|folder|name|storage|object
temporary list|copy|buffer|array|data|value|location|store
bug|issue <number>|<name>
broken pipe|link|links|line|lines|into|down|up|by
bug report|reports|fix|fixes|tracker|database|id|number
kind|sort of
this|that|which is why
reason|reasons|explains|know|see|explain|understand why
"""


class Strength(StrEnum):
    """How strongly a cue indicates debt."""

    TAG = "tag"
    BARE = "bare"
    STRONG = "strong"
    CLEAR = "clear"
    FAINT = "faint"
    NONE = "none"
    """Keeps other cues from matching its words: a broken pipe is not broken code."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that indicates debt, or is known not to."""

    phrase: str
    strength: Strength
    reason: str
    can_be_denied: bool
    """Whether `not` or `avoid` before it negates it."""


class _Meaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases of the lexicon with the same meaning, by strength."""

    reason: str
    strong: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    faint: tuple[str, ...] = ()
    can_be_denied: bool = False


def _cues() -> Iterator[Cue]:
    tags = "<todo>|<fixme>|<xxx>|<hack>"
    yield Cue(tags, Strength.TAG, "a tag for work left over", can_be_denied=False)
    yield Cue("<bare>", Strength.BARE, "nothing is said after the tag", can_be_denied=False)
    lexicon = files(__package__).joinpath("lexicon.json").read_bytes()
    for meaning in msgspec.json.decode(lexicon, type=tuple[_Meaning, ...]):
        for strength, phrases in (
            (Strength.STRONG, meaning.strong),
            (Strength.CLEAR, meaning.clear),
            (Strength.FAINT, meaning.faint),
        ):
            for phrase in phrases:
                yield Cue(phrase, strength, meaning.reason, meaning.can_be_denied)
    for phrase in _INNOCENT.strip().splitlines():
        yield Cue(phrase, Strength.NONE, "", can_be_denied=False)


CUES = tuple(_cues())


class _Node:
    """A node of the trie: the next words, and the phrases that end here."""

    __slots__ = ("ends", "follow")

    def __init__(self) -> None:
        self.follow: dict[str, _Node] = {}
        self.ends: list[int] = []


class Phrases:
    """Phrases to search for all at once; the trie is built on first use."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    @cached_property
    def _starts(self) -> dict[str, _Node]:
        top = _Node()
        for number, pattern in enumerate(self._patterns):
            ends = [top]
            for element in pattern.split():
                ends = _lengthened(ends, element)
            for node in dict.fromkeys(ends):
                node.ends.append(number)
        return top.follow

    def find(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return the phrases found: number, first word, end.

        Of overlapping phrases the longest is taken, then the leftmost.
        """
        starts = self._starts
        found = [
            (start - end, start, phrase)
            for start, word in enumerate(words)
            if word in starts
            for phrase, end in _follow(starts[word], words, start)
        ]
        if len(found) > 1:
            found.sort()
        taken: set[int] = set()
        chosen: list[tuple[int, int, int]] = []
        for minus_length, start, phrase in found:
            places = range(start, start - minus_length)
            if taken.isdisjoint(places):
                taken.update(places)
                chosen.append((phrase, start, start - minus_length))
        return chosen


def _follow(first: _Node, words: Sequence[str], start: int) -> Iterator[tuple[int, int]]:
    pending = [(first, start + 1)]
    while pending:
        node, at = pending.pop()
        for phrase in node.ends:
            yield phrase, at
        if node.follow and at < len(words):
            for key in (words[at], ANY):
                after = node.follow.get(key)
                if after is not None:
                    pending.append((after, at + 1))


def _lengthened(nodes: Sequence[_Node], element: str) -> list[_Node]:
    """Add one element of a phrase after some nodes; return the nodes where it may end."""
    is_optional = len(element) > 2 and element[0] == "(" and element[-1] == ")"  # noqa: PLR2004 # `()`
    words = (element[1:-1] if is_optional else element).split("|")
    longer = list(nodes) if is_optional else []
    for node in nodes:
        for word in words:
            if word not in node.follow:
                node.follow[word] = _Node()
            longer.append(node.follow[word])
    return longer


Category = Literal[
    "Design", "Defect", "Requirement", "Test", "Performance", "Security", "Documentation"
]
Severity = Literal["Critical", "High", "Medium", "Low"]

CATEGORIES: tuple[Category, ...] = get_args(Category)
# The most severe first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

# Two thirds of labelled debt is about design, so it wins where a sentence says little.
_DESIGN_PRIOR = 1.0

_POINTS: dict[Category, dict[float, str]] = {
    "Design": {
        4.0: "hack|hacks|hacky|hackish|<hack>|kludge|kludges|<kludge>",
        3.5: """
            workaround|workarounds|<workaround>|bandaid|stopgap
            work|works|working|worked around
            """,
        3.0: """
            ugly|yuck|yucky|icky|nasty|messy|mess|inelegant|clumsy|awkward|horrible|stupid|crap
            refactor|refactored|refactoring|<refactor>|restructure|redesign|rework
            duplicate|duplicated|duplication|copied|stolen|borrowed
            """,
        2.5: """
            magic|hardcoded|hard
            dependency|dependencies|coupling|coupled
            """,
        2.0: """
            move|moved|rename|renamed|replace|replaced|extract|merge|split
            temporary|temporarily|interim
            """,
        1.2: """
            deprecated|legacy|obsolete|unused
            better|cleaner|nicer|elegant
            class|interface|method|subclass|superclass|hierarchy|api
            private|public|protected|static|abstract|singleton
            remove|removed|delete|get rid
            """,
        0.8: """
            should be|have|use
            instead
            """,
    },
    "Test": {
        5.0: """
            not (been|yet|really|fully|properly) tested|testing
            <todo>|<fixme>|<xxx> test|tests
            """,
        3.0: "test|tests|testcase|testcases|tested|testing|untested|unittest|unittests",
        1.0: "assert|assertion|assertions",
    },
    "Documentation": {
        5.5: """
            <todo>|<fixme>|<xxx> document|describe|explain
            needs|need|missing|write|add|more|better|improve|fix|update|lacks documentation|doc|docs
            needs|need|missing|write|add|more|better|improve|fix|update|lacks javadoc|docstring
            needs|need|missing|write|add|more|better|improve|fix|update|lacks comment|comments
            """,
        2.2: """
            document|documented|documents|undocumented
            documentation|javadoc|javadocs|docs|docstring|docstrings
            """,
        1.2: "ambiguous|spec|specification",
    },
    "Defect": {
        2.8: """
            broken|crash|crashes|crashing|<bug>
            not (seem|appear|always|really|actually|quite|currently) (to) work|working|works
            """,
        2.5: "bug|bugs|buggy",
        1.8: """
            fails|fail|failing|failure
            issue|issues
            inconsistent|inconsistently
            """,
        1.2: """
            <fixme>
            correct|correctly|incorrect|incorrectly
            leak|leaks|deadlock|deadlocks|race|corrupt|corrupts
            """,
        0.9: """
            wrong|wrongly
            problem|problems|trouble
            cause|causes|caused|causing
            lose|loses|lost
            fix this|it|me|that
            """,
        0.4: """
            does|do|is|can not
            appears|seems
            """,
    },
    "Requirement": {
        2.6: "not (been) (yet) implemented|supported|handled|done|finished|complete",
        2.0: """
            stub|stubbed|placeholder|autogenerated|<tbd>|<nyi>|<undone>
            empty implementation
            """,
        1.8: """
            <todo>|<fixme>|<xxx> implement|support|handle|add|allow|localize|localise|i18n
            <todo>|<fixme>|<xxx> complete|finish|provide|create|show|display|check|validate
            <todo>|<fixme>|<xxx> include|enable|write|introduce|make
            i18n|localize|localise|localization|internationalize|internationalise|translate
            unfinished|incomplete
            """,
        1.2: "implement|implemented|unimplemented",
        0.9: """
            yet
            show|display|draw
            validate|validation|verify
            """,
        0.6: """
            support|supported|missing
            add
            how|what to
            """,
    },
    "Performance": {
        5.0: """
            performance issue|issues|problem|problems|bottleneck|penalty|killer
            <optimize>|<optimise>|<perf>
            <todo>|<fixme>|<xxx> optimize|optimise|cache
            """,
        3.5: """
            slow|slower|slowly|inefficient|inefficiently|inefficiency|wasteful|quadratic|bottleneck
            optimize|optimise|optimized|optimised|optimization|optimisation|faster
            """,
        2.0: "performance|expensive|costly|cache|caching",
    },
    "Security": {
        6.0: """
            security hole|holes|issue|issues|risk|problem|vulnerability|flaw|concern|concerns
            <security>
            """,
        4.5: """
            vulnerable|vulnerability|vulnerabilities|exploit|exploitable|insecure|cve|xss|csrf
            sql|code|command|script|shell injection
            """,
        2.5: "security|attacker|attackers|malicious|untrusted|unsanitized|sanitize|escaping",
    },
}

_ROWS = [
    (category, points, phrase.strip())
    for category, by_points in _POINTS.items()
    for points, phrases in by_points.items()
    for phrase in phrases.strip().splitlines()
]
_PHRASES = Phrases([phrase for _category, _points, phrase in _ROWS])

_SEVERITY_OF: dict[Category, Severity] = {
    "Security": "Critical",
    "Defect": "High",
    "Design": "Medium",
    "Test": "Medium",
    "Performance": "Medium",
    "Requirement": "Low",
    "Documentation": "Low",
}
_MILD = Phrases(
    [
        "workaround|workarounds|<workaround>",
        "temporary|temporarily|interim",
        "optimize|optimise|<optimize>|<optimise>|slow|slower|slowly|faster",
        "perhaps|maybe|someday|eventually|nice",
    ]
)
_URGENT = Phrases(
    [
        "urgent|urgently|asap|immediately|critical|dangerous|blocker|showstopper|<nocommit>",
        "must fix|change|remove|be fixed|removed|changed|replaced",
        "must be fixed|removed|changed|replaced",
        "before release|releasing|shipping|merge|merging|production",
        "data loss|corruption",
        "lose|loses|losing|corrupt|corrupts (user) data",
        "crash|crashes|deadlock|deadlocks",
    ]
)


def categorize(words: Sequence[str]) -> Category:
    """Return the category of a sentence; Design where nothing says otherwise."""
    scores = dict.fromkeys(CATEGORIES, 0.0)
    scores["Design"] = _DESIGN_PRIOR
    for number in {number for number, _start, _end in _PHRASES.find(words)}:
        category, points, _phrase = _ROWS[number]
        scores[category] += points
    return max(CATEGORIES, key=scores.__getitem__)


def rate(
    category: Category, words: Sequence[str], *, is_plain: bool, is_test_code: bool
) -> Severity:
    """Return the severity: that of the category, higher if urgent, lower if mild or in tests."""
    step = SEVERITIES.index(_SEVERITY_OF[category])
    if _URGENT.find(words):
        step -= 1
    elif category in {"Design", "Performance"} and (is_plain or _MILD.find(words)):
        step += 1
    return SEVERITIES[min(max(step + is_test_code, 0), len(SEVERITIES) - 1)]
