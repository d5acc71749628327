"""All cues: tags, phrases that admit debt, and phrases that only look like it."""

from ._cues import Cue, Strength
from ._lexicon import GROUPS

_INNOCENT = """
<todo>|<hack> list|lists|item|items|app|apps|entry|entries|panel|view|pane|tab
<todo> el|lo|la|los|las|esto|este|esta|que|bien
temporary file|files|variable|variables|table|tables|directory|dir|folder|name|storage|object
temporary list|copy|buffer|array|data|value|location|store
bug|issue <number>|<name>
broken pipe|link|links|line|lines|into|down|up|by
bug report|reports|fix|fixes|tracker|database|id|number
kind|sort of
this|that|which is why
reason|reasons|explains|know|see|explain|understand why
"""

_TAGGED = (
    Cue(
        "<todo>|<fixme>|<xxx>|<hack>", Strength.TAG, "a tag for work left over", can_be_denied=False
    ),
    Cue("<bare>", Strength.BARE, "nothing is said after the tag", can_be_denied=False),
)

CUES: tuple[Cue, ...] = (
    *_TAGGED,
    *(cue for group in GROUPS for cue in group.cues()),
    *(
        Cue(phrase.strip(), Strength.NONE, "", can_be_denied=False)
        for phrase in _INNOCENT.strip().splitlines()
    ),
)
