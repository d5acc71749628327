"""A result that lists things, shown in the format that the caller asked for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from benchpin.core.content import Content, Image, Text
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result
from benchpin.core.text import visible
from benchpin.present.formats import MIME_TYPES, render
from benchpin.present.pictures import Drawn

from ._view import MACHINE_FORMATS, TEXT_FORMATS, View

if TYPE_CHECKING:
    from .page import Section


# Formats by the ending of a file, where they differ.
_FORMATS = {
    ".md": "markdown",
    ".htm": "html",
    ".txt": "full",
    ".mmd": "mermaid",
    ".gv": "dot",
    ".xml": "junit",
}


class Report(Result):
    """Base of results with a view."""

    view: ClassVar[View[Any]]
    format: Annotated[str, Field(exclude=True)] = "summary"
    """The format that the caller asked for."""
    picture: Annotated[str, Field(exclude=True)] = ""
    """The picture that svg and png have; the first one by default."""

    def to_text(self) -> str:
        return render(self)

    def is_verbatim(self) -> bool:
        """Whether the format has its own way to write control characters."""
        return self.format in MACHINE_FORMATS or self.format in {"html", "svg"}

    @classmethod
    def format_of(cls, suffix: str) -> str | None:
        """Return the format that the name of a file asks for."""
        return _FORMATS.get(suffix.lower(), suffix.lower().removeprefix(".") or None)

    def drawn(self) -> list[Drawn]:
        """Return the pictures of a page that have something to show."""
        found = (it.drawn(self) for it in self.view.pictures if not it.is_variant)
        return [it for it in found if it is not None]

    def chosen_picture(self) -> Drawn:
        """Return the picture that was asked for.

        Raises:
            InvalidParams: when it has nothing to show.
        """
        for picture in self.view.pictures:
            if self.picture in {"", picture.name} and (chosen := picture.drawn(self)) is not None:
                return chosen
        others = ", ".join(it.name for it in self.drawn())
        raise InvalidParams(
            f"There is nothing to draw for {self.picture or self.view.title!r}",
            suggestion=f"Choose a picture that has rows: {others}."
            if others
            else "Use format=full, which says what was found.",
        )

    def sections(self) -> Sequence["Section"]:
        """Return what a page shows beside pictures and tables; a result may have some."""
        return ()

    def svg(self) -> str:
        """Return the picture that was asked for as SVG.

        Raises:
            InvalidParams, DependencyMissing, DrawingFails: when it cannot be drawn.
        """
        from benchpin.present.pictures import to_svg  # noqa: PLC0415 - few results have one

        return to_svg(self.chosen_picture()) + "\n"

    def image(self) -> Image | None:
        """Return the picture as an image, if that is the format.

        Raises:
            InvalidParams, DependencyMissing, DrawingFails: when it cannot be drawn.
        """
        if self.format != "png":
            return None
        from benchpin.present.pictures import to_png  # noqa: PLC0415 - few results have one

        return Image(to_png(self.chosen_picture()), MIME_TYPES["png"])

    def to_content(self) -> Sequence[Content]:
        """Return the content blocks; a picture is an image, with a text for those who see none."""
        if self.format != "png" or (image := self.image()) is None:
            return super().to_content()
        return (*self.warnings(), self.text_block(), image, *self.closing())

    def text_block(self) -> Text:
        """Return the text with its MIME type; a document for programs also with its headline."""
        block = Text(self.shown_text(), self.text_type())
        if block.can_be_cut:
            return block
        return replace(block, summary=visible("\n".join(self.view.headline(self))))

    def text_type(self) -> str:
        """Return the MIME type of the text; beside a PNG it is plain."""
        return "text/plain" if self.format == "png" else MIME_TYPES.get(self.format, "text/plain")

    def closing_note(self) -> str:
        """Return what the format itself cannot hold: the footer of a page, what is left out."""
        if self.format in TEXT_FORMATS:
            return ""
        has_footer = self.format in {*MACHINE_FORMATS, "svg", "png"}
        footer = self.footer() if has_footer else ""
        return "\n".join(it for it in (footer, self.assurance_line()) if it)

    def footer(self) -> str:
        """Return the line that leads to the next page; empty on the last one."""
        cursor = getattr(self, "next_cursor", None)
        if cursor is None or not self.view.tables:
            return ""
        return self.next_page(getattr(self, "total", None), cursor)

    def next_page(self, total: int | None, cursor: str) -> str:
        of = "an unknown number" if total is None else f"{total:,}"
        return self.text_style.hint(f"{self.shown_rows():,} of {of}; next_cursor={cursor}")

    def shown_rows(self) -> int:
        return len(self.view.page.rows(self))
