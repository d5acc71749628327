"""What keeps code alive: the rules that a language package writes, and what they may ask."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._liveness import (
        CONFIGURED,
        HIDDEN,
        HINTED,
        MENTIONED,
        NO_REASON,
        POSSIBLE,
        REGISTERED,
        SURE,
        TESTED,
        VISIBLE,
        Definition,
        DefinitionKind,
        ForeignUse,
        LivenessRules,
        NamesOutsideCode,
        ProgramView,
        Reason,
        Rule,
        SharedByName,
        SharedNames,
        TokenView,
        braces_from,
        part_of,
        rules_of,
    )

__all__ = [
    "CONFIGURED",
    "HIDDEN",
    "HINTED",
    "MENTIONED",
    "NO_REASON",
    "POSSIBLE",
    "REGISTERED",
    "SURE",
    "TESTED",
    "VISIBLE",
    "Definition",
    "DefinitionKind",
    "ForeignUse",
    "LivenessRules",
    "NamesOutsideCode",
    "ProgramView",
    "Reason",
    "Rule",
    "SharedByName",
    "SharedNames",
    "TokenView",
    "braces_from",
    "part_of",
    "rules_of",
]

__getattr__ = lazy(__name__)
