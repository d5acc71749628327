"""C."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._macro_statements import read_cpp_macros

__all__ = ["read_cpp_macros"]

__getattr__ = lazy(__name__)
