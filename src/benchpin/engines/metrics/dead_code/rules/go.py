"""Go: what begins with a capital is for other packages, and interfaces need no declaration."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HIDDEN, POSSIBLE, VISIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules


def _exposure(definition: Definition, project: Project) -> Evidence:
    if not definition.name[:1].isupper():
        return Evidence(HIDDEN, "")
    if definition.kind == "method":
        return Evidence(POSSIBLE, "it may fulfil an interface that is not in the workspace")
    view = project.views[definition.file]
    is_closed = (view.text(0), view.text(1)) == (b"package", b"main") or re.search(
        r"(?:^|/)internal/", definition.path
    )
    if is_closed:
        return Evidence(VISIBLE, "it is exported, but nothing else can import its package")
    return Evidence(POSSIBLE, "it is exported: other modules could use it")


RULES = Rules(
    languages=frozenset({"go"}),
    definition_words=frozenset({b"func", b"type"}),
    entries=frozenset({"main", "init"}),
    reflective=frozenset({b"MethodByName", b"FieldByName"}),
    exposure=_exposure,
)
