"""Content blocks of results and prompts: text, images, audio, resources and links to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str


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
