"""Split a comment, in any language, into sentences of plain words.

Comment signs, markup, quotations and commented-out code are removed. A tag such as TODO starts a
sentence. The time is linear in the length: each character is read a bounded number of times.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._chunks import NAME, TAGS, Chunk, read_chunk

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
