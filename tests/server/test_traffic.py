"""What operators and load balancers ask: probes, metrics, and an end without lost requests."""

import json
import signal
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest

from benchpin.core.calls import Limits
from benchpin.server import Unsent
from benchpin.server._request_log import OTHER, Traffic
from serving import network_server
from waiting import WAIT_S, ever_longer

STATELESS = "2026-07-28"


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    with closing(HTTPConnection(address, timeout=WAIT_S)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def is_open(address: str) -> bool:
    try:
        get(address, "/ready")
    except ConnectionError:
        return False
    return True


def call(address: str, tool: str, **arguments: object) -> int:
    prefix = "io.modelcontextprotocol/"
    envelope = {
        f"{prefix}protocolVersion": STATELESS,
        f"{prefix}clientInfo": {"name": "test", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": envelope}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": STATELESS,
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    with closing(HTTPConnection(address, timeout=WAIT_S)) as connection:
        connection.request("POST", "/mcp", json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


@pytest.mark.slow
def test_probes_need_no_token_and_metrics_do(workspace: Path) -> None:
    with network_server(workspace, auth_token="s3cr3t") as (address, _process):
        assert get(address, "/health") == (200, "ok")
        assert get(address, "/ready", host="pod.example") == (200, "ok")
        assert get(address, "/metrics")[0] == 401
        status, text = get(address, "/metrics", authorization="Bearer s3cr3t")

    assert status == 200
    assert "benchpin_requests_in_flight 0" in text


@pytest.mark.slow
def test_requests_are_counted_by_tool_and_outcome(workspace: Path) -> None:
    with network_server(workspace) as (address, _process):
        call(address, "echo", text="hi")
        call(address, "made_up_by_a_client")
        text = get(address, "/metrics")[1]

    assert 'benchpin_requests_total{name="echo",outcome="ok"} 1' in text
    assert 'benchpin_request_seconds_count{name="echo"} 1' in text
    assert "made_up_by_a_client" not in text


@pytest.mark.slow
def test_a_signal_closes_the_door_and_finishes_what_is_inside(workspace: Path) -> None:
    for seconds in ever_longer(1):
        if was_busy_behind_the_door(workspace, seconds):
            return
    pytest.fail("what was inside ended before the door was closed")


def was_busy_behind_the_door(workspace: Path, seconds: float) -> bool:
    """Whether a call that takes some time goes on after the server takes no more connections."""
    statuses: list[int] = []
    with network_server(workspace) as (address, process):
        busy = Thread(target=lambda: statuses.append(call(address, "sleep_async", seconds=seconds)))
        busy.start()
        while "benchpin_requests_in_flight 1" not in get(address, "/metrics")[1] and not statuses:
            pass
        process.send_signal(signal.SIGTERM)
        while is_open(address):
            pass
        was_busy = busy.is_alive()
        busy.join()
        assert process.wait(WAIT_S) == 0

    assert statuses == [200]
    return was_busy


def test_names_that_nobody_serves_share_one_label() -> None:
    traffic = Traffic({"echo"}.__contains__, lambda: 3, Unsent(Limits()))
    for name in ("echo", 'x"} 1\nforged 1', None):
        traffic.count(name, 0.02, None if name == "echo" else -32602)
    traffic.count("echo", 20.0, None, ["recalled", "recalled"])
    lines = traffic.text().splitlines()

    assert f'benchpin_requests_total{{name="{OTHER}",outcome="-32602"}} 2' in lines
    assert 'benchpin_request_seconds_bucket{name="echo",le="0.01"} 0' in lines
    assert 'benchpin_request_seconds_bucket{name="echo",le="0.05"} 1' in lines
    assert 'benchpin_measures_total{how="recalled"} 2' in lines
    assert "benchpin_calls_waiting 3" in lines
    assert "benchpin_unsent_peak_bytes 0" in lines
    assert "benchpin_requests_in_flight 0" in lines
    assert not any(line.startswith("forged") for line in lines)
