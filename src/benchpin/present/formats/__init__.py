"""Reports in every format, one module each, rendered from the view that a report declares."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._html import content
    from ._rendering import MIME_TYPES, render

__all__ = ["MIME_TYPES", "content", "render"]

__getattr__ = lazy(
    __name__,
    """
    _html: content
    _rendering: MIME_TYPES render
    """,
)
