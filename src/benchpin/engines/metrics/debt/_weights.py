"""How much each strength of cue counts for: learned by `scripts/train_debt.py`."""

from ._cues import Strength

INTERCEPT = -4.457
WEIGHTS = {
    Strength.TAG: 5.772,
    Strength.BARE: -3.858,
    Strength.STRONG: 5.664,
    Strength.CLEAR: 2.783,
    Strength.FAINT: 0.948,
}
