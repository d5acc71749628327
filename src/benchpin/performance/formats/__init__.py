"""Readers of the formats that profilers write, each recognised by its content."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._readers import FORMATS, profile_format, read_format

__all__ = ["FORMATS", "profile_format", "read_format"]

__getattr__ = lazy(
    __name__,
    """
    _readers: FORMATS profile_format read_format
    """,
)
