"""How names of SQL are found, also in strings of other languages."""

import re

from benchpin.facts.code import Navigation

from ._names import named

_WORD = re.compile(r"\w++")
_STATEMENTS = (
    ({"select"}, {"from"}),
    ({"insert", "replace"}, {"into"}),
    ({"update"}, {"set"}),
    ({"delete"}, {"from"}),
    ({"create", "alter", "drop", "truncate"}, {"table", "view", "index", "function", "trigger"}),
    ({"left", "inner", "join"}, {"join"}),
)
_FRAGMENTS = frozenset({"where", "order", "group", "set", "and", "or", "having", "returning", "on"})
_TABLES = frozenset({"from", "into", "update", "join", "table", "view"})


def _is_in_string(text: str, owner: str) -> bool:
    """Whether a string is a statement, or a part of one, that can mean a member of `owner`."""
    written = _WORD.findall(text)
    words = {it.lower() for it in written}
    if not any(words & verbs and words & others for verbs, others in _STATEMENTS):
        return bool(written) and any(it.lower() in _FRAGMENTS for it in written[:2])
    return not owner or owner in written or words.isdisjoint(_TABLES)


NAVIGATION = Navigation(
    named=named,
    in_strings=_is_in_string,
    predeclared=frozenset({"NEW", "OLD", "EXCLUDED"}),
)
