"""Ruby: almost any method can be called by a composed name."""

from benchpin.facts.liveness import (
    HINTED,
    POSSIBLE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
)

_SPECIAL = frozenset(
    """
    == [] []= <=> === =~ ! + - * / call coerce each eql? extended hash included inherited
    initialize initialize_copy inspect method_added method_missing prepended respond_to_missing?
    setup teardown to_a to_ary to_h to_hash to_proc to_s to_str
    """.split()  # noqa: SIM905 - easier to read than quoted names
)


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    if definition.name.endswith("="):
        return Reason(POSSIBLE, "it may be assigned to")
    if definition.kind == "type":
        return Reason(HINTED, "it is public: code outside the workspace could use it")
    if definition.is_public and program.owner(definition) is not None:
        return Reason(POSSIBLE, "it is public: code outside the workspace could use it")
    return Reason(VISIBLE, "")


RULES = LivenessRules(
    definition_words=frozenset({b"def", b"class", b"module"}),
    is_special=lambda name: name in _SPECIAL,
    reflection_words=frozenset(
        {b"send", b"public_send", b"__send__", b"method", b"define_method", b"const_get"}
    ),
    self_lookups=((b"send", b"("), (b"public_send", b"("), (b"__send__", b"(")),
    exposure=_exposure,
)
