"""What a result or a prompt can show: text, pictures, sound, resources and links to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource, carried along whole."""

    uri: str
    mime_type: str
    body: str | bytes


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A resource to be read when it is wanted."""

    uri: str
    name: str
    mime_type: str
    description: str = ""
    size_bytes: int | None = None


Content = Text | Image | Audio | EmbeddedResource | ResourceLink
