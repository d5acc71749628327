import asyncio
import signal
import socket
import subprocess
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from click.testing import CliRunner
from uvicorn.server import ServerState

from benchpin.cli.main import cli
from benchpin.ui._access import Receive, Scope, Send, answer
from benchpin.ui._serving import PageProtocol
from waiting import WAIT_S


def test_a_port_in_use_is_named_with_the_way_out(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(cli, ["ui", str(workspace), "--no-open", "--port", port])
    assert done.exit_code == 2
    assert f"port {port}" in done.output
    assert "Choose another --port" in done.output


async def _hello(_scope: Scope, _receive: Receive, send: Send) -> None:
    await answer(send, 200, "hello")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\n",
    ],
    ids=["nothing", "half a head", "half a body", "half of a second request"],
)
async def test_a_request_that_is_sent_by_half_ends_with_its_connection(sent: bytes) -> None:
    config = uvicorn.Config(_hello, lifespan="off", log_config=None, timeout_keep_alive=600)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: PageProtocol(config, state, {}, request_s=0.05), "127.0.0.1", 0
    )
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(sent)
        with suppress(ConnectionResetError):
            await reader.read()  # until the other side closes it
        writer.close()


async def test_a_whole_request_is_answered_though_the_answer_takes_long() -> None:
    answered = asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await answered.wait()
        await _hello(scope, receive, send)

    config = uvicorn.Config(slow, lifespan="off", log_config=None, timeout_keep_alive=600)
    config.load()
    server = await asyncio.get_running_loop().create_server(
        lambda: PageProtocol(config, ServerState(), {}, request_s=0.05), "127.0.0.1", 0
    )
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        asyncio.get_running_loop().call_later(0.1, answered.set)
        assert b"200 OK" in await reader.readline()
        writer.close()


@pytest.mark.slow
def test_it_ends_at_once_though_a_page_is_open_and_an_analysis_runs(
    benchpin: str, workspace: Path
) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    with subprocess.Popen(
        (benchpin, "ui", str(workspace), "--no-open"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = urlsplit(process.stdout.readline().strip())
        connection = HTTPConnection(address.netloc)
        connection.request("GET", f"/?{address.query}")
        entered = connection.getresponse()
        cookie = {"Cookie": str(entered.getheader("set-cookie")).partition(";")[0]}
        entered.read()
        connection.request("GET", "/", headers=cookie)
        connection.getresponse().read()
        connection.request("GET", "/events", headers=cookie)
        stream = connection.getresponse()
        assert stream.readline() == b"retry: 1000\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 0
        assert process.stderr.read() == ""
        connection.close()
