"""How much each strength of cue counts for: learned by `scripts/train_debt.py`."""

from ._cues import Strength

INTERCEPT = -4.493
WEIGHTS = {
    Strength.TAG: 5.867,
    Strength.BARE: -3.959,
    Strength.STRONG: 5.753,
    Strength.CLEAR: 2.842,
    Strength.FAINT: 0.593,
}
