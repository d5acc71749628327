"""Python."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from .imports import PythonResolver

__all__ = ["PythonResolver"]

__getattr__ = lazy(__name__)
