"""Signs of life for clients that wait."""

import asyncio
from typing import cast

import pytest

from benchpin.server.network import _http_response as http_response
from benchpin.server.network._http_response import Pinger, PostAnswer
from waiting import WAIT_S


class Waiting:
    """An answer that is not there yet."""

    def __init__(self, pings: int) -> None:
        self.enough = asyncio.Event()
        self._left = pings

    async def ping(self) -> None:
        """Count."""
        self._left -= 1
        if not self._left:
            self.enough.set()


async def test_every_client_that_waits_is_pinged_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_response, "PING_S", 0.001)
    pinger = Pinger()
    waiting = [Waiting(pings=3) for _ in range(3)]
    for it in waiting:
        pinger.add(cast("PostAnswer", it))
    await asyncio.wait_for(asyncio.gather(*(it.enough.wait() for it in waiting)), WAIT_S)
    for it in waiting:
        pinger.remove(cast("PostAnswer", it))


async def test_a_client_is_pinged_no_more_once_it_has_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_response, "PING_S", 0.001)
    pinger = Pinger()
    answered, waiting = Waiting(pings=1), Waiting(pings=2)
    pinger.add(cast("PostAnswer", answered))
    pinger.add(cast("PostAnswer", waiting))
    pinger.remove(cast("PostAnswer", answered))
    await asyncio.wait_for(waiting.enough.wait(), WAIT_S)
    assert not answered.enough.is_set()
