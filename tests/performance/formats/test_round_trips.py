from collections import Counter
from collections.abc import Callable

import pytest

from benchpin.performance.exports._stacks import (
    labels,
    to_callgrind,
    to_collapsed,
    to_pprof,
    to_speedscope,
)
from benchpin.performance.values import Profile
from profile_samples import read_sample, sample_profile
from spx_kit import expected, read_named

EXPORTS: dict[str, Callable[[Profile], bytes]] = {
    "callgrind": lambda profile: to_callgrind(profile).encode(),
    "pprof": to_pprof,
    "speedscope": to_speedscope,
    "collapsed": lambda profile: to_collapsed(profile).encode(),
}
PROFILES = [*sorted(expected()), "made"]


def _profile(name: str) -> Profile:
    return sample_profile() if name == "made" else read_named(name)


def _own(profile: Profile, place: int) -> Counter[str]:
    """Sum self costs by the name of the function, without the place that exports add to it."""
    found: Counter[str] = Counter()
    for cost in profile.functions:
        found[cost.function.split(" (")[0]] += cost.self[place]
    return +found


@pytest.mark.parametrize("form", sorted(EXPORTS))
@pytest.mark.parametrize("name", PROFILES)
def test_what_was_exported_is_read_with_the_same_numbers(name: str, form: str) -> None:
    profile = _profile(name)
    found = read_sample(EXPORTS[form](profile))
    in_tree: Counter[str] = Counter()
    names = labels(profile)
    for node in profile.tree:
        label = names[node.function] if node.function >= 0 else "(other)"
        in_tree[label.split(" (")[0]] += node.self[0]
    written = _own(profile, 0) if form == "callgrind" else +in_tree
    place = 0 if form == "collapsed" else found.metrics.index(profile.metrics[0])
    assert _own(found, place) == written
