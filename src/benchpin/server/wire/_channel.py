"""Where messages to a client go."""

from collections.abc import Awaitable, Callable
from typing import Protocol


class Channel(Protocol):
    """Takes the messages of a connection, or those about one request."""

    @property
    def can_ask(self) -> bool:
        """Whether requests to the client can be sent."""

    @property
    def release(self) -> Callable[[], Awaitable[None]] | None:
        """Closes the stream of the request; the client comes back for the rest."""

    async def send(self, message: bytes) -> None:
        """Send a notification or a request; wait while the client does not read."""

    async def answer(self, message: bytes) -> None:
        """Send the answer, after which nothing follows."""
