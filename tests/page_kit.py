"""Pages asked for without a socket: requests to the application of `benchpin ui`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchpin.app import Workbench
from benchpin.ui._access import Access
from benchpin.ui._app import PageApp

PORT = 8000
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str


class Browser:
    """Asks for pages of a workspace, with the cookie that a browser would have."""

    def __init__(self, workspace: Path, **settings: object) -> None:
        """Open the pages of a folder."""
        self.access = Access(PORT)
        self.pages = PageApp(Workbench.open(workspace, **settings), self.access)

    async def get(self, path: str, **headers: str) -> Answer:
        """Ask for a page."""
        return await self.send("GET", path, b"", {**self._cookie(), **headers})

    async def wait_for(self, path: str) -> Answer:
        """Ask for a page until nothing on it is still being computed."""
        while True:
            answer = await self.get(path)
            if "data-waiting" not in answer.text and 'class="working"' not in answer.text:
                return answer
            await asyncio.sleep(0)

    async def post(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        """Send a form from one of our own pages."""
        body = urlencode(form).encode()
        given = {
            "origin": f"http://{HOST}",
            "content-type": "application/x-www-form-urlencoded",
            "content-length": str(len(body)),
        }
        return await self.send("POST", path, body, {**self._cookie(), **given, **headers})

    def _cookie(self) -> dict[str, str]:
        return {"cookie": f"{self.access.cookie}={self.access.token}"}

    async def send(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str]
    ) -> Answer:
        """Send a request with exactly these headers, but for the Host if there is none."""
        path, _, query = target.partition("?")
        raw = [(key.encode(), value.encode()) for key, value in {"host": HOST, **headers}.items()]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": raw,
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "root_path": "",
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.pages.app(scope, receive, send)
        [start, *bodies] = sent
        return Answer(
            start["status"],
            {key.decode(): value.decode() for key, value in start["headers"]},
            b"".join(it.get("body", b"") for it in bodies).decode(),
        )
