"""The result of a tool."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from .content import Content, ResourceLink, Text
from .control_characters import visible
from .schema import Schema, result_schema
from .text_style import PLAIN, TextStyle

_CONTINUE_HINT = "What was read so far is cached: call again, or allow more time."


def _is_empty(value: object) -> bool:
    return not value


class Result(BaseModel):
    """Base of every tool's result: frozen, typed, with a short text form."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
    )

    partial: bool = Field(default=False, exclude_if=_is_empty)
    """Whether something was left out, usually for lack of time."""
    missing: list[str] = Field(default_factory=list, exclude_if=_is_empty)
    """What was left out, in words."""
    _style: TextStyle = PrivateAttr(default_factory=lambda: PLAIN)

    @property
    def text_style(self) -> TextStyle:
        """How its text names arguments and marks severity."""
        return self._style

    def in_style(self, style: TextStyle) -> Self:
        """Return the same result with a text in another style."""
        copy = self.model_copy()
        copy._style = style  # noqa: SLF001 - a copy of this class
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
        return (*self.warnings(), self.text_block())

    def text_block(self) -> Text:
        """Return the text as content."""
        return Text(self.shown_text())

    def warnings(self) -> tuple[Text, ...]:
        """Return the warning that something is missing, to be shown first."""
        if not self.partial:
            return ()
        missing = "; ".join(self.missing)
        return (Text(visible(f"INCOMPLETE; left out: {missing}. {_CONTINUE_HINT}")),)

    def document(self) -> str | None:
        """Return the document that a pipe or a file gets instead of the text, if there is one."""
        return None

    def beside_document(self) -> str:
        """Return what a terminal shows when the document goes into a pipe or a file."""
        return self.to_text()

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
