"""Split a comment, in any language, into sentences of plain words.

Comment signs, markup, quotations and commented-out code are removed. A tag such as TODO starts a
sentence. Names, calls and paths become placeholders, so that a class `BugReport` or a call of
`hack()` is not taken for an admission. The time is linear in the length: each character is read a
bounded number of times.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
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


# The first word of every sentence, so that phrases can refer to it.
START = "^"
# A line such as `@param`, which documents parameters and results.
DOC_TAG = "<doc>"

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_IDEOGRAPHS = re.compile("([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+)")
_QUOTED = re.compile(r"`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|(?<![A-Za-z])'[^'\n]{1,80}'(?![A-Za-z])")
_MARKUP = re.compile(
    r"\{@(?:code|link|linkplain|literal|value)\s[^}]{0,80}\}|<code>[^<]{0,80}</code>"
)
_ELEMENT = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,9} ?/?>|&[a-z]{2,6};")
_OPENING = re.compile(
    r"""/\*+[!/]?|//+!?|<!--+|\#+(?![0-9])|--+\[*|;+|%+|\*+/?|\(\*+|\{-|>+|(?:[Rr][Ee][Mm]|dnl)(?=\s|$)"""
)
_CLOSING = re.compile(r"(?:\*+[/)]|--+>|-\}|\]\])\s*$")
# Closing signs are searched in these last characters only, to keep the time linear.
_CLOSING_CHARS = 20
_INNER_SLASHES = re.compile(r"(?<=\s)//+(?=[\sA-Za-z@])")
_SPACED_TAG = re.compile(r"\b(TO|FIX)[ -](DO|ME)\b")
_GLUED_TAG = re.compile(r"(?<![\w.:$])(?:(TODO|FIXME|XXX|HACK)\(|((?i:todo|fixme|xxx|hack)):(?!:))")
_DOC_TAG = re.compile(r"[@\\:]([a-z]{2,12})(?:$|[:{ ])")
_BULLETS = frozenset(("-", "*", "+", "o", "•"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its words in lower case, and its line."""

    words: Sequence[str]
    """The first is `START`; a tag is written `<todo>`, an ending is `?`, `??` or `...`."""
    tag: str
    """The tag at its start; empty if there is none."""
    line: int
    """From 0 for the first line of the comment."""


def read_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a comment; none if it has no words."""
    reader = _Reader()
    for number, line in enumerate(_clean(text).split("\n")):
        for part in _INNER_SLASHES.split(line) if "//" in line else (line,):
            reader.read_line(strip_signs(part), number)
    reader.finish()
    return reader.sentences


def strip_signs(line: str) -> str:
    """Return one line without comment signs."""
    line = line.strip()
    for _twice in range(2):  # real comments nest two: `/* // hack`, ` * <!-- fix -->`
        opening = _OPENING.match(line)
        if opening is None:
            break
        line = line[opening.end() :].lstrip()
    if line[-1:] in {"/", ")", ">", "}", "]"}:
        line = line[:-_CLOSING_CHARS] + _CLOSING.sub("", line[-_CLOSING_CHARS:])
    return line.rstrip()


def _clean(text: str) -> str:
    if not text.isprintable():
        text = _CONTROL.sub(" ", text)
    if not text.isascii():
        text = _IDEOGRAPHS.sub(r" \1 ", text).replace("\u2019", "'")
    if "{@" in text or "<" in text:
        text = _ELEMENT.sub(" ", _MARKUP.sub(f" {NAME} ", text))
    if "`" in text or '"' in text or "'" in text:
        text = _QUOTED.sub(f" {NAME} ", text)
    if ":" in text or "(" in text:
        text = _GLUED_TAG.sub(r"\1\2: ", text)
    if "TO" in text or "FIX" in text:
        text = _SPACED_TAG.sub(r"\1\2", text)
    return text.replace("...", " ... ").replace("(?)", " ? ")


class _Reader:
    """Collects sentences, line by line."""

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self._start("", 0)

    def _start(self, tag: str, line: int) -> None:
        self.tag = tag
        self.line = line
        self.words = [START, f"<{tag}>"] if tag else [START]

    def finish(self) -> None:
        """End the current sentence, if there is one."""
        if len(self.words) > 1:
            self.sentences.append(Sentence(self.words, self.tag, self.line))
        self._start("", self.line)

    def _end_paragraph(self) -> None:
        """End the sentence, unless it is only a tag: its text may follow."""
        if not self._is_waiting():
            self.finish()

    def _is_waiting(self) -> bool:
        return bool(self.tag) and self.words[-1] == f"<{self.tag}>"

    def read_line(self, line: str, number: int) -> None:
        """Read one line, already without comment signs."""
        parts = line.split()
        if not parts:
            self._end_paragraph()
            return
        if parts[0] in _BULLETS:
            self._end_paragraph()
            del parts[0]
        elif line[0] in "@\\:" and self._read_doc_tag(line, number):
            del parts[0]
        chunks = [read_chunk(part) for part in parts]
        is_code = _is_code(line, chunks)
        for place, chunk in enumerate(chunks):
            if chunk.tag or chunk.ends_sentence or is_code or len(self.words) == 1:
                self._read_chunk(chunk, number, is_first=place == 0, is_code=is_code)
            else:
                self.words.extend(chunk.words)

    def _read_doc_tag(self, line: str, number: int) -> bool:
        found = _DOC_TAG.match(line)
        if found is None or found[1] in TAGS:
            return False
        self.finish()
        self.line = number
        self.words.append(DOC_TAG)
        return True

    def _read_chunk(self, chunk: Chunk, number: int, *, is_first: bool, is_code: bool) -> None:
        is_first = not is_code and (is_first or len(self.words) == 1)
        if chunk.tag and _is_tag(chunk, is_first=is_first):
            self.finish()
            self._start(chunk.tag, number)
            self.words.extend(chunk.words[1:])
            return
        if len(self.words) == 1:
            self.line = number
        if is_code:
            self.words.append(NAME)
            return
        self.words.extend(chunk.words)
        if chunk.ends_sentence and not self._is_waiting():
            self.finish()


def _is_tag(chunk: Chunk, *, is_first: bool) -> bool:
    if is_first:
        return chunk.is_called or chunk.tag in TAGS or chunk.tag == "bug"
    if chunk.is_called:
        return chunk.is_loud or chunk.tag != "hack"  # also an ordinary word
    return chunk.is_loud and chunk.tag in TAGS and chunk.tag != "xxx"  # also a placeholder


def _is_code(line: str, chunks: Sequence[Chunk]) -> bool:
    """Whether a line is commented-out code and not a sentence."""
    is_ended = line[-1] in ";{}"
    strange = [chunk for chunk in chunks if chunk.is_name or chunk.is_operator]
    if not strange and not is_ended:
        return False
    plain = sum(len(it.words) for it in chunks) - sum(len(it.words) for it in strange)
    if is_ended or any(chunk.is_operator for chunk in strange):
        return plain <= max(3, len(strange))
    return plain <= 1 and line[-1] in ")],:"
