"""The least that a server of asyncio can do: the same answer to whatever comes, over HTTP."""

import asyncio
import sys

BODY = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}' % (
    b"x" * 1_300
)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
ANSWER = HEAD % len(BODY) + BODY


class Answering(asyncio.Protocol):
    """Takes every piece of data for a request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, _data: bytes) -> None:
        """Answer."""
        self.transport.write(ANSWER)


async def main() -> None:
    """Serve until the process ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
