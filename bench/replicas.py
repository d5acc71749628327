"""Three replicas behind nginx, one killed under load: which requests fail?

    python bench/replicas.py [SECONDS]

Clients of the stateless era call `analyze_complexity` through the proxy without a pause. Halfway
one replica is killed (SIGKILL). A request may fail only if it was on that replica then.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from ports import free_port, wait_for
from results import help_if_asked

REPLICAS = 3
CLIENTS = 8
STATELESS = "2026-07-28"
TOOL = "analyze_complexity"
META = "io.modelcontextprotocol/"
NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream benchpin {{ {servers} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://benchpin;
            proxy_http_version 1.1;
            proxy_set_header Host 127.0.0.1;
            proxy_next_upstream error timeout http_503;
            proxy_buffering off;
        }}
    }}
}}
"""


class Client(threading.Thread):
    """Calls a tool again and again, and notes when each call began and how it ended."""

    def __init__(self, port: int, until: float) -> None:
        super().__init__(daemon=True)
        self._port, self._until = port, until
        self.calls: list[tuple[float, float, bool]] = []

    def run(self) -> None:
        """Call until the time is over."""
        while time.monotonic() < self._until:
            began = time.monotonic()
            is_fine = called(self._port)
            self.calls.append((began, time.monotonic(), is_fine))


def called(port: int) -> bool:
    """Call the tool once; whether it answered."""
    envelope = {
        f"{META}protocolVersion": STATELESS,
        f"{META}clientInfo": {"name": "bench", "version": "1"},
        f"{META}clientCapabilities": {},
    }
    params = {"name": TOOL, "arguments": {}, "_meta": envelope}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": STATELESS,
        "Mcp-Method": "tools/call",
        "Mcp-Name": TOOL,
    }
    try:
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("POST", "/mcp", body, headers)
            answer = connection.getresponse()
            return answer.status == 200 and b'"isError":false' in answer.read()  # noqa: PLR2004
    except (OSError, HTTPException):
        return False


def main(seconds: float = 20) -> int:
    """Run it and print what was seen; 1 if a request failed that should not."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        workspace = folder / "workspace"
        workspace.mkdir()
        for number in range(50):
            code = "".join(f"def f{it}(a):\n    return a if a else {it}\n" for it in range(20))
            (workspace / f"m{number}.py").write_text(code, encoding="utf-8")
        ports = [free_port() for _ in range(REPLICAS)]
        serve = (sys.executable, "-m", "benchpin", "serve", "--transport", "http", "--port")
        settings = {**os.environ, "BENCHPIN_CACHE_DIR": str(folder / "cache")}
        replicas = [
            stack.enter_context(
                subprocess.Popen(
                    [*serve, str(port)], cwd=workspace, env=settings, stderr=subprocess.DEVNULL
                )
            )
            for port in ports
        ]
        for replica in replicas:
            stack.callback(replica.kill)
        front = free_port()
        servers = " ".join(
            f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;" for port in ports
        )
        settings_file = folder / "nginx.conf"
        text = NGINX.format(folder=folder, servers=servers, port=front)
        settings_file.write_text(text, encoding="utf-8")
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        proxy = stack.enter_context(subprocess.Popen([nginx, "-c", str(settings_file)]))
        stack.callback(proxy.terminate)
        for port, server in zip((*ports, front), (*replicas, proxy), strict=True):
            wait_for(port, server)
        return observe(front, replicas[0], seconds)


def observe(front: int, victim: "subprocess.Popen[bytes]", seconds: float) -> int:
    """Load the proxy, kill a replica halfway, and print the outcome."""
    for _ in range(REPLICAS * 2):
        called(front)
    until = time.monotonic() + seconds
    clients = [Client(front, until) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    time.sleep(seconds / 2)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    killed = time.monotonic()
    for client in clients:
        client.join()
    calls = [call for client in clients for call in client.calls]
    failed = [(began, ended) for began, ended, is_fine in calls if not is_fine]
    in_flight = [it for it in failed if it[0] <= killed]
    print(f"{len(calls):,} calls in {seconds:g} s by {CLIENTS} clients through nginx")
    print(f"{len(failed)} failed, {len(in_flight)} of them in flight when the replica was killed")
    return int(len(in_flight) < len(failed))


if __name__ == "__main__":
    help_if_asked(__doc__)
    sys.exit(main(*map(float, sys.argv[1:2])))
