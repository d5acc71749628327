"""All runners, and which of them a project has."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._choice import choose_runner

__all__ = ["choose_runner"]

__getattr__ = lazy(
    __name__,
    """
    _choice: choose_runner
    """,
)
