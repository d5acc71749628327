"""Speedscope's own file format."""

import msgspec

from benchpin.performance.values import Profile

from ._stacks import OTHER, Unit, growing_metrics, labels, stacks, unit_of

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS: dict[Unit, str] = {"nanoseconds": "nanoseconds", "bytes": "bytes", "count": "none"}


def to_speedscope(profile: Profile, name: str = "profile") -> bytes:
    """Return JSON for speedscope, with a view for each metric without negative costs.

    Each path of calls is one sample, weighted by its self cost; the order of calls is lost.
    """
    frames: list[dict[str, str | int]] = [
        {"name": label}
        | ({"file": cost.file} if cost.file else {})
        | ({"line": cost.line} if cost.line else {})
        for label, cost in zip(labels(profile), profile.functions, strict=True)
    ]
    frames.append({"name": OTHER})
    views = [_view(profile, place, other=len(frames) - 1) for place in growing_metrics(profile)]
    document = {
        "$schema": _SCHEMA,
        "name": name,
        "exporter": "benchpin",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": views,
    }
    return msgspec.json.encode(document)


def _view(profile: Profile, place: int, other: int) -> dict[str, object]:
    samples: list[list[int]] = []
    weights: list[int] = []
    for node, stack in zip(profile.tree, stacks(profile), strict=True):
        if node.self[place] > 0:
            samples.append([function if function >= 0 else other for function in stack])
            weights.append(node.self[place])
    metric = profile.metrics[place]
    return {
        "type": "sampled",
        "name": metric,
        "unit": _UNITS[unit_of(metric)],
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
