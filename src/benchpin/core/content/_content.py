"""Content blocks of results and prompts: text, images, audio, resources and links to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Text for a model or a person, or a document for a program."""

    text: str
    mime_type: str = "text/plain"
    summary: str = ""
    """A few lines that are shown when the text is too long to send and must not be cut."""

    @property
    def can_be_cut(self) -> bool:
        """Whether the beginning of the text is of use: half a JSON document does not parse."""
        return self.mime_type in {"text/plain", "text/markdown"}


@dataclass(frozen=True, slots=True)
class Image:
    """An image."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound recording."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource with its content."""

    uri: str
    mime_type: str
    body: str | bytes


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A resource that the client can read if it wants to."""

    uri: str
    name: str
    mime_type: str
    description: str = ""
    size_bytes: int | None = None


Content = Text | Image | Audio | EmbeddedResource | ResourceLink
