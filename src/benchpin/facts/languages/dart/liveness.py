"""Dart, with what Flutter calls: members that override others, and annotated code."""

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    REGISTERED,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
)

# The language, its library and generators of code call members of these names.
_SPECIAL = frozenset(
    """
    call compareTo copyWith createState fromJson hashCode noSuchMethod runtimeType toJson toString
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_PASSIVE = """
    Deprecated alwaysThrows deprecated doNotStore experimental factory immutable internal
    mustCallSuper nonVirtual optionalTypeArgs protected sealed useResult visibleForOverriding
    visibleForTesting
"""


def _overriding(definition: Definition, _program: ProgramView) -> Reason | None:
    if definition.decorators and "override" in definition.decorators:
        return Reason(REGISTERED, "it overrides a member that others may call")
    return None


def _extension(definition: Definition, _program: ProgramView) -> Reason | None:
    """An extension is used through its members, without its name."""
    if definition.kind == "type" and definition.label == "extension":
        return Reason(POSSIBLE, "its members are used without its name")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if not definition.is_public:
        return Reason(HIDDEN, "")
    if definition.path.startswith("lib/src/") or "/lib/src/" in definition.path:
        return Reason(VISIBLE, "its library may export it")
    if definition.path.startswith("lib/") or "/lib/" in definition.path:
        return Reason(HINTED, "it is public: code outside the workspace could use it")
    return Reason(VISIBLE, "it is public: code outside the workspace could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"class", b"mixin", b"enum", b"extension", b"typedef"}),
    member_marks=frozenset({b".", b"?.", b"..", b"?..", b"!."}),
    is_special=lambda name: name in _SPECIAL,
    entry_points=frozenset({"main"}),
    passive_decorators=frozenset(_PASSIVE.split()),
    contract_words=frozenset({"external"}),
    exposure=_exposure,
    rules=(_overriding, _extension),
)
