"""The weight of each strength of cue, learned by `scripts/train_debt.py`."""

from ._cues import Strength

# People agree on no more than this share of even the clearest comments.
CEILING = 0.958
INTERCEPT = -4.457
WEIGHTS = {
    Strength.TAG: 5.768,
    Strength.BARE: -3.854,
    Strength.STRONG: 5.784,
    Strength.CLEAR: 2.783,
    Strength.FAINT: 0.949,
}
