"""The result of a tool."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import not_
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from benchpin.core.calls import HowMade
from benchpin.core.content import Content, ResourceLink, Text
from benchpin.core.text import PLAIN, TextStyle, by_reason, plain, visible
from benchpin.core.tools import Schema, result_schema

NOW = "now"
_MAX_NAMED = 5
_CERTAIN = "1.00"
# Reasons to skip a file that no rule of the selection gives: what is in it was asked for.
_NOT_BY_RULE = frozenset(
    {
        "ignore rules over a limit",
        "not permitted",
        "past the size limit of a pack",
        "too large",
        "unreadable",
    }
)
_CONTINUE_HINT = "What was read so far is cached: call again, or allow more time."


# How whole, how fresh and how sure an answer is, said in one form by every tool.
#
# A result declares what it lacks, when it is from, and how sure its rows are (`lacks`, `as_of` and
# `confidences` of `Result`). Programs read the whole statement in `_meta`, where it costs a model
# nothing. The text has one line, and only if there is something to say: without it, an answer is
# whole, from the files as they were when the call ran, and its rows are facts, not estimates.


@dataclass(frozen=True, slots=True)
class Assurance:
    """What an answer says about itself."""

    left_out: Sequence[str] = ()
    """What was asked for and is not in the answer, in words."""
    has_more: bool = False
    """Whether there is a next page."""
    as_of: str = NOW
    confidence: tuple[float, float] | None = None
    """The lowest and the highest confidence of its rows, if they have one; 1 is certain."""
    measures: Mapping[str, HowMade] = field(default_factory=dict)
    """How each measure came about that is kept from call to call; for programs only."""

    def to_fields(self) -> dict[str, object]:
        """Return the statement for programs."""
        fields: dict[str, object] = {"whole": not (self.left_out or self.has_more)}
        fields["as_of"] = self.as_of
        if self.left_out:
            fields["left_out"] = list(self.left_out)
        if self.confidence is not None:
            fields["confidence"] = list(self.confidence)
        if self.measures:
            fields["measures"] = dict(sorted(self.measures.items()))
        return fields

    def to_line(self) -> str:
        """Return the line for a model or a person; empty if there is nothing to say."""
        parts = []
        if self.left_out:
            shown = "; ".join(self.left_out[:_MAX_NAMED])
            more = len(self.left_out) - _MAX_NAMED
            parts.append(f"left out: {shown}" + (f"; {more:,} more" if more > 0 else ""))
        if self.as_of != NOW:
            parts.append(f"as of {self.as_of}")
        if self.confidence is not None:
            low, high = (f"{it:.2f}" for it in self.confidence)
            if low != _CERTAIN:
                parts.append(f"confidence {low}" if low == high else f"confidence {low} to {high}")
        return visible(f"[{'; '.join(parts)}]") if parts else ""


def not_read(skipped: Mapping[str, int]) -> list[str]:
    """Return, in words, the skipped files that a selection would have taken."""
    lacking = {reason: count for reason, count in skipped.items() if reason in _NOT_BY_RULE}
    return [by_reason(lacking)] if lacking else []


def not_selected(skipped: Mapping[str, int]) -> list[str]:
    """Return a line about the files that the rules of a selection skip."""
    chosen = {reason: count for reason, count in skipped.items() if reason not in _NOT_BY_RULE}
    return [f"skipped: {by_reason(chosen)}"] if chosen else []


def not_measured(reasons: Mapping[str, str]) -> list[str]:
    """Return, in words, the parts of an answer that could not be measured."""
    return [f"{name} ({plain(reason)})" for name, reason in reasons.items()]


class Result(BaseModel):
    """Base of every tool's result: frozen, typed, with a short text form."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
    )

    partial: bool = Field(default=False, exclude_if=not_)
    """Whether something was left out, usually for lack of time."""
    missing: list[str] = Field(default_factory=list, exclude_if=not_)
    """What was left out, in words."""
    _style: TextStyle = PrivateAttr(default_factory=lambda: PLAIN)
    _measures: dict[str, HowMade] = PrivateAttr(default_factory=dict)

    @property
    def text_style(self) -> TextStyle:
        """How its text names arguments and marks severity."""
        return self._style

    def in_style(self, style: TextStyle) -> Self:
        """Return the same result with a text in another style."""
        copy = self.model_copy()
        copy._style = style  # noqa: SLF001 - a copy of this class
        return copy

    def made_from(self, measures: Mapping[str, HowMade]) -> Self:
        """Return the same result, which says how each of its measures came about."""
        copy = self.model_copy()
        copy._measures = dict(measures)  # noqa: SLF001 - a copy of this class
        return copy

    @abstractmethod
    def to_text(self) -> str:
        """Return the few lines that a model or a person reads; not the JSON again."""

    def shown_text(self) -> str:
        """Return the text without control characters, unless it is the content of something."""
        return self.to_text() if self.is_verbatim() else visible(self.to_text())

    def is_verbatim(self) -> bool:
        """Whether the text is a document or the content of a file, to be passed on unchanged."""
        return False

    def to_content(self) -> Sequence[Content]:
        """Return the content blocks; one text unless a result overrides it."""
        warnings = self.warnings() if self.partial else ()
        return (*warnings, self.text_block(), *self.closing())

    def text_block(self) -> Text:
        """Return the text as content."""
        return Text(self.shown_text(), self.text_type())

    def text_type(self) -> str:
        """Return the MIME type of the text."""
        return "text/plain"

    def warnings(self) -> tuple[Text, ...]:
        """Return the warning that something is missing, to be shown first."""
        if not self.partial:
            return ()
        missing = "; ".join(self.missing)
        return (Text(visible(f"INCOMPLETE; left out: {missing}. {_CONTINUE_HINT}")),)

    def lacks(self) -> Sequence[str]:
        """Return what the result lacks beside `missing`, in words: calling again does not help."""
        return [lack for it in self._coverage() for lack in it.lacks()]

    def nothing(self) -> str:
        """Return why the result is about nothing; empty if it is about something."""
        reasons = "" if self.partial else (it.nothing() for it in self._coverage())
        return next(filter(None, reasons), "")

    def _coverage(self) -> Iterator["Coverage"]:
        fields = (getattr(self, name) for name in type(self).model_fields)
        return (it for it in fields if isinstance(it, Coverage))

    def as_of(self) -> str:
        """Return when the result is from: now, or the stored thing that it was read from."""
        return NOW

    def confidences(self) -> Iterable[float | None]:
        """Return how sure each row is, where rows say so."""
        return ()

    def assurance(self) -> Assurance:
        """Return how whole, how fresh and how sure the result is."""
        known = [it for it in self.confidences() if it is not None]
        return Assurance(
            left_out=(*self.missing, *self.lacks()),
            has_more=self.has_more(),
            as_of=self.as_of(),
            confidence=(min(known), max(known)) if known else None,
            measures=self._measures,
        )

    def has_more(self) -> bool:
        """Whether there is a next page."""
        return getattr(self, "next_cursor", None) is not None

    def assurance_line(self) -> str:
        """Return the line of the text; `missing` is in the warning before it."""
        said = self.assurance()
        if self.missing:
            said = replace(said, left_out=self.lacks())
        if not self.text_style.says_confidence:
            said = replace(said, confidence=None)
        return self.text_style.hint(said.to_line())

    def closing_note(self) -> str:
        """Return what to show after the text."""
        return self.assurance_line()

    def closing(self) -> tuple[Text, ...]:
        """Return the closing note as content."""
        note = self.closing_note()
        return (Text(note),) if note else ()

    def document(self) -> str | None:
        """Return the document that a pipe or a file gets instead of the text, if there is one."""
        return None

    def beside_document(self) -> str:
        """Return what a terminal shows when the document goes into a pipe or a file."""
        return self.to_text()

    @classmethod
    def format_of(cls, suffix: str) -> str | None:  # noqa: ARG003 - for those that choose by it
        """Return the format that the name in `--output FILE.suffix` asks for, if it does."""
        return None

    def written_file(self, suffix: str) -> Path | None:  # noqa: ARG002 - for those that choose by it
        """Return the file that the tool wrote, which `--output FILE.suffix` is a copy of."""
        return None

    def is_failure(self) -> bool:
        """Whether a command exits with code 1, and MCP marks the result as an error."""
        return False

    def failure_note(self) -> str:
        """Return why a command fails, for stderr when stdout has a format for programs."""
        return ""

    def exit_status(self) -> int:
        """Return the exit status of a command that shows this result."""
        return 1 if self.is_failure() else 0

    def metadata(self) -> Mapping[str, object] | None:
        """Return the `metadata` beside `content`, if a protocol requires it."""
        return None

    @classmethod
    def json_schema(cls) -> Schema:
        """Return what `tools/list` publishes as the output schema."""
        return result_schema(cls)


class Abridged(Result):
    """Base of results that may be too long to send: lists are cut, and the whole is stored."""

    stored: str | None = None
    """The URI of the whole report, if lists were cut here."""
    stored_bytes: int = Field(default=0, exclude=True)

    def lacks(self) -> Sequence[str]:
        """Return what the result lacks: the rest of the lists that were cut, too."""
        cut = [] if self.stored is None else [f"the rest of long lists: read_result {self.stored}"]
        return [*super().lacks(), *cut]

    def to_content(self) -> Sequence[Content]:
        """Return the report, and a link to the whole if something was cut."""
        if self.stored is None:
            return super().to_content()
        name = self.stored.removeprefix("result://")
        link = ResourceLink(
            self.stored, name, "application/json", "The whole report", self.stored_bytes
        )
        return (*super().to_content(), link)


class Item(BaseModel):
    """Base of the objects inside a result."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
    )


class Coverage(Item):
    """Base of the objects that say which files a result is about."""

    @abstractmethod
    def lacks(self) -> Sequence[str]:
        """Return what could not be read or measured, in words."""

    def nothing(self) -> str:
        """Return why the result is about nothing; empty if it is about something."""
        return ""
