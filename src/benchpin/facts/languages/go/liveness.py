"""Go: capitalized names are exported, and types implement interfaces without saying so."""

import re

from benchpin.facts.liveness import (
    HIDDEN,
    POSSIBLE,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
)

_MAGE = re.compile(r"(?:^|/)(?:magefile\w*\.go$|magefiles?/)")


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


def _mage(definition: Definition, _program: ProgramView) -> Reason | None:
    """The build tool Mage runs the exported functions of its files."""
    is_target = _MAGE.search(definition.path) and definition.name[:1].isupper()
    return Reason(SURE, "mage runs it") if is_target else None


RULES = LivenessRules(
    definition_words=frozenset({b"func", b"type"}),
    entry_points=frozenset({"main", "init", "TestMain"}),
    reflection_words=frozenset({b"MethodByName", b"FieldByName"}),
    # A type that is embedded calls no methods of the type around it.
    methods_called_by=lambda _base: frozenset(),
    exposure=_exposure,
    rules=(_mage,),
)
