"""How much each strength of cue counts for: learned by `scripts/train_debt.py`."""

from ._cues import Strength

INTERCEPT = -4.457
WEIGHTS = {
    Strength.TAG: 5.766,
    Strength.BARE: -3.852,
    Strength.STRONG: 5.817,
    Strength.CLEAR: 2.786,
    Strength.FAINT: 0.954,
}
