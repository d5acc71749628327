"""A result that lists things, shown in the format that the caller asked for."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import Field

from .content import Text
from .control_characters import visible
from .formats import MIME_TYPES, render
from .result import Result
from .view import MACHINE_FORMATS, TEXT_FORMATS, View


class Report(Result):
    """Base of results with a view."""

    view: ClassVar[View[Any]]
    format: Annotated[str, Field(exclude=True)] = "summary"
    """The format that the caller asked for."""

    def to_text(self) -> str:
        """Return the report in the format that was asked for."""
        return render(self)

    def is_verbatim(self) -> bool:
        """Whether the format has its own way to write control characters."""
        return self.format in MACHINE_FORMATS

    def text_block(self) -> Text:
        """Return the text with its MIME type; a document for programs also with its headline."""
        block = Text(self.shown_text(), MIME_TYPES.get(self.format, "text/plain"))
        if block.can_be_cut:
            return block
        return replace(block, summary=visible("\n".join(self.view.headline(self))))

    def closing_note(self) -> str:
        """Return what the format itself cannot hold: the footer of a page, what is left out."""
        if self.format in TEXT_FORMATS:
            return ""
        footer = self.footer() if self.format in MACHINE_FORMATS else ""
        return "\n".join(it for it in (footer, self.assurance_line()) if it)

    def footer(self) -> str:
        """Return the line that leads to the next page; empty on the last one."""
        cursor = getattr(self, "next_cursor", None)
        if cursor is None or not self.view.tables:
            return ""
        return self.next_page(getattr(self, "total", None), cursor)

    def next_page(self, total: int | None, cursor: str) -> str:
        """Return the line that leads to the page of a cursor."""
        of = "an unknown number" if total is None else f"{total:,}"
        return self.text_style.hint(f"{self.shown_rows():,} of {of}; next_cursor={cursor}")

    def shown_rows(self) -> int:
        """Return how many items the page has."""
        return len(self.view.page.rows(self))
