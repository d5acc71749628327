"""Serve clients over Streamable HTTP and WebSocket."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._network import serve_network

__all__ = ["serve_network"]

__getattr__ = lazy(__name__)
