"""Collapsed stacks, one a line, as flamegraph.pl and its kin read them."""

import re

from benchpin.engines.profiles.values import Profile

from .stacks import label_of, labels, place_of, stacks

_BREAKING = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


def to_collapsed(profile: Profile, metric: str = "wt") -> str:
    """Return `outermost;…;innermost self` for each path of calls that spent something."""
    place = place_of(profile, metric)
    names = [_BREAKING.sub(" ", name).replace(";", ":") for name in labels(profile)]
    lines = [
        f"{';'.join(label_of(names, function) for function in stack)} {node.self[place]}\n"
        for node, stack in zip(profile.tree, stacks(profile), strict=True)
        if node.self[place] > 0
    ]
    return "".join(lines)
