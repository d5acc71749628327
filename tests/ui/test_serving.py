import signal
import socket
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from benchpin.cli.main import cli


def test_a_port_in_use_is_named_with_the_way_out(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(cli, ["ui", str(workspace), "--no-open", "--port", port])
    assert done.exit_code == 2
    assert f"port {port}" in done.output
    assert "Choose another --port" in done.output


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
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
        connection.close()
