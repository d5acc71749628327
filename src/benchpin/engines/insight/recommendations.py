"""What to do first, by rules: each rests on measures, names its evidence and may find nothing."""

from collections.abc import Callable, Iterator, Sequence

from . import rules_of_code as code
from . import rules_of_project as project
from .advice import LEVELS, Recommendation
from .findings import Findings
from .hotspots import Hotspot, find_hotspots

MOST = 20

_RULES: tuple[Callable[[Findings], Iterator[Recommendation]], ...] = (
    code.complex_functions,
    code.clones,
    code.dead_code,
    code.god_files,
    project.import_cycles,
    project.steep_files,
    project.untested,
    project.grave_comments,
    project.unresolved_imports,
    project.hidden_coupling,
    project.likely_defects,
)


def recommend(found: Findings, hotspots: Sequence[Hotspot] | None = None) -> list[Recommendation]:
    """Return what is worth doing, the most urgent first; among those, what weighs most."""
    advice = list(code.hot_functions(found, find_hotspots(found) if hotspots is None else hotspots))
    for rule in _RULES:
        advice += rule(found)
    return sorted(advice, key=_order)[:MOST]


def _order(it: Recommendation) -> tuple[int, int, int, str]:
    first = it.evidence[0]
    return (
        LEVELS.index(it.priority),
        LEVELS.index(it.impact),
        -it.estimated_effort.secs,
        f"{it.rule} {first.file}:{first.line:09}",
    )
