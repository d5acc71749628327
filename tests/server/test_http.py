"""HTTP sessions: what one has, no other sees."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from benchpin.server.events import EventLog, SessionEvents
from serving import network_server
from wire import HANDSHAKE, call, request

pytestmark = pytest.mark.slow

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
VERSION = {"mcp-protocol-version": "2025-11-25"}


def field(body: str, name: str) -> list[str]:
    """Return the values of one field of an event stream."""
    prefix = f"{name}:"
    lines = (line for line in body.splitlines() if line.startswith(prefix))
    return [value for line in lines if (value := line.removeprefix(prefix).strip())]


class HttpSession:
    """One HTTP session, spoken to by hand."""

    def __init__(self, http: httpx2.Client) -> None:
        self.http = http
        self.id = http.post("/mcp", json=HANDSHAKE).headers["mcp-session-id"]
        http.headers["mcp-session-id"] = self.id
        http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, message: object) -> str:
        """Return the body of an answer."""
        return self.http.post("/mcp", json=message).text


@contextmanager
def sessions(address: str, count: int) -> Iterator[list[HttpSession]]:
    """Open sessions on a server."""
    with ExitStack() as stack:
        url = f"http://{address}"
        headers = {**ACCEPT, **VERSION}
        clients = [httpx2.Client(base_url=url, headers=headers, timeout=20) for _ in range(count)]
        yield [HttpSession(stack.enter_context(client)) for client in clients]


def test_a_session_never_receives_what_belongs_to_another(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 2) as (mine, theirs),
    ):
        [first, *_] = field(mine.ask(call("echo", 7, text="mine")), "id")
        theirs.ask(call("echo", 7, text="SECRET OF ANOTHER"))
        seen = ""
        resume = {"last-event-id": first, "accept": "text/event-stream"}
        with mine.http.stream("GET", "/mcp", headers=resume) as stream:
            for line in stream.iter_lines():
                seen += line
                if "mine" in line:
                    break
        assert "SECRET" not in seen


def test_a_value_that_does_not_fit_is_named(workspace: Path) -> None:
    with network_server(workspace) as (address, _process), sessions(address, 1) as (mine,):
        for params in ({"category": 5}, {"cursor": 5}):
            [answer] = field(mine.ask(request("prompts/list", 1, **params)), "data")
            error = json.loads(answer)["error"]
            assert error["code"] == -32602
            assert "Input should be a valid string, not 5" in error["message"]
            assert error["data"]["kind"] == "invalid_params"


def test_sessions_outlive_connections_without_locking_others_out(workspace: Path) -> None:
    limits = {"connections": 5, "burst": 10_000}
    with (
        network_server(workspace, limits=limits) as (address, _process),
        sessions(address, 20) as opened,
    ):
        assert len({session.id for session in opened}) == 20


def test_made_up_session_ids_do_not_disturb_real_sessions(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 1) as [session],
    ):
        session.ask(request("logging/setLevel", 2, level="error"))
        for number in range(150):
            made_up = {"mcp-session-id": f"made-up-{number}"}
            answer = session.http.post("/mcp", json=request("ping", 3), headers=made_up)
            assert answer.status_code == 404
        messages = field(session.ask(call("count_slowly", 4, items=1)), "data")
        assert [json.loads(message).get("method") for message in messages] == [None]


def test_a_client_is_told_when_to_come_back(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 1) as [session],
    ):
        assert field(session.ask(call("echo", 1, text="x")), "retry") == ["1000"]


async def test_events_are_replayed_to_their_own_session_and_stream_alone() -> None:
    log = EventLog()
    one, two = SessionEvents(log), SessionEvents(log)
    first = await one.store_event("7", None)
    await two.store_event("7", None)
    replayed: list[object] = []

    async def collect(event: object) -> None:
        replayed.append(event)

    assert await one.replay_events_after(first, collect) == "7"
    assert await two.replay_events_after(first, collect) is None
    assert replayed == []


async def test_the_event_log_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchpin.server.events._MOST_EVENTS", 10)
    log = EventLog()
    session = SessionEvents(log)
    ids = [await session.store_event("s", None) for _ in range(50)]
    assert list(log.events) == ids[-10:]
