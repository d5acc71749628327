"""The functions and calls of several profiles of one program, added up."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from benchpin.performance.snapshots import time_index
from benchpin.performance.values import Profile

from ._rules import is_waiting

_NAME_PARTS = re.compile(r"[^.:>\\/()' <]+")
_METHOD = re.compile(r"<(?:method|built-in method) '?(?P<name>[\w.]+)")


class FunctionKey(NamedTuple):
    """A function as its profiler names it."""

    function: str
    file: str | None
    line: int | None


class CalledFrom(NamedTuple):
    """What one function spends in another."""

    calls: int
    inclusive: int


class ProfileGraph:
    """What functions cost themselves, and in whom they spend the rest."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        """Add up profiles of the same kind."""
        self.own: defaultdict[FunctionKey, int] = defaultdict(int)
        self.inclusive: defaultdict[FunctionKey, int] = defaultdict(int)
        self.calls: defaultdict[FunctionKey, int] = defaultdict(int)
        self.callees: defaultdict[FunctionKey, dict[FunctionKey, CalledFrom]] = defaultdict(dict)
        self.callers: defaultdict[FunctionKey, set[FunctionKey]] = defaultdict(set)
        for profile in profiles:
            self._add(profile)
        self.waiting = sum(cost for key, cost in self.own.items() if is_waiting(key.function))
        self.total = sum(self.own.values())

    def _add(self, profile: Profile) -> None:
        metric = time_index(profile) or 0
        keys = [FunctionKey(it.function, it.file, it.line) for it in profile.functions]
        for key, cost in zip(keys, profile.functions, strict=True):
            self.own[key] += cost.self[metric]
            self.inclusive[key] += cost.inclusive[metric]
            self.calls[key] += cost.calls
        for edge in profile.edges:
            caller, callee = keys[edge.caller], keys[edge.callee]
            known = self.callees[caller].get(callee, CalledFrom(0, 0))
            self.callees[caller][callee] = CalledFrom(
                known.calls + edge.calls, known.inclusive + edge.inclusive[metric]
            )
            self.callers[callee].add(caller)

    @property
    def busy(self) -> int:
        """What is no waiting."""
        return self.total - self.waiting


def short_name(function: str) -> str:
    """Return the last part of a name as code writes it in a call: `match` of `re.Pattern.match`."""
    method = _METHOD.match(function)
    parts = _NAME_PARTS.findall(method["name"] if method else function)
    return parts[-1] if parts else function
