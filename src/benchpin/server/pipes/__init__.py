"""Serve one client over stdin and stdout."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._pipes import Oversized
    from ._stdio import serve_stdio

__all__ = ["Oversized", "serve_stdio"]

__getattr__ = lazy(__name__)
