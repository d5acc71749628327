"""How much each strength of cue counts for: learned by `scripts/train_debt.py`."""

from ._cues import Strength

INTERCEPT = -4.456
WEIGHTS = {
    Strength.TAG: 5.763,
    Strength.BARE: -3.850,
    Strength.STRONG: 5.816,
    Strength.CLEAR: 2.769,
    Strength.FAINT: 0.955,
}
