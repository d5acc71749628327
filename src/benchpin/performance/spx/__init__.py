"""Profiles of PHP made by SPX: full reports of 0.4 and 0.5, complete or damaged."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._reader import read_profile

__all__ = ["read_profile"]

__getattr__ = lazy(
    __name__,
    """
    _reader: read_profile
    """,
)
