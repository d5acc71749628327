"""Reports in every format, one module each, rendered from the view that a report declares."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._html import content
    from ._markdown import code, escaped, table_lines
    from ._rendering import MIME_TYPES, render

__all__ = ["MIME_TYPES", "code", "content", "escaped", "render", "table_lines"]

__getattr__ = lazy(__name__)
