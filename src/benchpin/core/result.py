"""What a tool returns."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from .content import Content, ResourceLink, Text
from .schema import Schema, result_schema

GO_ON = "Files that were read are kept: call again, or give it more time."


def _is_empty(value: object) -> bool:
    return not value


class Result(BaseModel):
    """Base of every tool's result: frozen, typed, and able to say itself in a few lines."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
    )

    partial: bool = Field(default=False, exclude_if=_is_empty)
    """Whether something was left out, mostly because time ran out."""
    missing: list[str] = Field(default_factory=list, exclude_if=_is_empty)
    """What was left out, in words."""

    @abstractmethod
    def to_text(self) -> str:
        """Return the few lines that a model or a person reads; never the JSON again."""

    def to_content(self) -> Sequence[Content]:
        """Return what is shown; a text unless a result has something richer to offer."""
        return (*self.warnings(), Text(self.to_text()))

    def warnings(self) -> tuple[Text, ...]:
        """Return what must be read before the rest: that something is missing."""
        if not self.partial:
            return ()
        missing = "; ".join(self.missing)
        return (Text(f"INCOMPLETE; left out: {missing}. {GO_ON}"),)

    def document(self) -> str | None:
        """Return what a pipe or a file gets in place of the few lines, where that is the point."""
        return None

    def is_failure(self) -> bool:
        """Whether a command that shows it ends with exit code 1, all the same."""
        return False

    def metadata(self) -> Mapping[str, object] | None:
        """Return what stands beside `content` as `metadata`, where a protocol asks for it."""
        return None

    @classmethod
    def json_schema(cls) -> Schema:
        """Return what `tools/list` publishes as the output schema."""
        return result_schema(cls)


class Abridged(Result):
    """Base of results that are stored as a whole when their lists are too long to send."""

    stored: str | None = None
    """Where the whole report is, when lists were cut here."""
    stored_bytes: int = Field(default=0, exclude=True)

    def to_content(self) -> Sequence[Content]:
        """Return the report, and a link to all of it when something was cut."""
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
