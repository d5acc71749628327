"""Regular expressions whose time grows exponentially with the text: repetition of a repetition."""

import re

_LITERAL = re.compile(r"(?P<quote>[\"'`/])(?P<text>(?:\\.|(?!(?P=quote)).){4,400})(?P=quote)")
_LOOKS_LIKE = re.compile(r"[*+]|\{\d+,")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_REPEATED = re.compile(r"(?:[*+]|\{\d+,\d*\})(?![+])")
_PLAIN_GROUP = re.compile(r"\((?:\?:|\?P<\w+>|\?<\w+>)?(?P<inside>[^()|]*)\)(?![*+?{])")
_GROUP = re.compile(
    r"\((?:\?:|\?P<\w+>|\?<\w+>)?(?P<inside>[^()]*)\)(?P<after>[*+]|\{\d+,\d*\})(?!\+)"
)


def dangerous_pattern(line: str) -> str | None:
    """Return the regular expression in a line of code that repeats what is repeated, if any."""
    for found in _LITERAL.finditer(line):
        text = found["text"]
        if _LOOKS_LIKE.search(text) and nests_quantifiers(text):
            return text
    return None


def nests_quantifiers(pattern: str) -> bool:
    """Whether a group that is repeated can match the same text in several ways.

    A group with something that has to follow each repetition is no danger: `(a+,)*`.
    """
    plain = _CLASS.sub("C", re.sub(r"\\.", "C", pattern))
    plain = _unwrapped(plain)
    while (found := _GROUP.search(plain)) is not None:
        if any(_is_ambiguous(it) for it in found["inside"].split("|")):
            return True
        # What is inside was judged; its repetition is a repetition for the group around it.
        plain = _unwrapped(f"{plain[: found.start()]}R+{plain[found.end() :]}")
    return False


def _unwrapped(pattern: str) -> str:
    """Return a pattern without the brackets of groups that are not repeated and have no choice."""
    before = ""
    while pattern != before:
        before, pattern = pattern, _PLAIN_GROUP.sub(r"\g<inside>", pattern)
    return pattern


def _is_ambiguous(inside: str) -> bool:
    if not _REPEATED.search(inside):
        return False
    # What is left without what may be absent: nothing but one repeated thing.
    needed = re.sub(r"\(?[\w.]\)?(?:\?|\*\??)", "", inside)
    needed = re.sub(r"([\w.])(?:\+\??|\{\d+,\d*\}\??)", "", needed, count=1)
    return needed.strip("^$") in {"", "."} or needed.strip() == ""
