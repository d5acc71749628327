"""SQL: what a database has is used by programs and people that no file names."""

from benchpin.facts.liveness import POSSIBLE, LivenessRules, Reason

RULES = LivenessRules(
    definition_words=frozenset({b"TABLE", b"VIEW", b"FUNCTION", b"PROCEDURE", b"TRIGGER"}),
    exposure=lambda _definition, _program: Reason(
        POSSIBLE, "programs that use the database could use it"
    ),
)
