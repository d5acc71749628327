"""What a flame graph shows: one profile, or the difference of two sets, as its script reads it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from benchpin.core.text import counted, plain
from benchpin.performance.calls import (
    DiffNode,
    Name,
    TreeDifference,
    estimated_tree,
    tree_difference,
)
from benchpin.performance.comparing import (
    Verdict,
    filled_profiles,
    runs_by_subject,
    select_profile,
)
from benchpin.performance.findings import metric_name
from benchpin.performance.snapshots import Snapshot, length_of
from benchpin.performance.values import Profile, ProfileOf, PublishedValue

from ._stacks import OTHER, Unit, place_of, unit_of

_MAX_CHANGES = 50
_ESTIMATE = (
    "The profiler recorded who called whom, but no stacks: each call is drawn with the average "
    "cost of its function, as if that did not depend on the caller."
)
_SEPARATORS = ("::", "->", ".", "\\", "/")
_THREE_DIGITS = 1000
_STEPS: dict[str, tuple[int, tuple[str, ...]]] = {
    "nanoseconds": (1000, ("ns", "µs", "ms", "s")),
    "bytes": (1024, ("B", "KiB", "MiB", "GiB")),
}
Kind = Literal["same", "slower", "faster", "unclear"]
_KINDS: dict[Verdict, Kind] = {
    "unchanged": "same",
    "regressed": "slower",
    "improved": "faster",
    "unclear": "unclear",
}
KINDS: tuple[Kind, ...] = ("same", "slower", "faster", "unclear")
WORDS: dict[Kind, str] = {
    "same": "within noise",
    "slower": "slower",
    "faster": "faster",
    "unclear": "large change, too few profiles to be sure",
}


class FunctionTotals(PublishedValue, frozen=True):
    """Costs of functions wherever they are called, also where the tree was cut."""

    calls: list[int]
    self: list[int]
    inclusive: list[int]


class Flames(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """A tree of calls, one list for each attribute; callers come before their callees."""

    title: str
    noun: str
    """What was measured, in words."""
    unit: Unit
    names: list[str]
    hues: list[int]
    """The colour of each name, in degrees: parts of a program look alike."""
    places: list[str]
    """Where each function is defined; empty if that is unknown."""
    parents: list[int]
    functions: list[int]
    calls: list[int]
    self: list[int]
    """Of a difference, the mean after it."""
    totals: FunctionTotals | None = None
    before: list[int] | None = None
    """Of a difference only, as the rest."""
    verdicts: list[int] | None = None
    """Of its own cost, as positions in the kinds."""
    below: list[int] | None = None
    """Of its cost with callees."""
    ratios: list[float] | None = None
    """The change of its own cost over the larger value, from -1 to 1."""
    kinds: tuple[Kind, ...] | None = None
    words: list[str] | None = None
    changes: list[int] | None = None
    """The frames whose own cost changed most."""
    sets: tuple[int, int] | None = None
    """The number of profiles before and after."""
    is_estimated: bool = False
    """Whether the profile has callers and callees only, so that the stacks are an estimate."""

    @property
    def whole(self) -> int:
        return sum(self.self)

    @property
    def heading(self) -> str:
        kind = "Flame graph" if self.before is None else "Diff flame graph"
        estimated = ", stacks estimated" if self.is_estimated else ""
        return f"{kind} of {self.title}{estimated}"

    @property
    def summary(self) -> str:
        """The total, and what the widths are."""
        after = self.shown(self.whole)
        if self.before is None or self.sets is None:
            calls = f" in {counted(sum(self.calls), 'call')}" if any(self.calls) else ""
            functions = counted(len(set(self.functions)), "function")
            what = "" if self.unit == "count" else f" {self.noun}"
            estimate = f" {_ESTIMATE}" if self.is_estimated else ""
            return f"{after}{what}{calls} of {functions}. Width is {self.noun}.{estimate}"
        before = self.shown(sum(self.before))
        one, other = (counted(count, "profile") for count in self.sets)
        return f"{before} before ({one}), {after} after ({other}), {self.noun}, on average."

    def shown(self, cost: float) -> str:
        if self.unit == "count":
            return f"{round(cost):,} {self.noun}"
        base, steps = _STEPS[self.unit]
        rest, step = abs(cost), 0
        while rest >= base and step < len(steps) - 1:
            rest, step = rest / base, step + 1
        digits = f"{rest:,.0f}" if not step or rest >= _THREE_DIGITS else f"{rest:#.3g}"
        return f"{'-' if cost < 0 else ''}{digits.rstrip('.')} {steps[step]}"


def summed(parents: Sequence[int], costs: Sequence[int]) -> list[int]:
    """Return the cost of each call with its callees."""
    sums = list(costs)
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            sums[parents[node]] += sums[node]
    return sums


def descriptions(flames: Flames) -> list[str]:
    after = summed(flames.parents, flames.self)
    names = (flames.names[function] for function in flames.functions)
    if flames.before is None:
        costs = zip(names, after, flames.self, strict=True)
        return [f"{it}: total {flames.shown(a)}, self {flames.shown(b)}" for it, a, b in costs]
    before = summed(flames.parents, flames.before)
    changes = zip(names, before, after, flames.verdicts or (), strict=True)
    return [
        f"{it}: {flames.shown(a)} before, {flames.shown(b)} after, {WORDS[KINDS[verdict]]}"
        for it, a, b, verdict in changes
    ]


def hue_of(name: str, file: str | None = None) -> int:
    """Return a colour by namespace, class or module, else by file, in steps of 15 degrees."""
    end = max(map(name.rfind, _SEPARATORS))
    family = name[:end] if end > 0 else file or name
    # FNV-1a: the same in every process, unlike Python's own hash
    value = 2166136261
    for letter in family.encode("utf-8", "replace"):
        value = (value ^ letter) * 16777619 & 0xFFFFFFFF
    return value % 24 * 15


def flames_of(profile: Profile, metric: str | None = None, title: str | None = None) -> Flames:
    """Return the flame graph of one metric of a profile; without stacks, an estimated one."""
    place = place_of(profile, metric)
    shown = profile.metrics[place]
    tree = profile.tree or estimated_tree(profile, place)
    drawn = place if profile.tree else 0
    named = [Name(cost.function, cost.file, cost.line) for cost in profile.functions]
    other = len(named)
    return Flames(
        title=title_of(profile, title),
        noun=metric_name(shown),
        unit=unit_of(shown),
        names=_labels(named),
        hues=[*(hue_of(it.function, it.file) for it in named), 0],
        places=[*map(_place, named), ""],
        parents=[node.parent for node in tree],
        functions=[node.function if node.function >= 0 else other for node in tree],
        calls=[node.calls for node in tree],
        self=[node.self[drawn] for node in tree],
        is_estimated=not profile.tree,
        totals=FunctionTotals(
            calls=[cost.calls for cost in profile.functions],
            self=[cost.self[place] for cost in profile.functions],
            inclusive=[cost.inclusive[place] for cost in profile.functions],
        ),
    )


def longest_flames(snapshot: Snapshot, wanted: str | None = None) -> Flames | None:
    """Return the flame graph of the wanted profile, or else of the longest, if there is one."""
    if wanted is not None:
        return flames_of(select_profile(snapshot, wanted).profile)
    found = to_draw(snapshot)
    return flames_of(found[0].profile) if found else None


def to_draw(snapshot: Snapshot) -> list[ProfileOf]:
    """Return the profiles to draw, the longest first: those with stacks, or else all with calls."""
    filled = filled_profiles(snapshot)
    found = sorted(filled, key=lambda it: it.source)
    found.sort(key=lambda it: length_of(it.profile), reverse=True)
    return [it for it in found if it.profile.tree] or [it for it in found if it.profile.edges]


def differences(before: Snapshot, after: Snapshot, subject: str | None = None) -> list[Flames]:
    """Return what changed of each route or command that both have stacks of, the longest first.

    With `subject`, of that one only.
    """
    old, new = runs_by_subject(before), runs_by_subject(after)
    found = [
        flames_of_difference(tree_difference(old[key], runs), key[0] or "all profiles")
        for key, runs in new.items()
        if key in old and subject in {None, key[0]}
    ]
    return sorted(found, key=lambda it: (-it.whole, it.title))


def flames_of_difference(found: TreeDifference, title: str) -> Flames:
    other, nodes = len(found.functions), found.nodes
    return Flames(
        title=plain(title),
        noun=metric_name(found.metric),
        unit=unit_of(found.metric),
        names=_labels(found.functions),
        hues=[],
        places=[*map(_place, found.functions), ""],
        parents=[node.parent for node in nodes],
        functions=[node.function if node.function >= 0 else other for node in nodes],
        calls=[0] * len(nodes),
        self=[node.own_after for node in nodes],
        before=[node.own_before for node in nodes],
        verdicts=[KINDS.index(_KINDS[node.own_verdict]) for node in nodes],
        below=[KINDS.index(_KINDS[node.verdict]) for node in nodes],
        ratios=[_ratio(node) for node in nodes],
        kinds=KINDS,
        words=[WORDS[kind] for kind in KINDS],
        changes=_largest_changes(nodes),
        sets=(found.before_profiles, found.after_profiles),
    )


def _ratio(node: DiffNode) -> float:
    most = max(node.own_before, node.own_after)
    return round((node.own_after - node.own_before) / most, 3) if most > 0 else 0.0


def _largest_changes(nodes: tuple[DiffNode, ...]) -> list[int]:
    """Return what changed beyond noise, then what is unclear, each by the size of the change."""
    changed = [place for place, node in enumerate(nodes) if node.own_verdict != "unchanged"]

    def rank(place: int) -> tuple[bool, int, int]:
        node = nodes[place]
        return node.own_verdict == "unclear", -abs(node.own_after - node.own_before), place

    return sorted(changed, key=rank)[:_MAX_CHANGES]


def title_of(profile: Profile, title: str | None = None) -> str:
    """Return what people call a profile: its given title, its request or its format.

    A title that is a whole path, as of a file that was typed, is shortened to the file's name.
    """
    if title and PurePath(title).is_absolute() and profile.request is None:
        title = PurePath(title).name
    if title or profile.request is None:
        return plain(title or profile.version)
    method = profile.request.method if profile.request.uri else None
    return plain(f"{method} {profile.request.name}" if method else profile.request.name)


def _labels(named: Sequence[Name]) -> list[str]:
    """Return the names, with file and line where several are the same, and that of the rest."""
    count = Counter(it.function for it in named)
    return [
        *(plain(it.function if count[it.function] == 1 else _told_apart(it)) for it in named),
        OTHER,
    ]


def _told_apart(name: Name) -> str:
    if name.file is None:
        return name.function
    return f"{name.function} ({PurePath(name.file).name}:{name.line or '?'})"


def _place(name: Name) -> str:
    if name.file is None:
        return ""
    return plain(name.file if name.line is None else f"{name.file}:{name.line}")
