"""Commands that differ from their tools."""

import re

from benchpin.core.calls import Bench
from benchpin.core.tools import Arguments, Command

# An escape of a regular expression, such as \W or \pL, whose capital is not searched for.
_ESCAPE = re.compile(r"\\(?:[pPx](?:\{[^}]{0,50}+\}|.)|.)", re.DOTALL)


def _smart_case(arguments: Arguments, _bench: Bench) -> Arguments:
    """Let case count if the pattern has a capital, unless the caller decides."""
    has_capital = any(it.isupper() for it in _ESCAPE.sub("", str(arguments["pattern"])))
    return {"ignore_case": not has_capital, **arguments}


search_files = Command(
    "search_files",
    "Upper and lower case differ if PATTERN has a capital, unless an option decides.",
    complete=_smart_case,
)
