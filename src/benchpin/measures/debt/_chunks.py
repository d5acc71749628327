"""Classify the chunks between the blanks of a comment: words, a tag, a name, an operator.

Names, calls and paths become placeholders, so that a class `BugReport` or a call of `hack()` is not
taken for an admission.
"""

import re
from functools import lru_cache

import msgspec

# A name, path, quotation or other piece of code inside a sentence.
NAME = "<name>"
NUMBER = "<number>"

# Tags in any case of letters.
TAGS = frozenset({"todo", "fixme", "xxx", "hack"})
# Also ordinary words: tags only in capitals and before a colon.
LOUD_TAGS = frozenset(
    {
        "bodge",
        "bug",
        "cleanup",
        "debt",
        "kludge",
        "kluge",
        "nocommit",
        "nyi",
        "optimise",
        "optimize",
        "perf",
        "refactor",
        "security",
        "smell",
        "tbd",
        "undone",
        "workaround",
        "wtf",
    }
)

# Longer chunks are data, not words.
MAX_CHUNK = 60

_PAIRS = {
    "cannot": ("can", "not"),
    "cant": ("can", "not"),
    "can't": ("can", "not"),
    "doesnt": ("does", "not"),
    "dont": ("do", "not"),
    "isnt": ("is", "not"),
    "it's": ("it", "is"),
    "shouldnt": ("should", "not"),
    "that's": ("that", "is"),
    "there's": ("there", "is"),
    "what's": ("what", "is"),
    "won't": ("will", "not"),
    "wont": ("will", "not"),
}
_ENDINGS = {"n't": "not", "'m": "am", "'d": "would", "'ll": "will", "'re": "are", "'ve": "have"}
_ABBREVIATIONS = frozenset({"e.g.", "i.e.", "eg.", "ie.", "etc.", "vs.", "cf.", "approx.", "incl."})
_NUMERONYMS = frozenset({"i18n", "l10n", "a11y"})
_OPERATORS = frozenset(
    {
        "=",
        "==",
        "!=",
        "===",
        "!==",
        "+=",
        "-=",
        "*=",
        ":=",
        "<=",
        ">=",
        "&&",
        "||",
        "::",
        "->",
        "=>",
    }
)
_EDGES = "()[]{}<>\"'`*.,;:!?\u2018\u2019\u201c\u201d\u2026-_=|~#"
_TAG = re.compile(r"([@\\(\[!*~<=>#-]{0,3})([A-Za-z]{2,10})(:|\]:?|-+$|)")
_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]{1,2})?(?:-[A-Za-z]+){0,2}")


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """The text between two blanks."""

    words: tuple[str, ...] = ()
    is_name: bool = False
    is_operator: bool = False
    ends_sentence: bool = False
    tag: str = ""
    """The tag that it may be, in lower case."""
    is_loud: bool = False
    """In capitals."""
    is_called: bool = False
    """Marked with an at sign or brackets, or followed by a colon."""


@lru_cache(maxsize=32_768)
def read_chunk(part: str) -> Chunk:
    """Classify one chunk of a comment."""
    if len(part) > MAX_CHUNK:
        return Chunk((NAME,), is_name=True)
    if part.isascii() and part.isalpha():
        return _read_letters(part)
    if part == "&":
        return Chunk(("and",))
    if part in _OPERATORS:
        return Chunk(is_operator=True)
    return _read_tag(part) or _read_mixed(part)


def _read_letters(part: str) -> Chunk:
    word = part.lower()
    if word in TAGS or (word in LOUD_TAGS and part.isupper()):
        return Chunk((word,), tag=word, is_loud=part.isupper())
    if not (part.islower() or part.isupper() or part[1:].islower()):
        return Chunk((NAME,), is_name=True)
    return Chunk(_PAIRS.get(word, (word,)))


def _read_tag(part: str) -> Chunk | None:
    found = _TAG.match(part)
    if found is None or part[found.end() :].strip(_EDGES):
        return None
    word = found[2].lower()
    if word not in TAGS and not (word in LOUD_TAGS and found[2].isupper()):
        return None
    plain = _read_mixed(part)
    return Chunk(
        (word, *(sign for sign in plain.words if not sign[0].isalpha() and sign != NAME)),
        ends_sentence=plain.ends_sentence,
        tag=word,
        is_loud=found[2].isupper(),
        is_called=bool(found[3]) or found[1][-1:] in {"@", "\\", "["},
    )


def _read_mixed(part: str) -> Chunk:
    """Read a word with punctuation, a hyphen or an apostrophe, or something that is no word."""
    core = part.strip(_EDGES)
    tail = part[part.rfind(core) + len(core) :] if core else part
    words = _read_core(core, tail)
    is_name = words == (NAME,)
    if "..." in tail or "\u2026" in tail:
        words += ("...",)
    if "?" in tail:
        words += ("??" if "??" in tail else "?",)
    if tail.endswith((":(", ":-(")):
        words += (":(",)
    is_open = "..." in tail or part.lower() in _ABBREVIATIONS
    return Chunk(words, is_name, ends_sentence=not is_open and any(it in tail for it in ".?!"))


def _read_core(core: str, tail: str) -> tuple[str, ...]:
    if not core:
        return ()
    word = core.lower()
    if word in _PAIRS or word in _NUMERONYMS:
        return _PAIRS.get(word, (word,))
    if core.isdigit():
        return (NUMBER,)
    if tail.startswith(("(", "[")):
        return (NAME,)
    if "/" in core and core.replace("/", "").isalpha():
        return tuple(filter(None, word.split("/")))
    if _WORD.fullmatch(core) is None or not (core[1:].islower() or core.isupper()):
        return (NAME,)
    if "'" in word:
        for ending, second in _ENDINGS.items():
            if word.endswith(ending):
                return (word.removesuffix(ending), second)
        return (word.partition("'")[0],)
    return (word.replace("-", ""),)
