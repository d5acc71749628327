"""Serve the fixture toolset: `python -m everything [stdio|http] [SETTINGS as JSON, or PORT]`."""

import asyncio
import json
import sys

from benchpin.server import Kernel, configure_logging
from benchpin.server.network import serve_network
from benchpin.server.pipes import serve_stdio
from everything.serving import workbench_for


async def main(transport: str, settings: dict[str, object]) -> None:
    workbench = workbench_for(**settings)
    if transport == "http":
        await serve_network(Kernel(workbench), workbench.configuration.settings)
    else:
        await serve_stdio(workbench)


def parse(arguments: list[str]) -> tuple[str, dict[str, object]]:
    transport = arguments[0] if arguments else "stdio"
    text = arguments[1] if len(arguments) > 1 else "{}"
    given = json.loads(text)
    return transport, {"port": given} if isinstance(given, int) else {"port": 0, **given}


if __name__ == "__main__":
    configure_logging(debug=False)
    asyncio.run(main(*parse(sys.argv[1:])))
