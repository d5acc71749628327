"""Go: what begins with a capital is for other packages, and interfaces need no declaration."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HIDDEN, POSSIBLE, SURE, VISIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules

_TEST = re.compile(r"(?:Test|Benchmark|Example|Fuzz)(?:[^a-z]|$)")


def _tests(definition: Definition, project: Project) -> Evidence | None:
    if project.is_test[definition.file] and _TEST.match(definition.name):
        return Evidence(SURE, "go test runs it")
    return None


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
    rules=(_tests,),
)
