"""What a tool sees of the program that called it."""

from collections.abc import Mapping
from typing import Protocol


class Client(Protocol):
    """The program at the other end, where it can be asked something back."""

    def answers(self, method: str) -> bool:
        """Whether it said that it answers requests such as `elicitation/create`."""

    async def request(
        self, method: str, params: Mapping[str, object], name: str = ""
    ) -> Mapping[str, object]:
        """Send a request of the protocol, such as `elicitation/create`, and await the answer.

        Without a connection the call ends here and runs again, from its start, when the client
        sends the answer: ask before anything is changed. `name` tells several requests apart.
        """

    async def request_all(
        self, asked: Mapping[str, tuple[str, Mapping[str, object]]]
    ) -> Mapping[str, Mapping[str, object]]:
        """Send several requests, each by a name, and await all answers."""

    async def release_stream(self) -> None:
        """Let a client that waits on an HTTP stream go and come back for the answer later."""
