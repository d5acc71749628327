"""Serve the fixture toolset: `python -m everything [stdio|http] [PORT]`."""

import asyncio
import sys

from everything.serving import kernel_for
from benchpin.app import Settings
from benchpin.server import serve_stdio
from benchpin.server.logs import configure_logging
from benchpin.server.network import serve_network


async def main(transport: str, port: int) -> None:
    kernel = kernel_for()
    if transport == "http":
        await serve_network(kernel, Settings(port=port))
    else:
        await serve_stdio(kernel)


if __name__ == "__main__":
    configure_logging(debug=False)
    arguments = sys.argv[1:]
    asyncio.run(
        main(arguments[0] if arguments else "stdio", int(arguments[1]) if len(arguments) > 1 else 0)
    )
