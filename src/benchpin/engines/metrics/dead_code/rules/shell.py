"""Shells: a function may be called by whoever sources its file."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HINTED, POSSIBLE, VISIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules

_LIBRARY = re.compile(r"(?:^|/)(?:lib|plugins?|completions?|functions|themes?)/|\.plugin\.")


def _exposure(definition: Definition, _project: Project) -> Evidence:
    if _LIBRARY.search(definition.path):
        return Evidence(POSSIBLE, "whoever sources its file could use it")
    is_private = definition.name.startswith("_")
    return Evidence(VISIBLE if is_private else HINTED, "whoever sources its file could use it")


RULES = Rules(
    languages=frozenset({"bash"}),
    definition_words=frozenset({b"function"}),
    reflective=frozenset({b"eval", b"$", b"${", b'"'}),
    entries=frozenset({"main", "usage"}),
    is_declared=lambda view, at, _is_outside: (
        (view.text(at + 1), view.text(at + 2)) == (b"(", b")")
    ),
    exposure=_exposure,
)
