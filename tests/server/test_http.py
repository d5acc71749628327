"""HTTP sessions: what one has, no other sees."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchpin.server.network._http_response import LISTENING, EventLog, SessionEvents
from serving import network_server
from waiting import WAIT_S
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


def counting(request_id: int, items: int = 3) -> dict[str, Any]:
    """Return a call that reports progress, so that its answer is a stream."""
    message = call("count_slowly", request_id, items=items)
    message["params"]["_meta"] = {"progressToken": request_id}
    return message


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give one open server for the whole module."""
    with network_server(tmp_path_factory.mktemp("workspace")) as (host, _process):
        yield host


@contextmanager
def sessions(address: str, count: int) -> Iterator[list[HttpSession]]:
    """Open sessions on a server."""
    with ExitStack() as stack:
        url = f"http://{address}"
        headers = {**ACCEPT, **VERSION}
        clients = [
            httpx2.Client(base_url=url, headers=headers, timeout=WAIT_S) for _ in range(count)
        ]
        yield [HttpSession(stack.enter_context(client)) for client in clients]


def test_a_session_never_receives_what_belongs_to_another(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 2) as (mine, theirs),
    ):
        answered = mine.ask(counting(7, 3))
        theirs.ask(counting(7, 4))
        [first, *_] = field(answered, "id")
        resume = {"last-event-id": first, "accept": "text/event-stream"}
        replayed = mine.http.get("/mcp", headers=resume).text
        assert field(replayed, "data") == field(answered, "data")
        assert theirs.http.get("/mcp", headers=resume).status_code == 404


def test_a_client_that_comes_back_before_the_answer_gets_it_as_an_event(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 1) as (mine,),
    ):
        released = mine.ask(call("test_reconnection"))
        [first] = field(released, "id")
        resume = {"last-event-id": first, "accept": "text/event-stream"}
        answered = mine.http.get("/mcp", headers=resume)
        assert answered.headers["content-type"] == "text/event-stream"
        assert "Reconnection test completed." in field(answered.text, "data")[-1]


def test_a_value_that_does_not_fit_is_named(workspace: Path) -> None:
    with network_server(workspace) as (address, _process), sessions(address, 1) as (mine,):
        for params in ({"category": 5}, {"cursor": 5}):
            error = json.loads(mine.ask(request("prompts/list", 1, **params)))["error"]
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
        assert "result" in json.loads(session.ask(call("count_slowly", 4, items=1)))


def test_a_client_is_told_when_to_come_back(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 1) as [session],
    ):
        assert field(session.ask(counting(1)), "retry") == ["1000"]


def test_an_answer_is_plain_json_if_nothing_comes_before_it(workspace: Path) -> None:
    with (
        network_server(workspace) as (address, _process),
        sessions(address, 1) as [session],
    ):
        plain = session.http.post("/mcp", json=call("echo", 1, text="x"))
        assert plain.headers["content-type"] == "application/json"
        assert plain.json()["result"]["structuredContent"] == {"text": "x"}
        only_events = {"accept": "text/event-stream"}
        stream = session.http.post("/mcp", json=call("echo", 2, text="x"), headers=only_events)
        assert stream.headers["content-type"] == "text/event-stream"
        only_json = {"accept": "application/json"}
        silent = session.http.post("/mcp", json=counting(3), headers=only_json)
        assert silent.json()["id"] == 3


def test_a_batch_is_answered_as_one_where_the_version_has_batches(workspace: Path) -> None:
    batch = [request("ping", 1), {"jsonrpc": "2.0", "method": "notifications/x"}, {"id": 5}]
    with (
        network_server(workspace) as (address, _process),
        httpx2.Client(base_url=f"http://{address}", headers=ACCEPT, timeout=WAIT_S) as http,
    ):
        for version, status in (("2025-03-26", 200), ("2025-11-25", 400)):
            params = {**HANDSHAKE["params"], "protocolVersion": version}
            opened = http.post("/mcp", json={**HANDSHAKE, "params": params})
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            answer = http.post("/mcp", json=batch, headers=session)
            assert answer.status_code == status
            if status == 200:
                assert {item["id"] for item in answer.json()} == {1, 5}
                quiet = http.post("/mcp", json=batch[1:2], headers=session)
                assert quiet.status_code == 202


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}', -32700),
        (b"{nope", -32700),
    ],
)
def test_a_bad_message_is_answered_as_json_rpc_says(address: str, body: bytes, code: int) -> None:
    stateless = {"mcp-protocol-version": "2026-07-28", "mcp-method": "ping"}
    with sessions(address, 1) as [session]:
        for headers in ({}, stateless):
            answer = session.http.post("/mcp", content=body, headers=headers)
            assert answer.status_code == 400
            assert (answer.json()["id"], answer.json()["error"]["code"]) == (None, code)


def test_an_ended_session_is_gone(address: str) -> None:
    with sessions(address, 1) as [session]:
        assert session.http.delete("/mcp").status_code == 200
        assert session.http.post("/mcp", json=request("ping")).status_code == 404
        assert session.http.put("/mcp").status_code == 405


def test_a_second_listener_of_a_session_is_refused(address: str) -> None:
    accept = {"accept": "text/event-stream"}
    with sessions(address, 1) as [session], session.http.stream("GET", "/mcp", headers=accept):
        assert session.http.get("/mcp", headers=accept).status_code == 409


async def test_events_are_replayed_to_their_own_session_and_stream_alone() -> None:
    log = EventLog()
    one, two = SessionEvents(log), SessionEvents(log)
    first = one.add(one.new_stream(), b"")
    one.add(LISTENING, b"elsewhere")
    later = one.add(1, b"later")
    two.add(1, b"of another")
    found = one.find(first)
    assert found is not None
    following = one.next(found)
    assert following is not None
    assert (one.id_of(following.number), following.message) == (later, b"later")
    assert one.next(following) is None
    assert two.find(first) is None


async def test_an_ended_session_stores_no_more_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchpin.server.network._http_response._MAX_BYTES", 100)
    log = EventLog()
    ended, other = SessionEvents(log), SessionEvents(log)
    ended.close()
    late = [ended.add(1, b"x" * 60) for _ in range(3)]
    assert len(set(late)) == 3
    assert ended.find(late[-1]) is None
    assert log.size_bytes == 0
    assert other.find(other.add(1, b"y" * 30)) is not None
    assert log.size_bytes == 30


async def test_the_event_log_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchpin.server.network._http_response._MAX_EVENTS", 10)
    monkeypatch.setattr("benchpin.server.network._http_response._MAX_BYTES", 100)
    log = EventLog()
    small, big = SessionEvents(log), SessionEvents(log)
    ids = [small.add(1, b"x") for _ in range(50)]
    assert [small.find(event_id) is not None for event_id in ids] == [False] * 40 + [True] * 10
    for _ in range(9):
        big.add(1, b"y" * 30)
    assert log.size_bytes <= 100
    assert small.find(ids[-1]) is not None
    big.close()
    assert log.size_bytes == small.size_bytes == 10
