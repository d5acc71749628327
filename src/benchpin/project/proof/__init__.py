"""Whether a change is done: its tests, run with and without it, and what they would notice."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._asking import ask_checkers
    from ._both_states import BothStates, both_states
    from ._certificate import (
        PROOF_RULES,
        Proof,
        ProofCheck,
        TriedMistake,
        Verdict,
        summary_of,
        verdict_of,
    )
    from ._changed import copies_in
    from ._filling import working_copy
    from ._mutants import Mutant, mutants_of
    from ._proving import prove
    from ._working_copy import WorkingCopy, require_settled, sweep

__all__ = [
    "PROOF_RULES",
    "BothStates",
    "Mutant",
    "Proof",
    "ProofCheck",
    "TriedMistake",
    "Verdict",
    "WorkingCopy",
    "ask_checkers",
    "both_states",
    "copies_in",
    "mutants_of",
    "prove",
    "require_settled",
    "summary_of",
    "sweep",
    "verdict_of",
    "working_copy",
]

__getattr__ = lazy(__name__)
