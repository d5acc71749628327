"""Go: capitalized names are exported, and types implement interfaces without saying so."""

import re

from benchpin.engines.source.liveness import HIDDEN, POSSIBLE, VISIBLE, LivenessRules, Reason
from benchpin.engines.source.program import Definition, ProgramView


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    if not definition.name[:1].isupper():
        return Reason(HIDDEN, "")
    if definition.kind == "method":
        return Reason(POSSIBLE, "it may implement an interface that is not in the workspace")
    view = program.views[definition.file]
    is_closed = (view.text(0), view.text(1)) == (b"package", b"main") or re.search(
        r"(?:^|/)internal/", definition.path
    )
    if is_closed:
        return Reason(VISIBLE, "it is exported, but nothing else can import its package")
    return Reason(POSSIBLE, "it is exported: other modules could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"func", b"type"}),
    entry_points=frozenset({"main", "init"}),
    reflection_words=frozenset({b"MethodByName", b"FieldByName"}),
    exposure=_exposure,
)
