"""A real process over real pipes."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from long_texts import Long, whole
from serving import TESTS, StdioServer, stdio_server
from waiting import WAIT_S
from wire import call, request

pytestmark = pytest.mark.slow

MIB = 2**20

BAD_INPUT: dict[str, tuple[bytes | Long[bytes], int]] = {
    "malformed JSON": (b"{nope", -32700),
    "half an object": (b'{"jsonrpc":"2.0",', -32700),
    "several values on one line": (b"{} {}", -32700),
    "a bare number": (b"5", -32600),
    "a wrong jsonrpc": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    "a missing method": (b'{"jsonrpc":"2.0","id":1}', -32600),
    "params of a wrong type": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":7}', -32602),
    "an id of a wrong type": (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
    "a name of a wrong type": (json.dumps(request("tools/call", name=5)).encode(), -32602),
    "a 5 MB line": (Long(b"x", 5_000_000), -32600),
    "a 5 MB request": (
        Long(b"y", 5_000_000, *json.dumps(call("echo", text="|")).encode().split(b"|")),
        -32600,
    ),
    "100,000 open brackets": (b"[" * 100_000, -32700),
    "100,000 nested arrays": (b"[" * 100_000 + b"]" * 100_000, -32700),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700),
    "a byte order mark": (b"\xef\xbb\xbf" + json.dumps(request("ping")).encode(), -32700),
    "NUL bytes": (b"\x00\x00\x00", -32700),
    "a NUL inside a string": (b'{"jsonrpc":"2.0","id":1,"method":"pi\x00ng"}', -32700),
    "an empty batch": (b"[]", -32600),
    "an integer of 10,000 digits": (b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b"}", -32700),
    "an unknown method": (json.dumps(request("nope")).encode(), -32601),
}


@pytest.fixture(scope="module")
def hardened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioServer]:
    """Give one server that takes all the bad input in turn."""
    with stdio_server(tmp_path_factory.mktemp("workspace")) as server:
        server.ask(request("ping"))
        yield server


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_answered_and_the_next_request_is_served(
    hardened: StdioServer, name: str
) -> None:
    line, code = BAD_INPUT[name]
    answer = hardened.ask(whole(line))
    assert answer["error"]["code"] == code
    assert answer["error"]["data"]
    good = hardened.ask(call("echo", 2, text="still here"))
    assert good["result"]["structuredContent"] == {"text": "still here"}


def test_memory_stays_bounded_under_lines_that_never_end(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.ask(request("ping"))
        before = server.resident_mib()
        for _ in range(100):
            server.send_raw(b"x" * MIB)
        server.send_raw(b"\n")
        answer = server.receive()
        assert answer["error"]["data"]["size_bytes"] == 100 * MIB
        assert answer["error"]["data"]["limit_bytes"] == MIB
        assert server.resident_mib() - before < 20
        assert server.ask(request("ping"))["result"] == {"pong": True}


def test_a_request_that_is_too_long_is_refused_under_its_id(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        answer = server.ask(call("echo", 77, text="y" * 2 * MIB))
        assert (answer["id"], answer["error"]["code"]) == (77, -32600)


def test_a_batch_of_ten_thousand_is_answered_within_the_rate(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.ask(request("ping"))
        before = server.resident_mib()
        batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(10_000)]
        answers = server.ask(batch)
        assert sorted(answer["id"] for answer in answers) == list(range(10_000))
        refused = [answer for answer in answers if "error" in answer]
        assert {answer["error"]["code"] for answer in refused} == {-32003}
        assert len(answers) - len(refused) >= 999
        assert server.resident_mib() - before < 50


def test_a_client_that_does_not_read_does_not_grow_the_server(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.ask(request("ping"))
        before = server.resident_mib()
        for number in range(500):
            server.send(call("make_big", number, rows=1_000))
            if number == 130:
                break
        server.memory.cpu_percent(interval=1.0)
        assert server.resident_mib() - before < 128
        answers = [server.receive() for _ in range(131)]
        assert {answer["id"] for answer in answers} == set(range(131))


def test_the_input_ends_with_fifty_slow_requests_in_flight(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        for number in range(50):
            tool = "sleep_for" if number % 2 else "sleep_async"
            server.send(call(tool, number, seconds=0.5))
        answers = server.end()
        assert sorted(answer["id"] for answer in answers) == list(range(50))
        assert all("result" in answer for answer in answers)
        assert server.process.returncode == 0


def test_half_a_line_and_then_the_end_is_answered(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.send_raw(b'{"jsonrpc":"2.0","id":1,"met')
        [answer] = server.end()
        assert answer["error"]["code"] == -32700
        assert server.process.returncode == 0


def test_a_last_line_without_its_end_is_served(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.send_raw(json.dumps(call("echo", text="hi")).encode())
        [answer] = server.end()
        assert answer["result"]["structuredContent"] == {"text": "hi"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_what_is_in_flight_finish(workspace: Path, number: signal.Signals) -> None:
    with stdio_server(workspace) as server:
        server.ask(request("ping"))
        server.send(call("sleep_async", 1, seconds=0.5))
        server.ask(request("ping", 2))
        server.process.send_signal(number)
        assert server.receive()["result"]["structuredContent"] == {"seconds": 0.5}
        assert server.process.wait(WAIT_S) == 0


def test_a_signal_after_the_end_of_the_input_still_lets_what_is_in_flight_finish(
    workspace: Path,
) -> None:
    with stdio_server(workspace) as server:
        server.send(call("sleep_async", 1, seconds=1))
        server.ask(request("ping", 2))
        assert server.process.stdin is not None
        assert server.process.stdout is not None
        server.process.stdin.close()
        server.process.send_signal(signal.SIGTERM)
        [answer] = [json.loads(line) for line in server.process.stdout]
        assert answer["result"]["structuredContent"] == {"seconds": 1.0}
        assert server.process.wait(WAIT_S) == 0


def test_a_second_signal_after_the_end_of_the_input_does_not_wait(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.send(call("sleep_async", 1, seconds=600))
        server.ask(request("ping", 2))
        assert server.process.stdin is not None
        server.process.stdin.close()
        server.process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(0.5)
        server.process.send_signal(signal.SIGTERM)
        assert server.receive()["error"]["data"]["kind"] == "shutting_down"
        assert server.process.wait(WAIT_S) == 0


def test_a_second_signal_does_not_wait(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.send(call("sleep_async", 1, seconds=600))
        server.ask(request("ping", 2))
        server.process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(0.5)
        server.process.send_signal(signal.SIGINT)
        assert server.receive()["error"]["data"]["kind"] == "shutting_down"
        assert server.process.wait(WAIT_S) == 0


def test_the_end_takes_child_processes_along(workspace: Path) -> None:
    with stdio_server(workspace, "stdio", '{"limits": {"shutdown_s": 0.2}}') as server:
        server.send(call("run_child", 1, pid_file="pid"))
        while not server.memory.children():
            server.ask(request("ping", "wait"))
        children = server.memory.children(recursive=True)
        server.end()
        _, alive = psutil.wait_procs(children, timeout=WAIT_S)
        assert alive == []
        assert server.process.returncode == 0


def test_a_client_that_vanishes_ends_the_server(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.ask(request("ping"))
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(request("tools/list"))
        assert server.process.wait(WAIT_S) == 0


def test_only_the_protocol_is_on_stdout(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        answer = server.ask(call("print_noise"))
        assert answer["result"]["structuredContent"] == {"printed": True}


def test_a_stderr_that_nobody_reads_does_not_stop_the_server(workspace: Path) -> None:
    with stdio_server(
        workspace, "stdio", '{"limits": {"burst": 100000}}', stderr=subprocess.PIPE
    ) as server:
        for number in range(3_000):
            answer = server.ask(request("ping", number))
            assert answer["id"] == number


def test_input_and_output_may_be_files(workspace: Path) -> None:
    source, sink = workspace / "in.jsonl", workspace / "out.jsonl"
    lines = [json.dumps(call("echo", number, text="x")) for number in range(20)]
    source.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "everything"]
    environment = {"PYTHONPATH": str(TESTS), "HOME": str(workspace)}
    with source.open("rb") as stdin, sink.open("wb") as stdout:
        done = subprocess.run(
            command, stdin=stdin, stdout=stdout, env=environment, timeout=WAIT_S, check=False
        )
    answers = [json.loads(line) for line in sink.read_text(encoding="utf-8").splitlines()]
    assert done.returncode == 0
    assert sorted(answer["id"] for answer in answers) == list(range(20))
