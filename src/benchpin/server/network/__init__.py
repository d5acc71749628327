"""Serve clients over Streamable HTTP and WebSocket."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bucket import TokenBucket
    from ._network import serve_network

__all__ = ["TokenBucket", "serve_network"]

__getattr__ = lazy(
    __name__,
    """
    _bucket: TokenBucket
    _network: serve_network
    """,
)
